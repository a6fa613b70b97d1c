package acceptance

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/problem"
)

// A versusCell is the runs of a method on a problem, as in docs/data/versus-runs.csv.
type versusCell struct {
	problem, mix string
	dim          int
	method       string
	budget       int
	seeds        []uint64
	reached      []int     // the query that reached the least target, of the runs that did
	spent        int       // the queries of all runs, up to the target or their end
	left         []float64 // the final gaps of the others
}

// csvRows returns the rows of a file, with the first, which has the names.
func csvRows(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// versusCells reads docs/data/versus-runs.csv, which the program has written.
func versusCells(t *testing.T) (cells []*versusCell) {
	t.Helper()
	lines := csvRows(t, "../../docs/data/versus-runs.csv")
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, line := range lines[1:] {
		v := map[string]string{}
		for i, name := range lines[0] {
			v[name] = line[i]
		}
		c := &versusCell{problem: v["problem"], mix: v["mix"], dim: number(v["dim"]), method: v["method"], budget: number(v["budget"])}
		if k := slices.IndexFunc(cells, c.same); k >= 0 {
			c = cells[k]
		} else {
			cells = append(cells, c)
		}
		c.seeds = append(c.seeds, uint64(number(v["seed"])))
		if v["reached"] != "" {
			c.reached = append(c.reached, number(v["reached"]))
			c.spent += number(v["reached"])
			continue
		}
		gap, err := strconv.ParseFloat(v["gap"], 64)
		if err != nil {
			t.Fatal(err)
		}
		c.left = append(c.left, gap)
		c.spent += number(v["queries"])
	}
	slices.SortStableFunc(cells, func(a, b *versusCell) int {
		return cmp.Or(cmp.Compare(a.problem, b.problem), cmp.Compare(a.dim, b.dim))
	})
	return cells
}

// same reports whether runs of b are runs of c.
func (c *versusCell) same(b *versusCell) bool {
	return c.problem == b.problem && c.mix == b.mix && c.dim == b.dim && c.method == b.method && c.budget == b.budget
}

// solved returns how many runs reached the target, of how many.
func (c *versusCell) solved() string { return fmt.Sprintf("%d of %d", len(c.reached), len(c.seeds)) }

// middle returns the median as measures.md has it: of two middle values, the lower.
func middle[T int | float64](values []T) T {
	return slices.Sorted(slices.Values(values))[(len(values)-1)/2]
}

// thousands rounds to three digits, and writes them with commas.
func thousands(v float64) string {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(v))-2))
	text := strconv.Itoa(int(math.Round(v/unit) * unit))
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + "," + text[k:]
	}
	return text
}

// queries is the median of the runs that solve it.
func (c *versusCell) queries() string {
	if len(c.reached) == 0 {
		return ""
	}
	return thousands(float64(middle(c.reached)))
}

// ert is the queries of all runs for each that solves it.
func (c *versusCell) ert() string {
	if len(c.reached) == 0 {
		return "∞"
	}
	return thousands(float64(c.spent) / float64(len(c.reached)))
}

// gap is the median of the runs that do not solve it.
func (c *versusCell) gap() string {
	if len(c.left) == 0 {
		return ""
	}
	if gap := middle(c.left); gap < 9.95 {
		return fmt.Sprintf("%.2g", gap)
	} else {
		return thousands(math.Round(gap))
	}
}

// versusShort has a line for each problem, and a column for each method: the median of queries,
// or the median of gaps, with the largest budget that the method has.
func versusShort(cells []*versusCell) string {
	var methods, rows []string
	most := map[string]*versusCell{} // of a row and a method
	for _, c := range cells {
		row := fmt.Sprintf("| %s, d = %d |", c.problem, c.dim)
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(methods, c.method) {
			methods = append(methods, c.method)
		}
		if old := most[row+c.method]; old == nil || old.budget < c.budget {
			most[row+c.method] = c
		}
	}
	text := "|  | " + strings.Join(methods, " | ") + " |\n|---" + strings.Repeat("|---:", len(methods)) + "|\n"
	for _, row := range rows {
		text += row
		for _, method := range methods {
			text += " " + most[row+method].words() + " |"
		}
		text += "\n"
	}
	return text
}

// words says how often, how soon, and how far.
func (c *versusCell) words() string {
	switch {
	case len(c.left) == 0:
		return c.queries()
	case len(c.reached) > 0:
		return fmt.Sprintf("%s (%s)", c.queries(), c.solved())
	default:
		return fmt.Sprintf("%s in %s, gap %s", c.solved(), thousands(float64(c.budget)), c.gap())
	}
}

// versusLong has a line for each problem and method.
func versusLong(cells []*versusCell) string {
	text := "| problem | d | budget | method | solved | queries, median | ERT | gap of the others, median |\n|---|---:|---:|---|---:|---:|---:|---:|\n"
	for _, c := range cells {
		text += fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %s |\n",
			c.problem, c.dim, thousands(float64(c.budget)), c.method, c.solved(), c.queries(), c.ert(), c.gap())
	}
	return text
}

// docs/data/versus.md has the tables that follow from docs/data/versus-runs.csv. With -update they are
// written.
func TestVersusPage(t *testing.T) {
	var same, more, rotated, plain []*versusCell
	for _, c := range versusCells(t) {
		switch {
		case c.mix == "orthogonal":
			rotated = append(rotated, c)
		case c.mix == "none":
			plain = append(plain, c)
		case c.budget > 5000*c.dim:
			more = append(more, c)
		default:
			same = append(same, c)
		}
	}
	for name, text := range map[string]string{
		"short": versusShort(append(same, more...)), "long": versusLong(same), "more": versusLong(more),
		"rotated": versusLong(rotated), "plain": versusLong(plain),
	} {
		written(t, "versus.md", name, text)
	}
}

// Methods that are compared have the same seeds. And scipy's methods,
// which never leave their bounds, can find the minimum: these are 200 times as wide as the start
// box with the paper's matrix, 3 times with a rotation, and the start box without a matrix.
func TestVersusIsFair(t *testing.T) {
	widths := map[string]float64{"paper": 200, "orthogonal": 3, "none": 1}
	cells := versusCells(t)
	for _, c := range cells {
		for _, b := range cells {
			if with := *b; !slices.Equal(c.seeds, b.seeds) {
				if with.method = c.method; c.same(&with) {
					t.Errorf("%s and %s do not have the same seeds on %s, d = %d", c.method, b.method, c.problem, c.dim)
				}
			}
		}
		if c.method != "dual_annealing" {
			continue
		}
		for _, seed := range c.seeds {
			p, err := problem.New(problem.Spec{Name: c.problem, Dim: c.dim, Mix: c.mix, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range p.Minimiser() {
				if start := p.Domain(); math.Abs(x) > widths[c.mix]*start.Hi[i] || start.Lo[i] != -start.Hi[i] {
					t.Errorf("%v: the minimum has the coordinate %g, and the start box ends at %g", p, x, start.Hi[i])
				}
			}
		}
	}
}
