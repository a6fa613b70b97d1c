package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/words"
)

// A block is a part of the cases that differ only in the problem.
type block struct {
	setup Setup // without a problem
	cases []int
}

// title names what the cases of a block have in common.
func (b block) title() string {
	text := fmt.Sprintf("d = %d", b.setup.Dim)
	if b.setup.Mix != "" {
		text += ", mix " + b.setup.Mix
	}
	if b.setup.Options != "" {
		text += ", " + b.setup.Options
	}
	return text
}

// blocks returns the cases in blocks, in the order in which each begins.
func (c *Comparison) blocks() (all []block) {
	for i, setup := range c.Cases {
		setup.Problem, setup.Known = "", true
		k := slices.IndexFunc(all, func(b block) bool { return b.setup.Key() == setup.Key() && b.setup.Budget == setup.Budget })
		if k < 0 {
			k = len(all)
			all = append(all, block{setup: setup})
		}
		all[k].cases = append(all[k].cases, i)
	}
	return all
}

// shown returns the indices of the targets whose ERTs are in the tables: four at most, spread
// evenly, with the least.
func (c *Comparison) shown() (indices []int) {
	const most = 4
	n := len(c.Targets)
	for k := range min(n, most) {
		if n > most {
			k = int(math.Round(float64((k+1)*(n-1)) / most))
		}
		indices = append(indices, k)
	}
	return indices
}

// A column is a column of standings: its head, and what it says of one.
type column struct {
	head string
	wide bool // only in wide forms
	of   func(s *Standing) string
}

// columns are those of standings in a form, after problem and method.
func (c *Comparison) columns(f form) []column {
	all := []column{
		{head: "success", of: func(s *Standing) string { return fmt.Sprintf("%d/%d", s.last().Successes, s.Runs) }},
		{"95%", true, func(s *Standing) string { return fmt.Sprintf("%.0f–%.0f", 100*s.last().Low, 100*s.last().High) }},
	}
	for _, t := range c.shown() {
		all = append(all, column{head: fmt.Sprintf("ERT(%s)", words.Figure(c.Targets[t])), of: func(s *Standing) string { return s.Goals[t].ERT.String() }})
	}
	all = append(all,
		column{"95%", true, func(s *Standing) string { return between(s.last().ERT, s.last().ERTLow, s.last().ERTHigh) }},
		column{head: "final gap", of: func(s *Standing) string { return s.Gap.Median.String() }},
		column{"rounds", true, func(s *Standing) string { return figured(s.Rounds) }},
		column{"own s/query", true, func(s *Standing) string { return figured(s.Own) }})
	return slices.DeleteFunc(all, func(k column) bool { return k.wide && !f.wide })
}

// figured returns a number in short, or nothing if there is none.
func figured[T int | float64](v *T) string {
	return orElse(v, "", func(v T) string { return words.Figure(float64(v)) })
}

// standings has a line for each method on each case of a block. Without a run it says nothing.
func (c *Comparison) standings(b block, f form) sheet {
	s := sheet{title: fmt.Sprintf("%s, %s", b.title(), words.Count(b.setup.Budget, "query", "queries")), right: 2}
	columns := c.columns(f)
	head := append([]string{"problem", "method"}, lists.Map(columns, func(k column) string { return k.head })...)
	s.lines = append(s.lines, head)
	for _, i := range b.cases {
		for j, m := range c.Methods {
			cell, _ := c.cell(i, j)
			line := []string{cell.Problem, f.name(m)}
			for n, k := range columns {
				if line = append(line, ""); n == 0 || cell.Runs > 0 {
					line[n+2] = k.of(cell)
				}
			}
			if j > 0 {
				line[0] = ""
			}
			s.lines = append(s.lines, line)
		}
	}
	return s
}

// between writes the interval of a number; nothing if there is none, or if no run of one side
// reached the target, so that the number is 0 or infinite and resampling cannot say more.
func between(of, low, high Number) string {
	if of == 0 || !of.finite() || math.IsNaN(float64(low)) {
		return ""
	}
	return low.String() + "–" + high.String()
}

// against returns the pairs with the first method.
func (c *Comparison) against() []Pair { return c.Pairs[:min(len(c.Pairs), max(0, len(c.Methods)-1))] }

// verdicts has a line for each case of a pair.
func (c *Comparison) verdicts(k int) sheet {
	p := c.against()[k]
	s := sheet{title: fmt.Sprintf("%s against %s", p.First, p.Second), right: 1}
	s.lines = append(s.lines, []string{"case", "ERT ratio", "95%", "p", "p (Holm)", "verdict"})
	for i, d := range p.Duels {
		ratio, interval := c.ratio(i, k+1, d)
		s.lines = append(s.lines, []string{d.Case, ratio, interval, figured(d.P), figured(d.Holm), d.Verdict})
	}
	return s
}

// ratio writes the ratio of the ERTs of the first and the j-th method on the i-th case, and its
// interval. If neither of them ever reached the least target, or has no run, there is none.
func (c *Comparison) ratio(i, j int, d Duel) (ratio, interval string) {
	a, _ := c.cell(i, 0)
	b, _ := c.cell(i, j)
	if a.last().Successes+b.last().Successes == 0 || a.Runs == 0 || b.Runs == 0 {
		return "", ""
	}
	return d.Ratio.String(), between(d.Ratio, d.RatioLow, d.RatioHigh)
}

// summary counts verdicts, for each block and for all cases.
func (c *Comparison) summary() sheet {
	s := sheet{title: fmt.Sprintf("How often %s is better, equal or worse", c.Methods[0].Name), right: 2}
	s.lines = append(s.lines, []string{"against", "cases", "better", "equal", "worse"})
	for _, p := range c.against() {
		name := p.Second
		blocks := c.blocks()
		for _, b := range blocks {
			counts := map[string]int{}
			for _, i := range b.cases {
				counts[p.Duels[i].Verdict]++
			}
			s.lines = append(s.lines, []string{name, b.title(), strconv.Itoa(counts["better"]), strconv.Itoa(counts["equal"]), strconv.Itoa(counts["worse"])})
			name = ""
		}
		if len(blocks) > 1 {
			s.lines = append(s.lines, []string{name, "all", strconv.Itoa(p.Better), strconv.Itoa(p.Equal), strconv.Itoa(p.Worse)})
		}
	}
	return s
}

// losses lists the cases on which the first method is behind another.
func (c *Comparison) losses() sheet {
	first := c.Methods[0].Name
	s := sheet{title: fmt.Sprintf("Where %s is behind", first), right: 2}
	s.lines = append(s.lines, []string{"case", "other", "success", "other's", "ERT", "other's", "ratio", "verdict"})
	for k, p := range c.against() {
		for i, d := range p.Duels {
			if !d.Behind {
				continue
			}
			a, _ := c.cell(i, 0)
			b, _ := c.cell(i, k+1)
			ratio, _ := c.ratio(i, k+1, d)
			s.lines = append(s.lines, []string{
				d.Case, p.Second, fmt.Sprintf("%d/%d", a.last().Successes, a.Runs), fmt.Sprintf("%d/%d", b.last().Successes, b.Runs),
				a.last().ERT.String(), b.last().ERT.String(), ratio, d.Verdict,
			})
		}
	}
	return s
}

// A form is how tables are written.
type form struct {
	wide bool // with intervals, rounds and times
	name func(Entrant) string
}

var (
	terminal = form{name: func(e Entrant) string { return e.Name }}
	markup   = form{wide: true, name: func(e Entrant) string { return cmp.Or(e.Title, e.Name) }}
	inTeX    = form{name: func(e Entrant) string {
		if e.TeX != "" {
			return asTeX + e.TeX
		}
		return cmp.Or(e.Title, e.Name)
	}}
)
