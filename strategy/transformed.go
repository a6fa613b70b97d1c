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
// Config is as for CBO; its Noise is one in the coordinates of the frame.
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
	if _, everywhere := cfg.Noise.(cbo.Covariance); !everywhere { // which is the same in all coordinates
		cfg.Noise = cbo.Transformed{Frame: w, Of: cfg.Noise}
	}
	if cfg.Domain == nil && cfg.Mirror == nil {
		cfg.Domain = cbo.ClipIn{Frame: w, Radius: reach}
	}
	cfg.Box, cfg.Seed, cfg.Points = objective.Cube(f.Dim(), -1, 1), begun.Seed, begun.known
	if w.Components() < f.Dim() && begun.known == nil { // what f ignores stays put
		cfg.Points = seen(w, particles(swarmSize(cfg), f.Dim(), begun.Seed))
	}
	begun.Stage(byCBO)
	result, err := cbo.Run(ctx, f, inUnits(cfg, begun.Start, nil))
	outcome := begun.outcome(result.Status)
	outcome.Minimisers = result.Minimisers
	return outcome, err
}
