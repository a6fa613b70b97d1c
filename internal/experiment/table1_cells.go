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
	grid := g.grid()
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
