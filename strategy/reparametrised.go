package strategy

import (
	"context"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Reparametrised is consensus-based optimisation of g̃(s) = f(W̃†s), the paper's first
// method (section 3.1): anisotropic noise in the coordinates of a frame, which is given or
// found first. Particles start at the same numbers as those of CBO, read as coordinates s.
//
// Config is as for CBO, but that no set can be given: it would be one of the coordinates s.
type Reparametrised struct{ Config cbo.Config }

// Name returns "reparametrised".
func (Reparametrised) Name() string { return "reparametrised" }

// Minimize finds a frame and runs CBO in it until it converges or the budget is spent.
func (r Reparametrised) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	if err := noSet(r, r.Config); err != nil {
		return Outcome{Status: objective.Failed}, err
	}
	begun, err := frameFor(ctx, f, task)
	if err != nil {
		return begun.ended(ctx, err)
	}
	w := begun.found.Frame
	g := w.Compose(f)
	cfg := r.Config
	cfg.Box, cfg.Seed = objective.Cube(g.Dim(), -1, 1), begun.Seed
	if begun.known != nil {
		cfg.Points = mat.NewDense(1, g.Dim(), nil)
		w.Coordinates(cfg.Points, begun.known)
	}
	begun.Stage(byCBO)
	result, err := cbo.Run(ctx, g, inUnits(cfg, begun.Start, w))
	outcome := begun.outcome(result.Status)
	for _, m := range result.Minimisers {
		m.Point = combine(w, m.Point)
		outcome.Minimisers = append(outcome.Minimisers, m)
	}
	return outcome, err
}

// noSet refuses settings of a strategy with a set of the user's coordinates.
func noSet(s Strategy, cfg cbo.Config) error {
	set := cfg.Mirror != nil
	switch cfg.Domain.(type) {
	case cbo.Scaled, cbo.Clamp:
		set = true
	}
	if set {
		return objective.BadOption("CBO", "strategy %s moves particles in other coordinates than those of a set; cbo, transformed and online do not", s.Name())
	}
	return nil
}
