package acceptance

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/report/chart"
)

// A pivot is a table of docs/data/reality.md: the cells of a test in rows and columns.
type pivot struct {
	name        string
	begins      string // the words with which names of its cells begin
	corner      string // what rows are
	row, column func(words []string) string
	show        func(facts []fact) string
}

// after returns the words of a cell after those with which it begins; nil if it begins
// differently. A cell that begins with "even" or "race" is not in a table of those that do not.
func (p pivot) after(cell string) []string {
	rest, ok := strings.CutPrefix(cell, p.begins+" ")
	if !ok {
		return nil
	}
	words := strings.Fields(rest)
	if words[0] == "even" || words[0] == "race" {
		return nil
	}
	return words
}

// lines returns the table; "" if nothing was measured.
func (p pivot) lines(b *book) string {
	var rows, columns []string
	facts := map[string][]fact{}
	for _, cell := range b.order {
		words := p.after(cell)
		if words == nil {
			continue
		}
		r, c := p.row(words), p.column(words)
		if !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
		facts[r+"|"+c] = append(facts[r+"|"+c], b.facts[cell])
	}
	if len(rows) == 0 {
		return ""
	}
	text := "| " + p.corner + " | " + strings.Join(columns, " | ") + " |\n" + strings.Repeat("|---", 1+len(columns)) + "|\n"
	for _, r := range rows {
		text += "| " + r
		for _, c := range columns {
			if all := facts[r+"|"+c]; all == nil {
				text += " | "
			} else {
				text += " | " + p.show(all)
			}
		}
		text += " |\n"
	}
	return text
}

// sum adds up a number of several facts.
func sum(facts []fact, name string) (total float64) {
	for _, f := range facts {
		if v := f.number(name); !math.IsNaN(v) {
			total += v
		}
	}
	return total
}

func words(from, to int) func([]string) string {
	return func(w []string) string { return strings.Join(w[from:min(to, len(w))], " ") }
}

// brief writes a number with two digits, or three from 100 on.
func brief(v float64) string {
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "–"
	case v == 0:
		return "0"
	case math.Abs(v) >= 1e5 || math.Abs(v) < 1e-2:
		return strconv.FormatFloat(v, 'e', 0, 64)
	case math.Abs(v) >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func versusText(f fact) string {
	text := brief(f.number("auto")) + " / " + brief(f.number("cmaes"))
	if !(f.number("p") > notWorse) {
		return "**" + text + "**"
	}
	return text
}

var pivots = []pivot{
	{"maps", "maps", "", words(0, 3), words(3, 4), func(f []fact) string {
		x := f[0]
		text := fmt.Sprintf("%s, %s of %s", x["identified"], x["solved"], x["seeds"])
		if q := x.number("queries"); !math.IsInf(q, 0) {
			text += fmt.Sprintf("; %.0f, %.1f×", q, q/x.number("plain"))
		}
		return text
	}},
	{"race", "maps race", "", words(0, 3), func(w []string) string { return strings.Join(append(w[3:], "")[:1], "") }, func(f []fact) string {
		return fmt.Sprintf("%.2f (%s)", f[0].number("queries")/f[0].number("cmaes"), f[0]["solved"])
	}},
	{"even", "maps even", "", words(0, 1), words(2, 3), func(f []fact) string { return versusText(f[0]) }},
	{"wells", "noise", "", words(3, 4), words(1, 3), func(f []fact) string {
		if f[0]["deepest"] == "" {
			return versusText(f[0])
		}
		return fmt.Sprintf("%s of %s; %s", f[0]["deepest"], f[0]["seeds"], versusText(f[0]))
	}},
	{"noisy", "noise even", "", words(3, 4), words(0, 3), func(f []fact) string { return versusText(f[0]) }},
	{"honest", "honest", "", words(3, 4), words(0, 1), func(f []fact) string {
		return fmt.Sprintf("%.0f; %.0f; %.0f of %.0f", sum(f, "wrong"), sum(f, "within"), sum(f, "covered"), sum(f, "seeds"))
	}},
	{"couplings", "couplings", "", words(4, 5), func(w []string) string { return strings.Join([]string{w[0], w[3], w[1], w[2]}, " ") }, func(f []fact) string {
		return fmt.Sprintf("%s of %s, %s", f[0]["lower"], f[0]["seeds"], brief(f[0].number("gain")))
	}},
	{"sizes", "couplings", "", words(4, 5), func(w []string) string { return strings.Join([]string{w[0], w[3], w[2]}, " ") }, func(f []fact) string {
		return fmt.Sprintf("%.0f of %.0f", sum(f, "within"), sum(f, "told"))
	}},
	{"combined", "combined", "", words(0, 3), func([]string) string { return "gap at most 1; median gap, auto / CMA-ES" }, func(f []fact) string {
		return fmt.Sprintf("%s of %s, CMA-ES %s; %s", f[0]["done"], f[0]["seeds"], f[0]["cmaes.done"], versusText(f[0]))
	}},
}

// series returns the quartiles of a quantity over a number x of the cell, for the cells that
// begin with some words; named by group.
func (b *book) series(begins, quantity string, x func(words []string) (float64, bool), name func(words []string) string) (all []chart.Series) {
	at := map[string]int{}
	for _, cell := range b.order {
		w := pivot{begins: begins}.after(cell)
		if w == nil {
			continue
		}
		v, ok := x(w)
		if !ok {
			continue
		}
		k, known := at[name(w)]
		if !known {
			k = len(all)
			at[name(w)] = k
			all = append(all, chart.Series{Name: name(w)})
		}
		f, s := b.facts[cell], &all[k]
		s.X = append(s.X, v)
		s.Lower, s.Median, s.Upper = append(s.Lower, f.number(quantity+".lower")), append(s.Median, f.number(quantity)), append(s.Upper, f.number(quantity+".upper"))
	}
	return all
}

// numberAfter returns the number after a prefix, in the k-th word.
func numberAfter(prefix string, k int) func([]string) (float64, bool) {
	return func(w []string) (float64, bool) {
		if k >= len(w) {
			return 0, false
		}
		text, ok := strings.CutPrefix(w[k], prefix)
		v, err := strconv.ParseFloat(text, 64)
		return v, ok && err == nil
	}
}

// only keeps what a condition allows.
func only(x func([]string) (float64, bool), allowed func(w []string) bool) func([]string) (float64, bool) {
	return func(w []string) (float64, bool) {
		if !allowed(w) {
			return 0, false
		}
		return x(w)
	}
}

// swept draws series together over a logarithmic scale. Values are on one, too, if no median
// is below 0.
func swept(title, x, y string, all []chart.Series, floor float64) chart.Lines {
	l := chart.Lines{Title: title, X: chart.Axis{Label: x, Scale: chart.Logarithmic}, Y: chart.Axis{Label: y, Scale: chart.Logarithmic, Floor: floor}, Panels: []chart.Panel{{Series: all}}}
	for _, s := range all {
		if slices.ContainsFunc(s.Median, func(v float64) bool { return v < 0 }) {
			l.Y.Scale = chart.Linear
		}
	}
	return l
}

// draw draws the figures of docs/data/reality.md, as far as there is something to draw.
func (b *book) draw(t *testing.T) {
	t.Helper()
	sweep := func(name, title, x, y string, all []chart.Series, floor float64) {
		if len(all) == 0 {
			return
		}
		if err := swept(title, x, y, all, floor).Draw().Save("../../docs/data/reality-" + name + ".svg"); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"d=20", "d=40"} {
		here := func(w []string) bool { return w[2] == d }
		var gaps []chart.Series
		for _, by := range []string{"auto", "cmaes"} {
			gaps = append(gaps, b.series("noise", by, only(numberAfter("noise=", 3), here), func(w []string) string { return by + ", " + w[1] })...)
		}
		sweep("noise-"+d[2:], "Rastrigin, "+d[:1]+" = "+d[2:]+", under noise", "noise, in standard deviations of f", "gap", gaps, 1e-9)
		gains := b.series("couplings", "gain", only(numberAfter("D=", 4), here), func(w []string) string { return w[0] + ", " + w[3] + ", " + w[1] })
		sweep("couplings-"+d[2:], "Couplings, "+d[:1]+" = "+d[2:], "coupling D, in standard deviations of f", "gain over CMA-ES, in standard deviations", gains, 1e-9)
	}
	orthogonal := func(w []string) bool { return w[0] == "rastrigin" && w[1] == "orthogonal" }
	var queries []chart.Series
	if plain := b.series("maps", "plain", only(numberAfter("d=", 2), func(w []string) bool { return orthogonal(w) && w[3] == "sqrt" }), func([]string) string { return "plain" }); plain != nil {
		queries = append(plain, b.series("maps", "queries", only(numberAfter("d=", 2), orthogonal), func(w []string) string { return w[3] })...)
	}
	sweep("maps", "Rastrigin under maps, orthogonal mix", "dimension", "queries to a gap of 1e-6", queries, 1)
}

// docs/data/reality.md has the tables that follow from docs/data/reality.csv. With -update they
// are written, and with -whole the figures are drawn.
func TestRealityPage(t *testing.T) {
	b := &book{facts: map[string]fact{}, seeds: map[string]int{}}
	b.read(t)
	for _, p := range pivots {
		written(t, "reality.md", p.name, p.lines(b))
	}
	if *flags.Whole && *flags.Update {
		b.draw(t)
	}
}

// By hand: two cells in a row, and one that is missing.
func TestPivot(t *testing.T) {
	b := newBook(t, "")
	*b = book{facts: map[string]fact{}, seeds: map[string]int{}}
	b.keep("maps a paper d=2 sqrt", 3, fact{"x": "1"})
	b.keep("maps a paper d=2 log", 3, fact{"x": "2"})
	b.keep("maps b paper d=2 log", 3, fact{"x": "3", "y": "4", "y.lower": "3", "y.upper": "5"})
	b.keep("maps race b paper d=2 log", 3, fact{"x": "5"})
	p := pivot{"maps", "maps", "", words(0, 3), words(3, 4), func(f []fact) string { return f[0]["x"] }}
	if got, want := p.lines(b), "|  | sqrt | log |\n|---|---|---|\n| a paper d=2 | 1 | 2 |\n| b paper d=2 |  | 3 |\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	all := b.series("maps", "y", only(numberAfter("d=", 2), func(w []string) bool { return w[0] == "b" }), words(0, 1))
	if len(all) != 1 || all[0].X[0] != 2 || all[0].Median[0] != 4 || all[0].Lower[0] != 3 || all[0].Upper[0] != 5 {
		t.Errorf("%+v", all)
	}
}
