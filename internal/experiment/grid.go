// Package experiment compares methods on problems, and repeats the paper's experiments, from
// their settings to their pictures.
//
// A Grid is case × method × seed, where a case is a problem of some dimension. Its cases and
// methods are values, so that anyone's problems, strategies and optimisers can be in it. Run
// makes its runs and keeps each in a store as it finishes. Compare makes a Comparison of them,
// which can write and draw itself. Start there, with Table1, which is the paper's table, or
// with Figure1. The same seed gives the same bits, except for times. Only methods named Write
// or Draw write files; while runs are made only the store is written.
//
// Reference: Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions", section 4.
package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/powermethod"
	"github.com/untwist/untwist/problem"
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

// methods holds all methods. Those of the paper's table come first, in its order, with a row
// for what the published experiment does in one of them, and then auto.
var methods = []Method{
	{Name: "cbo-on-g", Title: "CBO on g", TeX: "CBO on $g$", Strategy: strategy.CBO{}, Unmixed: true},
	{Name: "cbo", Title: "CBO on f", TeX: "CBO on $f$", Strategy: strategy.CBO{}},
	{Name: "reparametrised", Title: "CBO on g̃ = f(W̃†·)", TeX: `CBO on $\tilde g = f(\tilde W^\dagger\,\cdot)$`, Strategy: strategy.Reparametrised{}, Shared: true},
	{Name: "transformed", Title: "CBO on f, transformed noise", TeX: "CBO on $f$, transformed noise", Strategy: strategy.Transformed{}, Shared: true},
	{Name: "componentwise", Title: "componentwise CBO on g̃", TeX: `componentwise CBO on $\tilde g$`, Strategy: strategy.Componentwise{}, Shared: true},
	{
		Name: "componentwise-published", Title: "componentwise CBO, as published", TeX: "componentwise CBO, as published", Strategy: strategy.Componentwise{},
		Shared: true, Identifier: allLimits, Road: "all-limits", Answers: true,
	},
	{Name: "cmaes", Title: "BIPOP-CMA-ES on f", TeX: "BIPOP-CMA-ES on $f$", Strategy: strategy.CMAES{}},
	{Name: "auto", Title: "auto (not in the paper)", TeX: "auto (not in the paper)", Strategy: untwist.DefaultStrategy()},
	{Name: "cbo-isotropic", Title: "isotropic CBO on f", TeX: "isotropic CBO on $f$", Strategy: strategy.IsotropicCBO{}},
	{Name: "descent", Title: "descents from random points", TeX: "descents from random points", Strategy: strategy.Descent{}},
	{Name: "online", Title: "CBO on f, frame learnt online", TeX: "CBO on $f$, frame learnt online", Strategy: strategy.Online{}},
	{
		Name: "componentwise-all-limits", Title: "componentwise CBO, all limits kept", TeX: "componentwise CBO, all limits kept", Strategy: strategy.Componentwise{},
		Shared: true, Identifier: allLimits, Road: "all-limits",
	},
}

// published is the row of the table that does what the authors' published experiment does with
// componentwise CBO: it keeps all limits of the power method, and only W̃†s counts.
const published = "componentwise-published"

// allLimits finds frames as the published experiment does.
var allLimits = identify.Paper{Power: powermethod.Method{Selection: powermethod.AllLimits{}}}

// identification is the part that the shared methods have in common. Its runs are stored
// beside theirs.
var identification = Method{Name: strategy.Identification{}.Name(), Strategy: strategy.Identification{}, Identifier: identify.Paper{}}

// finder is how the frame is found that a method shares with others.
func (m Method) finder() Method {
	by := identification
	if m.Identifier != nil {
		by.Identifier, by.Settings = m.Identifier, m.Road
	}
	return by
}

// most returns the most queries of a run in d dimensions.
func (g Grid) most(m Method, d int) (int, error) {
	all, err := g.Budget.At(d)
	if err != nil || m.Budget == "" {
		return all, err
	}
	own, err := m.Budget.At(d)
	return min(own, all), err
}

// MethodNames returns the names of all methods, those of the paper's table first.
func MethodNames() []string { return unique(methods, func(m Method) string { return m.Name }) }

// MethodNamed returns the method with the given name. Its titles are those of the paper's
// table.
func MethodNamed(name string) (Method, error) {
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, objective.BadOption("Methods", "unknown method %q: must be one of %s", name, strings.Join(MethodNames(), ", "))
	}
	return methods[i], nil
}

// Suits returns an *objective.OptionError if the method cannot run on a built-in problem: it
// is Unmixed, and the problem is never without its mix.
func (m Method) Suits(spec problem.Spec) error {
	spec.Mix = "none"
	if m.Unmixed && spec.Complete() != nil {
		return objective.BadOption("Methods", "%s runs on the unmixed function, which %s does not have", m.Name, spec.Name)
	}
	return nil
}

// BuiltIn returns the case of a built-in problem. The seed of the spec does not matter: each
// run has its own.
func BuiltIn(spec problem.Spec) (Case, error) {
	d := spec.Components
	if err := spec.Complete(); err != nil {
		return Case{}, err
	}
	options := spec.Blemishes.String()
	if d != 0 && d != spec.Dim {
		options = strings.TrimSpace(fmt.Sprintf("components=%d %s", d, options))
	}
	return Case{
		Problem: spec.Name, Dim: spec.Dim, Mix: spec.Mix, Options: options,
		New: func(seed uint64) (Problem, error) {
			spec := spec
			spec.Seed = seed
			p, err := problem.New(spec)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
	}, nil
}

func builtIns(names []string, dim int, mix string) (all []Case, err error) {
	for _, name := range names {
		c, err := BuiltIn(problem.Spec{Name: name, Dim: dim, Mix: mix})
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}
