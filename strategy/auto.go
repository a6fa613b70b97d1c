package strategy

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Auto finds the coordinates in which f separates, minimises along each of them,
// and polishes the result by Newton steps; within bounds, where a minimum may be on
// a face or in a corner, one run of CMA-ES follows. Where f does not separate, or
// the budget is too small to find out (3d² + 50d), it is CMA-ES from the best point
// known.
type Auto struct{}

// Name returns "auto".
func (Auto) Name() string { return "auto" }

// Minimize spends the budget as f deserves.
func (Auto) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	a := &auto{ctx: ctx, f: &watched{Objective: f}, task: task}
	err := a.run()
	switch {
	case err == nil:
		return Outcome{objective.Converged}, nil
	case errors.Is(err, errSearched):
		return Outcome{a.status}, nil
	}
	status, err := objective.StatusOf(ctx, err)
	return Outcome{status}, err
}

// The error of a frame up to which it is not refined for the search, since sweeps
// from better points mend the rest; and up to which it is used at all.
const rough, usable = 0.006, 0.05

// errSearched says that a search has ended the run, with auto.status.
var errSearched = errors.New("searched")

// watched keeps the best point that passes.
type watched struct {
	objective.Objective
	best objective.Best
}

// Evaluate evaluates f.
func (w *watched) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	objective.Clear(values)
	err := w.Objective.Evaluate(ctx, points, values)
	w.best.OfferAll(points, values[:objective.Evaluated(values)])
	return err
}

// An auto is a run of Auto.
type auto struct {
	ctx    context.Context
	f      *watched
	task   Task
	status objective.Status // with errSearched
}

// run decides what to do.
func (a *auto) run() error {
	if a.task.Points != nil {
		if _, err := evaluateAll(a.ctx, a.f, a.task.Points); err != nil {
			return err
		}
	}
	d := a.f.Dim()
	if a.task.Budget < 3*d*d+50*d { // too little to find coordinates
		return a.search()
	}
	found, err := identify.Survey{
		Box: objective.Cube(d, -1, 1), Bounds: a.task.Bounds, Stage: a.task.Stage,
		Measures: 3, Tolerance: rough,
	}.Identify(a.ctx, a.f, rng.Seed(a.task.Seed))
	switch {
	case errors.Is(err, identify.ErrConstant):
		return nil
	case errors.Is(err, identify.ErrNotFinite), errors.Is(err, identify.ErrSingular):
		return a.search()
	case err != nil:
		return err
	case len(found.Blocks) < found.Frame.Components(),
		found.Certificate.Verdict != identify.Separable && found.Residual > usable:
		return a.search()
	}
	return a.along(found)
}

// search runs CMA-ES with all that is left.
func (a *auto) search() error {
	a.task.Stage("cmaes")
	s := cmaes.Series{
		Run: cmaes.Config{Sigma: 0.6, Bounds: a.task.Bounds, Mean: slices.Clone(a.f.best.Point)},
		Box: objective.Cube(a.f.Dim(), -1, 1), Seed: a.task.Seed,
	}
	r, err := s.Minimize(a.ctx, a.f)
	if err != nil {
		return err
	}
	a.status = r.Status
	return errSearched
}

// along minimises along the components of a frame, in sweeps: the first over the
// whole range, later ones near the best point and in the other wells, where an
// error of the frame times the slopes at the first point may have misled it; with
// Newton steps between them, until nothing gets better, over the whole range
// neither.
func (a *auto) along(found *identify.Finding) error {
	u := mat.DenseCopyOf(found.Frame.Inverse().T())
	if found.Quadratic {
		a.task.Stage("polish")
		return a.polish(u, found.Scale, true)
	}
	s := &sweeper{auto: a, found: found, u: u, wells: make([][]float64, len(found.Scale))}
	wide := true
	for range 20 {
		before := a.f.best.Value
		a.task.Stage("lines")
		if err := s.sweep(wide); err != nil {
			return err
		}
		a.task.Stage("polish")
		if err := a.polish(u, found.Scale, false); err != nil {
			return err
		}
		settled := before-a.f.best.Value <= 1e-12*math.Abs(before)
		if settled && wide {
			return a.finish()
		}
		wide = settled // once more over the whole range before it is believed
	}
	return nil
}

// finish runs CMA-ES once from the best point if there are bounds.
func (a *auto) finish() error {
	inf := math.Inf(1)
	if !slices.ContainsFunc(a.task.Bounds.Lo, func(v float64) bool { return v > -inf }) &&
		!slices.ContainsFunc(a.task.Bounds.Hi, func(v float64) bool { return v < inf }) {
		return nil
	}
	a.task.Stage("cmaes")
	r, err := cmaes.Run(a.ctx, a.f, cmaes.Config{
		Mean: slices.Clone(a.f.best.Point), Sigma: 0.02, Bounds: a.task.Bounds,
		Stream: rng.Seed(a.task.Seed).Stream("auto", "finish"),
	})
	if err == nil {
		a.status, err = r.Status, errSearched
	}
	return err
}

// polish takes Newton steps in the frame, where the Hessian is diagonal, from the
// best point, as long as they help.
func (a *auto) polish(u *mat.Dense, scale []float64, quadratic bool) error {
	m := len(scale)
	for range 60 {
		x, fx := slices.Clone(a.f.best.Point), a.f.best.Value
		values, err := objective.Ask(a.ctx, a.f, 2*m, func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, [2]float64{1, -1}[k%2]*scale[k/2]/50, u.RawRowView(k/2))
		})
		if err != nil {
			return err
		}
		step := make([]float64, len(x))
		for j := range m {
			eps, up, down := scale[j]/50, values[2*j]-fx, values[2*j+1]-fx
			slope, bend := (up-down)/(2*eps), (up+down)/(eps*eps)
			t := -math.Copysign(scale[j]/4, slope)
			if bend > 0 {
				if t = -slope / bend; !quadratic {
					t = min(max(t, -scale[j]), scale[j])
				}
			}
			if math.IsNaN(t) || math.IsInf(slope, 0) {
				continue // f failed beside x
			}
			kernel.AddScaled(step, t, u.RawRowView(j))
		}
		if better, err := a.descend(x, step); !better || err != nil {
			return err
		}
		if fx-a.f.best.Value <= 1e-13*math.Abs(fx) {
			return nil
		}
	}
	return nil
}

// descend asks for x + step, then for shorter steps together, and reports whether
// any is better than the best point known.
func (a *auto) descend(x, step []float64) (bool, error) {
	before := a.f.best.Value
	for _, parts := range [][]float64{{1}, {0.5, 0.25, 0.1, 0.01}} {
		if _, err := objective.Ask(a.ctx, a.f, len(parts), func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, parts[k], step)
		}); err != nil {
			return false, err
		}
		if a.f.best.Value < before {
			return true, nil
		}
	}
	return false, nil
}
