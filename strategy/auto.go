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
	"github.com/untwist/untwist/line"
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

// A sweeper goes along all components at once.
type sweeper struct {
	*auto
	found *identify.Finding
	u     *mat.Dense
	wells [][]float64 // the coordinates y_j of the wells of each component
}

// sweep minimises along every component, from the best point, and asks for the
// point where all minima meet.
func (s *sweeper) sweep(first bool) error {
	x, fx := slices.Clone(s.f.best.Point), s.f.best.Value
	var ranges []line.Range
	var component []int
	for j := range s.wells {
		for _, r := range s.ranges(j, x, first) {
			ranges, component = append(ranges, r), append(component, j)
		}
	}
	directions := mat.NewDense(len(ranges), len(x), nil)
	for k, j := range component {
		directions.SetRow(k, s.u.RawRowView(j))
	}
	cfg := line.Config{Tolerance: 1e-2}
	if !first {
		cfg = line.Config{Tolerance: 1e-3, Wells: 1, Widen: 1}
	}
	profiles, err := line.Minimize(s.ctx, s.f, x, fx, directions, ranges, cfg)
	if err != nil {
		return err
	}
	best := make([]line.Well, len(s.wells))
	for k, p := range profiles {
		j := component[k]
		if y := kernel.Dot(s.found.Frame.Matrix().RawRowView(j), x); first {
			s.wells[j] = s.wells[j][:0]
			for _, w := range p.Wells {
				s.wells[j] = append(s.wells[j], y+w.T)
			}
		}
		if w := p.Wells[0]; best[j].Value == 0 && best[j].T == 0 || w.Value < best[j].Value {
			best[j] = w
		}
	}
	for j, w := range best {
		kernel.AddScaled(x, w.T, s.u.RawRowView(j))
	}
	_, err = objective.Ask(s.ctx, s.f, 1, func(_ int, row []float64) { copy(row, x) })
	return err
}

// ranges returns where to look along a component from x: everywhere first, then
// near x and around the other wells.
func (s *sweeper) ranges(j int, x []float64, first bool) []line.Range {
	row, scale := s.found.Frame.Matrix().RawRowView(j), s.found.Scale[j]
	y := kernel.Dot(row, x)
	least, most := limits(s.task.Bounds, x, s.u.RawRowView(j))
	span := func(lo, hi float64) line.Range {
		return line.Range{Lo: max(lo, least), Hi: min(hi, most), Step: 0.8 * scale, Least: least, Most: most}
	}
	if first { // ⟨w, x⟩ is within 3 standard deviations of the box's centre
		reach := math.Sqrt(3 * kernel.Dot(row, row))
		return []line.Range{span(-reach-y, reach-y)}
	}
	all := []line.Range{span(-scale, scale)}
	for _, w := range s.wells[j] {
		if lo, hi := w-y-float64(scale/2), w-y+float64(scale/2); math.Abs(w-y) > scale && lo > least && hi < most {
			all = append(all, span(lo, hi))
		}
	}
	return all
}

// limits returns how far one may go from x along u within bounds.
func limits(bounds objective.Box, x, u []float64) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	for k, v := range u {
		lo, hi := (bounds.Lo[k]-x[k])/v, (bounds.Hi[k]-x[k])/v
		if v < 0 {
			lo, hi = hi, lo
		}
		if v != 0 {
			least, most = max(least, lo), min(most, hi)
		}
	}
	return least, most
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
