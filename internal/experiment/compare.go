package experiment

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// A Comparison says how the methods of a grid fared: how often and how soon each reached the
// targets of each case, and which of two methods did better. It can write and draw itself.
// internal/experiment/MEASURES.md explains all measures.
type Comparison struct {
	Name    string    `json:"name"`
	Seed    uint64    `json:"seed"` // of the first run; the others have the seeds after it
	Runs    int       `json:"runs"` // of each method on each case
	Budget  Budget    `json:"budget"`
	Targets []float64 `json:"targets"` // descending
	Tally
	Methods  []Entrant  `json:"methods"`
	Cases    []Setup    `json:"cases"`
	Pairs    []Pair     `json:"pairs"`    // of methods: first those with the first method
	Runtimes []Runtimes `json:"runtimes"` // for each dimension in ascending order, then for all if there are several
	Cells    []Standing `json:"cells"`    // case after case, and of each case method after method

	Convergence bool `json:"-"` // it is drawn, too

	runs [][]store.Run // of each cell
}

// An Entrant is a method of a comparison.
type Entrant struct {
	Name     string `json:"name"`
	Title    string `json:"title,omitempty"`
	TeX      string `json:"tex,omitempty"`
	Settings string `json:"settings,omitempty"`
}

// key names the method as Method.Key does.
func (e Entrant) key() string { return Method{Name: e.Name, Settings: e.Settings}.Key() }

// A Setup is a case of a comparison.
type Setup struct {
	Case
	Budget int  `json:"budget"`
	Known  bool `json:"minimum_known"` // if not, gaps and targets are values
}

// setup returns a case with its budget.
func (k Case) setup(budget int, known bool) Setup {
	k.New = nil // it is drawn no more
	return Setup{k, budget, known}
}

// A Standing is how a method fared on a case. Infinite numbers are null in JSON. If there are
// no runs, nothing in it has a meaning.
type Standing struct {
	Setup
	Method string   `json:"method"`
	Runs   int      `json:"runs"`
	Gap    Quartile `json:"final_gap"` // of the points that the runs returned
	Rounds *int     `json:"rounds"`    // the median; nil if nobody counted them
	Goals  []Goal   `json:"targets"`   // one for each target
	// Own is the seconds that the method itself took for a query: Σ seconds / Σ queries. It
	// is nil if nobody measured them.
	Own *float64 `json:"own_seconds_per_query"`

	draws []float64 // of the ERT to the least target, with resampled runs
}

// A Goal is how often and how soon the runs of a cell reached a target.
type Goal struct {
	Target    float64  `json:"target"`
	Successes int      `json:"successes"`
	Low       float64  `json:"wilson_low"` // the 95 % interval of the rate of success
	High      float64  `json:"wilson_high"`
	ERT       Number   `json:"ert"`     // the expected running time
	ERTLow    Number   `json:"ert_low"` // its 95 % bootstrap interval
	ERTHigh   Number   `json:"ert_high"`
	Queries   Quartile `json:"queries"` // up to the target; infinite for runs that missed it
}

// A Quartile holds the three quartiles.
type Quartile struct {
	Lower  Number `json:"lower"`
	Median Number `json:"median"`
	Upper  Number `json:"upper"`
}

// quartile returns the quartiles of values, of which there is at least one.
func quartile(values []float64) Quartile {
	lower, median, upper := quartiles(values)
	return Quartile{Number(lower), Number(median), Number(upper)}
}

// Compare compares the methods of a grid by those of its runs that are in the store.
func (g Grid) Compare(ctx context.Context, s *store.Store) (Comparison, error) {
	all, err := s.All(ctx)
	if err != nil {
		return Comparison{}, err
	}
	return g.compare(ctx, all)
}

// compare compares the methods by runs, among which may be those of other grids.
func (g Grid) compare(ctx context.Context, all []store.Run) (Comparison, error) {
	c, err := g.frameOf()
	if err != nil {
		return c, incomplete(err)
	}
	sorted := g.byCell(all)
	for _, setup := range c.Cases {
		for _, m := range g.Methods {
			if ctx.Err() != nil {
				return c, context.Cause(ctx)
			}
			runs := sorted(setup.Key(), m)
			stream := rng.Seed(g.Seed).Stream("compare", "bootstrap", setup.Key(), m.Key())
			c.Cells = append(c.Cells, standing(setup, m.Name, runs, g.Targets, stream))
			c.runs = append(c.runs, runs)
			c.Done += len(runs)
		}
	}
	c.Pairs = c.pairs()
	c.Runtimes = c.runtimes()
	return c, nil
}

// byCell sorts runs, and returns who knows which are those of a method on a case of the grid.
func (g Grid) byCell(all []store.Run) func(of string, m Method) []store.Run {
	cells := map[cell][]store.Run{}
	for _, r := range all {
		k := cell{r.Problem, r.Method}
		cells[k] = append(cells[k], r)
	}
	return func(of string, m Method) (runs []store.Run) {
		for _, r := range cells[cell{of, m.Key()}] {
			if g.has(m, r.Seed) {
				runs = append(runs, r)
			}
		}
		return runs
	}
}

// frameOf returns the comparison of a grid without any run.
func (g Grid) frameOf() (Comparison, error) {
	c := Comparison{Name: g.Name, Seed: g.Seed, Runs: g.Runs, Budget: g.Budget, Targets: g.Targets}
	c.Total = g.total()
	if len(g.Targets) == 0 {
		return c, objective.BadOption("Targets", "none are given")
	}
	for _, m := range g.Methods {
		c.Methods = append(c.Methods, Entrant{Name: m.Name, Title: m.Title, TeX: m.TeX, Settings: m.Settings})
	}
	for _, k := range g.Cases {
		budget, err := g.Budget.At(k.Dim)
		if err != nil {
			return c, err
		}
		known, err := k.known(g.Seed)
		if err != nil {
			return c, fmt.Errorf("%s: %w", k.Key(), err)
		}
		c.Cases = append(c.Cases, k.setup(budget, known))
	}
	return c, nil
}

// known reports whether the minimum of a case is known.
func (k Case) known(seed uint64) (bool, error) {
	if k.New == nil {
		return true, nil
	}
	p, err := k.New(seed)
	if err != nil {
		return false, err
	}
	known := !math.IsNaN(p.Minimum())
	if closer, is := p.(io.Closer); is {
		closer.Close() // nothing was started
	}
	return known, nil
}

// standing sums up the runs of a method on a case.
func standing(setup Setup, method string, runs []store.Run, targets []float64, stream *rng.Stream) Standing {
	s := Standing{Setup: setup, Method: method, Runs: len(runs)}
	if len(runs) == 0 {
		s.Gap = Quartile{nothing, nothing, nothing}
		for _, target := range targets {
			s.Goals = append(s.Goals, Goal{Target: target, High: 1, ERT: nothing, ERTLow: nothing, ERTHigh: nothing, Queries: s.Gap})
		}
		return s
	}
	spent := efforts(runs, targets)
	draws := bootstrap(spent, stream)
	for t, target := range targets {
		s.Goals = append(s.Goals, goal(target, spent[t], draws[t]))
	}
	s.draws = draws[len(draws)-1]
	var gaps, rounds []float64
	queries, own := 0, 0.0
	for _, r := range runs {
		gaps = append(gaps, r.Gap)
		if r.Rounds > 0 {
			rounds = append(rounds, float64(r.Rounds))
		}
		queries += r.Queries
		own += r.Own
	}
	s.Gap = quartile(gaps)
	if len(rounds) > 0 {
		_, median, _ := quartiles(rounds)
		s.Rounds = new(int(median))
	}
	if own > 0 && queries > 0 {
		s.Own = new(own / float64(queries))
	}
	return s
}

// goal sums up what runs spent on a target.
func goal(target float64, runs []effort, draws []float64) Goal {
	g := Goal{Target: target, Successes: reached(runs), ERT: Number(ert(runs))}
	g.Low, g.High = wilson(g.Successes, len(runs))
	low, high := interval(draws)
	g.ERTLow, g.ERTHigh = Number(low), Number(high)
	if len(runs) < 2 { // what is drawn is always the same
		g.ERTLow, g.ERTHigh = nothing, nothing
	}
	var queries []float64
	for _, e := range runs {
		if e.reached {
			queries = append(queries, float64(e.queries))
		} else {
			queries = append(queries, math.Inf(1))
		}
	}
	g.Queries = quartile(queries)
	return g
}

// cell returns the standing of the j-th method on the i-th case, and its runs.
func (c *Comparison) cell(i, j int) (*Standing, []store.Run) {
	k := i*len(c.Methods) + j
	if c.runs == nil { // the comparison was read from a file
		return &c.Cells[k], nil
	}
	return &c.Cells[k], c.runs[k]
}

// last returns the goal that is hardest to reach.
func (s *Standing) last() Goal { return s.Goals[len(s.Goals)-1] }
