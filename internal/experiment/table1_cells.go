package experiment

import (
	"context"
	"slices"

	"github.com/untwist/untwist/internal/store"
)

// A Table says for each method how often it came within the gap on each problem.
type Table struct {
	Grid Table1 `json:"grid"`
	Tally
	// Rest is B − B_H, what the search for W leaves of the budget; 0: nothing. The paper can be
	// read as giving every CBO no more.
	Rest  int    `json:"rest"`
	Cells []Cell `json:"cells"` // method after method
}

// A Cell is a method on a problem.
type Cell struct {
	Method    string  `json:"method"`
	Problem   string  `json:"problem"`
	Successes int     `json:"successes"`
	Runs      int     `json:"runs"`
	Low       float64 `json:"wilson_low"` // the 95 % interval for the rate of success
	High      float64 `json:"wilson_high"`
	// Queries is how many queries a run took up to its first success, including those
	// that find coordinates: the median over the successful runs, and of the middle two
	// the lower. It is nil if no run succeeded.
	Queries *int `json:"median_queries"`
	// Recovered is the percentage of components that were found, on average over the
	// runs that found a frame by the paper's road. It is nil if none did.
	Recovered *float64 `json:"recovered"`
	// Paper and PapersRecovered are the paper's figures, in percent of 100 runs. They are
	// nil where the paper has none.
	Paper           *int `json:"paper"`
	PapersRecovered *int `json:"paper_recovered"`
	// P is the p-value of Fisher's exact test that both have the same rate of success, and
	// Holm what Holm's correction over the paper's 24 cells makes of it. They are nil where
	// the settings are not the paper's.
	P    *float64 `json:"fisher_p"`
	Holm *float64 `json:"holm_p"`
	// Within is how many runs succeed if every CBO has Table.Rest queries, and WithinP and
	// WithinHolm are the same tests of that. They are nil where Rest is 0, and for methods that
	// are not in the paper.
	Within     *int     `json:"successes_within_rest"`
	WithinP    *float64 `json:"fisher_p_within_rest"`
	WithinHolm *float64 `json:"holm_p_within_rest"`
	// Failed has the final gaps of the runs that failed. It is nil if none did.
	Failed  *Gaps   `json:"failed"`
	Seconds float64 `json:"seconds"` // the mean time of a run

	runs []store.Run
}

// Gaps are the least of some gaps, the median (of the middle two the lower) and the largest.
type Gaps struct {
	Least  Number `json:"least"`
	Median Number `json:"median"`
	Most   Number `json:"most"`
}

// Tabulate makes the table of a complete grid from the runs that are in the store.
func (g Table1) Tabulate(ctx context.Context, s *store.Store) (Table, error) {
	all, err := s.All(ctx)
	if err != nil {
		return Table{}, err
	}
	grid := g.Grid()
	sorted := grid.byCell(all)
	t := Table{Grid: g, Tally: Tally{Total: grid.total()}, Rest: g.rest()}
	for _, m := range grid.Methods {
		for _, of := range grid.Cases {
			runs := sorted(of.Key(), m)
			c := newCell(m.Name, of.Problem, runs, g.Dim)
			c.within(m, runs, t.Rest)
			c.compare(g.likePaper())
			t.Cells = append(t.Cells, c)
			t.Done += len(runs)
		}
	}
	t.correct()
	return t, nil
}

// newCell sums up runs in d dimensions.
func newCell(method, problem string, runs []store.Run, d int) Cell {
	c := Cell{Method: method, Problem: problem, Runs: len(runs), runs: runs}
	var reached []int
	var failed []float64
	recovered, frames := 0, 0
	for _, r := range runs {
		if r.Reached > 0 {
			reached = append(reached, r.Reached)
		} else {
			failed = append(failed, r.Gap)
		}
		if r.Recovered >= 0 {
			recovered += r.Recovered
			frames++
		}
		c.Seconds += r.Seconds / float64(len(runs))
	}
	c.Successes = len(reached)
	c.Low, c.High = wilson(c.Successes, c.Runs)
	if n := len(reached); n > 0 {
		slices.Sort(reached)
		c.Queries = new(reached[(n-1)/2])
	}
	if n := len(failed); n > 0 {
		slices.Sort(failed)
		c.Failed = &Gaps{Number(failed[0]), Number(failed[(n-1)/2]), Number(failed[n-1])}
	}
	if frames > 0 {
		c.Recovered = new(100 * float64(recovered) / float64(frames*d))
	}
	return c
}

// within counts the successes of a method of the paper if every CBO has so many queries. A
// CBO that does not look for W has them from the start: its path does not depend on its
// budget, so it succeeds if it does within them. Those that look for W have the rest anyway,
// and CMA-ES is no CBO.
func (c *Cell) within(m Method, runs []store.Run, rest int) {
	if _, there := papersTable[c.Method]; !there || rest == 0 {
		return
	}
	if c.Within = new(c.Successes); m.Shared || c.Method == "cmaes" {
		return
	}
	*c.Within = 0
	for _, r := range runs {
		if 0 < r.Reached && r.Reached <= rest {
			*c.Within++
		}
	}
}

// rest returns B − B_H, where B_H = 2(d²+d)·N_H queries are for N_H = 1.5d Hessians; 0 if
// there is none.
func (g Table1) rest() int {
	hessians := (3*g.Dim + 1) / 2
	return max(0, g.Budget-2*(g.Dim*g.Dim+g.Dim)*hessians)
}

// compare fills in the paper's figures. If the settings are the same, it tests whether the
// rate of success is the same.
func (c *Cell) compare(same bool) {
	p, there := papersTable[c.Method][c.Problem]
	if !there {
		return
	}
	c.Paper = new(p.success)
	if p.recovered >= 0 {
		c.PapersRecovered = new(p.recovered)
	}
	if !same || c.Runs == 0 {
		return
	}
	c.P = new(fisher(c.Successes, c.Runs, p.success, papersRuns))
	if c.Within != nil {
		c.WithinP = new(fisher(*c.Within, c.Runs, p.success, papersRuns))
	}
}

// correct fills in what Holm's correction makes of the p-values, over the 24 cells of the
// paper's table. Those that are not there count as tests that found nothing, p = 1. The row
// as published is corrected in the place of componentwise CBO.
func (t *Table) correct() {
	for _, left := range []string{published, "componentwise"} {
		t.correctBut(left, func(c *Cell) (p, holm **float64) { return &c.P, &c.Holm })
		t.correctBut(left, func(c *Cell) (p, holm **float64) { return &c.WithinP, &c.WithinHolm })
	}
}

// correctBut corrects the p-values of one kind, but for a method that is left out.
func (t *Table) correctBut(left string, of func(*Cell) (p, holm **float64)) {
	all := slices.Repeat([]float64{1}, papersCells)
	var to []**float64
	for i := range t.Cells {
		if p, corrected := of(&t.Cells[i]); *p != nil && t.Cells[i].Method != left {
			all[len(to)] = **p
			to = append(to, corrected)
		}
	}
	for i, v := range holm(all)[:len(to)] {
		if *to[i] == nil {
			*to[i] = new(v)
		}
	}
}

// papersRuns is the number of runs behind each of the paper's figures, and papersCells how
// many figures there are.
const papersRuns, papersCells = 100, 24

// likePaper reports whether the settings are those of the paper.
func (g Table1) likePaper() bool {
	return g.Dim == 100 && g.Budget == 5_000_000 && g.Gap == 0.005 && g.Mix == "paper"
}

// A figure is an entry of the paper's table, in percent; -1 where it has none.
type figure struct{ success, recovered int }

// papersTable is Table 1 of the paper, section 4. Its componentwise CBO is two of our rows.
var papersTable = map[string]map[string]figure{
	"cbo-on-g":       row(figure{100, -1}, figure{88, -1}, figure{100, -1}, figure{100, -1}),
	"cbo":            row(figure{0, -1}, figure{0, -1}, figure{0, -1}, figure{0, -1}),
	"reparametrised": row(figure{99, 100}, figure{74, 100}, figure{0, 0}, figure{98, 100}),
	"transformed":    row(figure{99, 100}, figure{75, 100}, figure{0, 0}, figure{99, 100}),
	"componentwise":  papersComponentwise,
	published:        papersComponentwise,
	"cmaes":          row(figure{0, -1}, figure{0, -1}, figure{100, -1}, figure{100, -1}),
}

var papersComponentwise = row(figure{98, 100}, figure{99, 100}, figure{1, 0}, figure{100, 100})

// row returns a row of the paper's table, with the problems in its order.
func row(rastrigin, like, norm, powers figure) map[string]figure {
	return map[string]figure{"rastrigin": rastrigin, "rastrigin-like": like, "squared-norm": norm, "different-powers": powers}
}
