package strategy

import (
	"context"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/objective"
)

// Transformed is consensus-based optimisation of f with noise transformed by a frame,
// W̃†diag(W̃(x−c))ξ, the paper's second method (section 3.2). Particles start where those
// of CBO do, and are clipped in the coordinates of the frame.
//
// Config is as for CBO, but for its Noise and Domain, which are set.
type Transformed struct{ Config cbo.Config }

// Name returns "transformed".
func (Transformed) Name() string { return "transformed" }

// Minimize finds a frame and runs CBO until it converges or the budget is spent.
func (t Transformed) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	begun, err := frameFor(ctx, f, task)
	if err != nil {
		return begun.ended(ctx, err)
	}
	w := begun.found.Frame
	cfg := t.Config
	cfg.Noise = cbo.Transformed{Frame: w}
	cfg.Domain = cbo.ClipIn{Frame: w, Radius: reach}
	cfg.Box, cfg.Seed, cfg.Points = objective.Cube(f.Dim(), -1, 1), begun.Seed, begun.known
	if w.Components() < f.Dim() && begun.known == nil { // what f ignores stays put
		cfg.Points = seen(w, particles(swarmSize(cfg), f.Dim(), begun.Seed))
	}
	begun.Stage(byCBO)
	result, err := cbo.Run(ctx, f, cfg)
	return begun.outcome(result.Status), err
}
