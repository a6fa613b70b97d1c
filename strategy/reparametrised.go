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
// Config is as for CBO.
type Reparametrised struct{ Config cbo.Config }

// Name returns "reparametrised".
func (Reparametrised) Name() string { return "reparametrised" }

// Minimize finds a frame and runs CBO in it until it converges or the budget is spent.
func (r Reparametrised) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
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
	result, err := cbo.Run(ctx, g, cfg)
	return begun.outcome(result.Status), err
}
