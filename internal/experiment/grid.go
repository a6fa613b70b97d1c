package experiment

import (
	"context"
	"fmt"
	"strings"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A Grid is a comparison: every method on every case at every seed. A run stops at the least
// of the targets, or when its budget is spent. At one seed all methods see the same function,
// and those that use CBO start from the same numbers.
//
// The lists hold values, so that anyone's problems and strategies can be in them: see the
// example. BuiltIn and MethodNamed return ours.
type Grid struct {
	Name    string   // what its files are called; "": it follows from the rest
	Cases   []Case   // no two with the same Key
	Methods []Method // no two with the same Name
	Runs    int      // of each method on each case, at Seed, Seed+1, …; 0: 15
	Seed    uint64
	Budget  Budget    // the most queries of a run; "": 1000*d
	Targets []float64 // gaps above the minimum, or values where it is not known; nil: DefaultTargets
}

// A Problem is what a case draws: a function, where to look for its minimum, and what that is.
//
// If it is a query.Cleaner, gaps and targets are those of clean values. If it has a
// method Bounds() objective.Box, nothing outside is queried. If it is an io.Closer, it is
// closed when its run is over.
type Problem interface {
	objective.Objective
	Domain() objective.Box // where a search starts
	Minimum() float64      // the least value of the function; NaN: nobody knows it
}

// A Case is a column of a grid: a problem of some dimension, drawn from a seed.
type Case struct {
	Problem string                             `json:"problem"` // its name
	Dim     int                                `json:"dim"`
	Mix     string                             `json:"mix,omitempty"`     // its mixing matrix; "": it has none
	Options string                             `json:"options,omitempty"` // what else was asked for, "map=sqrt noise=1e-06" for example; "": nothing
	New     func(seed uint64) (Problem, error) `json:"-"`
}

// Key names the case in a store: two cases with one key have the same runs.
func (c Case) Key() string {
	key := fmt.Sprintf("%s d=%d", c.Problem, c.Dim)
	if c.Mix != "" {
		key += " mix=" + c.Mix
	}
	return strings.TrimSpace(key + " " + c.Options)
}

// A Method is a row of a grid: one of our strategies, or another optimiser.
type Method struct {
	Name     string
	Title    string // for tables; "": the name
	TeX      string // the title in LaTeX; "": the title
	Settings string // what tells it from another method of the same name in a store; "": nothing
	Strategy strategy.Strategy
	Other    Minimizer // if it is not nil, it runs instead of the strategy

	Identifier identify.Identifier // how the strategy finds coordinates; nil: its own way
	// Frame makes the frame that the strategy starts from, without a query. Nil: it has none.
	Frame func(p Problem, seed uint64) (*frame.Frame, error)

	Unmixed bool // runs on g itself, not on f = g(W·)
	// Shared uses a frame that is found once for all such methods: by the Identifier, under
	// the name Road in the store; without one by the paper's road.
	Shared bool
	Road   string

	// Answers counts only what the strategy may give as its answer, and no trial on its way to
	// it (query.WithTrial). The run goes on after a success.
	Answers bool

	Runs   int    // at the first so many seeds only, if that is fewer than the grid has; 0: at all
	Budget Budget // the most queries of a run, if that is less than the grid allows; "": it is not
}

// Key names the method in a store.
func (m Method) Key() string { return strings.TrimSpace(m.Name + " " + m.Settings) }

// A Minimizer is an optimiser that is not one of our strategies. It looks for the minimum of
// f, which lies in the box for all it knows, until f returns an error or it is done. If that
// error is a reason to stop (the budget is spent, the target reached), Minimize returns nil.
type Minimizer interface {
	Minimize(ctx context.Context, f objective.Objective, box objective.Box, budget int, seed uint64) error
}
