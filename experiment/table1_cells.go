package experiment

import (
	"context"
	"slices"

	"github.com/untwist/untwist/store"
)

// A Table says for each method how often it came within the gap on each problem.
type Table struct {
	Grid  Table1 `json:"grid"`
	Done  int    `json:"done"` // how many of Total runs are done
	Total int    `json:"total"`
	Cells []Cell `json:"cells"` // method after method
	runs  []store.Run
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
	// P is the p-value of Fisher's exact test that both have the same rate of success. It
	// is nil where the settings are not the paper's.
	P       *float64 `json:"fisher_p"`
	Seconds float64  `json:"seconds"` // the mean time of a run
}

// Tabulate makes the table of a complete grid from the runs that are in the store.
func (g Table1) Tabulate(ctx context.Context, s *store.Store) (Table, error) {
	all, err := s.All(ctx)
	if err != nil {
		return Table{}, err
	}
	grid := g.grid()
	t := Table{Grid: g, Total: grid.total()}
	for _, m := range grid.Methods {
		for _, of := range grid.Cases {
			var runs []store.Run
			for _, r := range all {
				if r.Method == m.Key() && r.Problem == of.Key() && r.Seed-g.Seed < uint64(g.Runs) {
					r.Problem = of.Problem
					runs = append(runs, r)
				}
			}
			c := newCell(m.Name, of.Problem, runs, g.Dim)
			c.compare(g.likePaper())
			t.Cells = append(t.Cells, c)
			t.runs = append(t.runs, runs...)
		}
	}
	t.Done = len(t.runs)
	return t, nil
}

// newCell sums up runs in d dimensions.
func newCell(method, problem string, runs []store.Run, d int) Cell {
	c := Cell{Method: method, Problem: problem, Runs: len(runs)}
	var reached []int
	recovered, frames := 0, 0
	for _, r := range runs {
		if r.Reached > 0 {
			reached = append(reached, r.Reached)
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
	if frames > 0 {
		c.Recovered = new(100 * float64(recovered) / float64(frames*d))
	}
	return c
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
	if same && c.Runs > 0 {
		c.P = new(fisher(c.Successes, c.Runs, p.success, papersRuns))
	}
}

// papersRuns is the number of runs behind each of the paper's figures.
const papersRuns = 100

// likePaper reports whether the settings are those of the paper.
func (g Table1) likePaper() bool {
	return g.Dim == 100 && g.Budget == 5_000_000 && g.Gap == 0.005 && g.Mix == "paper"
}

// A figure is an entry of the paper's table, in percent; -1 where it has none.
type figure struct{ success, recovered int }

// papersTable is Table 1 of the paper, section 4.
var papersTable = map[string]map[string]figure{
	"cbo-on-g":       row(figure{100, -1}, figure{88, -1}, figure{100, -1}, figure{100, -1}),
	"cbo":            row(figure{0, -1}, figure{0, -1}, figure{0, -1}, figure{0, -1}),
	"reparametrised": row(figure{99, 100}, figure{74, 100}, figure{0, 0}, figure{98, 100}),
	"transformed":    row(figure{99, 100}, figure{75, 100}, figure{0, 0}, figure{99, 100}),
	"componentwise":  row(figure{98, 100}, figure{99, 100}, figure{1, 0}, figure{100, 100}),
	"cmaes":          row(figure{0, -1}, figure{0, -1}, figure{100, -1}, figure{100, -1}),
}

// row returns a row of the paper's table, with the problems in its order.
func row(rastrigin, like, norm, powers figure) map[string]figure {
	return map[string]figure{"rastrigin": rastrigin, "rastrigin-like": like, "squared-norm": norm, "different-powers": powers}
}
