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
	known, found, err := framed(ctx, f, task)
	if err != nil || found.Frame == nil {
		return ended(ctx, found, err)
	}
	cfg := t.Config
	cfg.Noise = cbo.Transformed{Frame: found.Frame}
	cfg.Domain = cbo.ClipIn{Frame: found.Frame, Radius: reach}
	cfg.Box, cfg.Seed, cfg.Points = objective.Cube(f.Dim(), -1, 1), task.Seed, known
	if found.Frame.Components() < f.Dim() && known == nil { // what f ignores stays put
		cfg.Points = seen(found.Frame, particles(swarmSize(cfg), f.Dim(), task.Seed))
	}
	task.Stage(objective.Stage{Name: "cbo", Purpose: objective.ToSearch})
	result, err := cbo.Run(ctx, f, cfg)
	return Outcome{result.Status, &Learnt{Finding: found}}, err
}
