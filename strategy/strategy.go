// Package strategy holds whole ways to minimise a function, a file each.
//
// A Strategy sees the objective in scaled coordinates, in which the box where
// the search starts is [-1, 1]^d, asks for batches of points, and stops when
// it is done or when the objective says that the budget is spent or the target
// reached. Which point is best is not its business: whoever calls it keeps a
// record of all queries. Start with Named, or with a strategy's own type.
package strategy

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Strategy is a whole way to minimise a function. Its zero value is usable
// and has the defaults.
type Strategy interface {
	// Name returns the name by which Named knows the strategy.
	Name() string
	// Minimize searches for the minimum of f. An error is a failure, or an
	// *objective.OptionError found before the first query; that the budget is
	// spent is a status.
	Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error)
}

// A Task is what a strategy is told besides f, all in scaled coordinates.
type Task struct {
	// Bounds limit where f may be asked; their sides may be infinite.
	Bounds objective.Box
	// Points are known good points to start from, or nil.
	Points *mat.Dense
	// Frame has the coordinates in which f is known to separate, and Blocks those
	// of its components that f couples (nil: none); nil: they are not known. For
	// strategies that look for them otherwise.
	Frame  *frame.Frame
	Blocks [][]int
	// Identifier is how to look for them otherwise; nil: the strategy's own way.
	Identifier identify.Identifier
	// Budget is how many queries f has left.
	Budget int
	// Seed determines all randomness.
	Seed uint64
	// Stage tells the user what is being done from now on, in a word.
	Stage func(objective.Stage)
}

// bounded reports whether anything limits where f may be asked.
func (t Task) bounded() bool {
	finite := func(v float64) bool { return !math.IsInf(v, 0) }
	return slices.ContainsFunc(t.Bounds.Lo, finite) || slices.ContainsFunc(t.Bounds.Hi, finite)
}

// An Outcome is what a strategy has to say when it stops.
type Outcome struct {
	Status objective.Status
	// Learnt is what was found out about f; nil: nothing was looked for.
	Learnt *Learnt
}

// Knobs are the settings that a user may turn without knowing a strategy's own
// type. 0 particles, or nil, leave a strategy's default.
type Knobs struct {
	Particles int      // how many particles
	Sigma     *float64 // strength of the noise
	Tau       *float64 // step size
	Alpha     *float64 // exponent of the weights at the start
}

// makers makes each strategy, the default first.
var makers = []func(Knobs) Strategy{
	func(Knobs) Strategy { return Auto{} },
	func(k Knobs) Strategy { return Reparametrised{k.config()} },
	func(k Knobs) Strategy { return Transformed{k.config()} },
	func(k Knobs) Strategy { return Componentwise{k.config()} },
	func(k Knobs) Strategy { return CBO{k.config()} },
	func(k Knobs) Strategy { return IsotropicCBO{k.config()} },
	func(k Knobs) Strategy { return CMAES{k.series()} },
}

// Names returns the names of all strategies, the default first.
func Names() []string {
	var names []string
	for _, make := range makers {
		names = append(names, make(Knobs{}).Name())
	}
	return names
}

// Default returns the strategy that is used where none is named.
func Default() Strategy { return makers[0](Knobs{}) }

// Named returns the strategy of that name.
func Named(name string, knobs Knobs) (Strategy, error) {
	for _, make := range makers {
		if s := make(knobs); s.Name() == name {
			return s, knobs.check(s)
		}
	}
	return nil, objective.BadOption("Strategy", "unknown strategy %q: one of %s", name, strings.Join(Names(), ", "))
}

// check returns an error if a knob is turned that a strategy does not have.
func (k Knobs) check(s Strategy) error {
	given := map[string]bool{"Particles": k.Particles != 0, "Sigma": k.Sigma != nil, "Tau": k.Tau != nil, "Alpha": k.Alpha != nil}
	var without []string
	switch s.(type) {
	case Auto:
		without = []string{"Particles", "Sigma", "Tau", "Alpha"}
	case CMAES:
		without = []string{"Tau", "Alpha"}
	}
	for _, knob := range without {
		if given[knob] {
			return objective.BadOption(knob, "strategy %s has none: see the others, %s", s.Name(), strings.Join(Names()[1:], ", "))
		}
	}
	return nil
}
