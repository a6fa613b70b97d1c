package strategy

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// CBO is consensus-based optimisation with anisotropic noise in the user's own
// coordinates: the paper's "CBO on f". It does well where f separates in these
// coordinates and fails where it does not. It depends on the units of f: the
// weights exp(−αf) tell two values apart when they differ by more than 1/α,
// 1e-2 at the start and 1e-5 in the end; multiply a function whose values
// differ by much less.
//
// Config's zero values are the paper's settings. Its Box, Points and Seed are
// set from the task, and so is its Domain unless it is given; a Domain or a Mirror that is
// given has to keep particles within the bounds itself. Sets are in the user's units if they
// are cbo.Scaled, and Observe is shown states in these; where parameters are searched on
// a logarithmic scale, the units are logarithms.
type CBO struct{ Config cbo.Config }

// Name returns "cbo".
func (CBO) Name() string { return "cbo" }

// Minimize runs CBO until it converges or the budget is spent.
func (c CBO) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	return runCBO(ctx, f, c, task, c.Config)
}

// IsotropicCBO is consensus-based optimisation with isotropic noise, ‖x−c‖ξ.
// It is the same in all coordinates, and good in few dimensions only.
//
// Config is as for CBO, but for Noise, which is isotropic unless it is another, and for
// Sigma, whose default is √(2/d) (see cbo.Isotropic). Of 0.7, 1, 1.4, 2, 3, 4 and 6 times 1/√d, 1.4 was best or nearly so
// on the squared norm, Rastrigin and Ackley in 5, 10 and 30 dimensions; in 2
// dimensions more noise is better.
type IsotropicCBO struct{ Config cbo.Config }

// Name returns "cbo-isotropic".
func (IsotropicCBO) Name() string { return "cbo-isotropic" }

// Minimize runs CBO until it converges or the budget is spent.
func (c IsotropicCBO) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	cfg := c.Config
	switch noise := cfg.Noise.(type) {
	case nil:
		cfg.Noise = cbo.Isotropic{}
	case cbo.Truncated:
		if noise.Of == nil {
			cfg.Noise = cbo.Truncated{Of: cbo.Isotropic{}, Most: noise.Most}
		}
	}
	return runCBO(ctx, f, c, task, cfg)
}

// runCBO runs the settings of a strategy on the task.
func runCBO(ctx context.Context, f objective.Objective, s Strategy, task Task, cfg cbo.Config) (Outcome, error) {
	task, err := task.asGiven(s, f.Dim())
	if err != nil {
		return Outcome{Status: objective.Failed}, err
	}
	task.Stage(byCBO)
	cfg.Box = objective.Cube(f.Dim(), -1, 1)
	if cfg.Batch == 0 && cfg.Particles > task.Budget {
		cfg.Particles = task.Budget // the others would never be evaluated
	}
	cfg.Points = task.Points
	if cfg.Domain == nil && cfg.Mirror == nil {
		cfg.Domain = inside(task.Bounds)
	}
	cfg.Seed = task.Seed
	result, err := cbo.Run(ctx, f, inUnits(cfg, task.Start, nil))
	return Outcome{Status: result.Status, Minimisers: result.Minimisers}, err
}

// inUnits returns cfg with sets in the user's units, and shows states in these to its
// observer. The particles are in scaled coordinates, or in those of a frame.
func inUnits(cfg cbo.Config, start objective.Box, w *frame.Frame) cbo.Config {
	cfg = cfg.InUnits(start)
	observe := cfg.Observe
	if scaled := objective.Cube(len(start.Lo), -1, 1); observe == nil || w == nil && slices.Equal(start.Lo, scaled.Lo) && slices.Equal(start.Hi, scaled.Hi) {
		return cfg
	}
	cfg.Observe = func(s cbo.State) {
		n, _ := s.Particles.Dims()
		c := mat.NewDense(1, len(s.Consensus), s.Consensus)
		x, centre := mat.DenseCopyOf(s.Particles), mat.DenseCopyOf(c)
		if w != nil {
			x, centre = mat.NewDense(n, w.Dim(), nil), mat.NewDense(1, w.Dim(), nil)
			w.Points(x, s.Particles)
			w.Points(centre, c)
		}
		unscale := func(_, j int, v float64) float64 {
			half := float64((start.Hi[j] - start.Lo[j]) / 2)
			return start.Lo[j] + half + float64(half*v)
		}
		x.Apply(unscale, x)
		centre.Apply(unscale, centre)
		s.Particles, s.Consensus = x, centre.RawRowView(0)
		observe(s)
	}
	return cfg
}

// reach is how far from the start box particles may be thrown, in its
// half-widths. The paper clips at 1e8 in the units of x; in scaled coordinates
// that number means the same for every objective.
const reach = 1e8

// inside keeps particles within reach and bounds: where there is a bound by
// reflection, else by clipping.
func inside(bounds objective.Box) cbo.Domain {
	limited := false
	box := objective.Cube(len(bounds.Lo), -reach, reach)
	for i := range bounds.Lo {
		limited = limited || !math.IsInf(bounds.Lo[i], -1) || !math.IsInf(bounds.Hi[i], 1)
		box.Lo[i] = max(box.Lo[i], bounds.Lo[i])
		box.Hi[i] = min(box.Hi[i], bounds.Hi[i])
	}
	if limited {
		return cbo.Reflect{Box: box}
	}
	return cbo.Clip{Radius: reach}
}

// PapersAlpha is the paper's schedule of the exponent α: it grows by half a percent a
// step, from start up to 1e5, and stays where it is if it starts above that.
func PapersAlpha(start float64) cbo.Schedule {
	return cbo.Geometric{Start: start, Factor: 1.005, Limit: max(start, 1e5)}
}

// PapersLine fills in the paper's settings for a search along a line: τ = 0.01, σ = 1.1, α
// from 1.
func PapersLine(cfg cbo.Config) cbo.Config {
	cfg.Tau = cmp.Or(cfg.Tau, 0.01)
	if cfg.Sigma == nil {
		cfg.Sigma = cbo.Constant(1.1)
	}
	if cfg.Alpha == nil {
		cfg.Alpha = PapersAlpha(1)
	}
	return cfg
}
