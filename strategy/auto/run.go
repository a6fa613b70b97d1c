package auto

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A run decides what to do. Its methods read like "What it does" in docs/auto.md.
//
// Where a method returns a Status, Running says that the run has not come to its end
// there, so that something else follows.
type run struct {
	f        *watched
	task     strategy.Task
	explorer line.Explorer // of the first lines
	fallback *fallback
	learnt   *strategy.Learnt
}

func newRun(f objective.Objective, task strategy.Task, explorer line.Explorer) *run {
	w := watch(f, task.Stage)
	return &run{
		f: w, task: task, explorer: explorer, learnt: &strategy.Learnt{},
		fallback: &fallback{f: w, bounds: task.Bounds, seed: task.Seed, parallel: task.Parallel, budget: task.Budget},
	}
}

// minimize asks for known points, looks for coordinates, searches along them if f
// separates there, and otherwise by CMA-ES.
func (r *run) minimize(ctx context.Context) (objective.Status, error) {
	if r.task.Points != nil {
		if err := r.f.known(ctx, r.task.Points); err != nil {
			return objective.Running, err
		}
		if err := r.warm(ctx); err != nil {
			return objective.Running, err
		}
	}
	found, err := r.coordinates(ctx)
	switch {
	case errors.Is(err, identify.ErrConstant):
		return r.flat(ctx)
	case errors.Is(err, identify.ErrNotFinite), errors.Is(err, identify.ErrNoStep), errors.Is(err, identify.ErrSingular), errors.Is(err, identify.ErrSmallBudget):
		r.learnt.Note("%s", strings.TrimPrefix(err.Error(), "identify: "))
		return r.fallback.search(ctx, throughout)
	case errors.Is(err, errShare):
		r.learnt.Note("the search for coordinates was given up: it has had its share of the budget")
		return r.fallback.search(ctx, throughout)
	case err != nil:
		return objective.Running, err
	case found == nil: // the budget is too small
		return r.fallback.search(ctx, throughout)
	}
	if v := found.Certificate.Verdict; v == certify.Separable || v == certify.Blocks {
		status, err := r.trusted(ctx, found)
		if errors.Is(err, objective.ErrBudget) {
			r.learnt.Note("the budget ended the search along them")
		}
		if status != objective.Running || err != nil {
			return status, err
		}
		r.learnt.Note("the coordinates found do not hold where the search has come to")
	} else if r.task.Frame != nil {
		r.learnt.Note("the frame that was given does not fit")
	} else if r.task.Identifier != nil {
		r.learnt.Note("the coordinates that %s found do not fit", r.task.Identifier.Name())
	}
	return r.fallback.search(ctx, throughout)
}

// trusted searches along the coordinates found, and looks whether they can be trusted:
// whether f depends on more than they show, and whether CMA-ES finds more than blocks that
// were found in doubt. Running: they cannot.
func (r *run) trusted(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	before, had := r.f.queries, r.fallback.spent()
	doubt := had > 0 && found.Certificate.Verdict == certify.Blocks
	if doubt { // blocks get as much as CMA-ES has had
		r.f.limit = r.f.queries + had
	}
	status, err := r.along(ctx, found)
	r.f.limit = 0
	switch {
	case errors.Is(err, errShare):
		return objective.Running, nil
	case err != nil || status != objective.Converged:
		return status, err
	case doubt:
		least := r.f.best.Value - r.f.tolerance()
		if _, err := r.fallback.search(ctx, r.f.queries-before); err != nil || r.f.best.Value < least {
			return objective.Running, err
		}
	}
	if more, err := r.beyond(ctx, found.Frame); more || err != nil {
		return objective.Running, err
	}
	return objective.Converged, nil
}

// Along so many random directions outside a frame, each way, f is looked at from the point
// found, over a whole half-width of the start box and over a tenth of it.
const beyondDirections = 4

var beyondSteps = []float64{1, 0.1}

// beyond reports whether f falls outside the span of a frame of fewer components than
// dimensions: there may be components that a survey did not see, so little do they move f.
func (r *run) beyond(ctx context.Context, w *frame.Frame) (bool, error) {
	m, d := w.Components(), w.Dim()
	if m == d {
		return false, nil
	}
	// Orthonormal rows: those of W̃, and random ones in the complement.
	n := min(beyondDirections, d-m)
	rows := mat.NewDense(m+n, d, nil)
	rows.Slice(0, m, 0, d).(*mat.Dense).Copy(w.Matrix())
	stream := rng.Seed(r.task.Seed).Stream("auto", "beyond")
	for k := range n {
		stream.Norm(rows.RawRowView(m + k))
	}
	kernel.Orthonormalise(rows.RawMatrix())
	x, fx := slices.Clone(r.f.best.Point), r.f.best.Value-r.f.tolerance()
	_, err := objective.Ask(ctx, r.f, 2*n*len(beyondSteps), func(k int, row []float64) {
		copy(row, x)
		step := beyondSteps[k/2%len(beyondSteps)] * [2]float64{1, -1}[k%2] * math.Sqrt(float64(d))
		kernel.AddScaled(row, step, rows.RawRowView(m+k/2/len(beyondSteps)))
		for i := range row {
			row[i] = min(max(row[i], r.task.Bounds.Lo[i]), r.task.Bounds.Hi[i])
		}
	})
	return r.f.best.Value < fx, err
}

// flatQueries is how many queries CMA-ES gets, for each dimension, where f is the same
// wherever a survey has asked: some forty generations in three dimensions. It gets half of
// the budget at most.
const flatQueries = 100

// flat searches a little where f is the same wherever it was asked, and goes on if that
// turns out not to be so everywhere.
func (r *run) flat(ctx context.Context) (objective.Status, error) {
	status, err := r.fallback.search(ctx, min(flatQueries*r.f.Dim(), r.task.Budget/2))
	paused := status == objective.Running && err == nil
	switch {
	case paused && r.f.first-r.f.best.Value > r.f.tolerance():
		return r.fallback.search(ctx, throughout)
	case r.f.first == r.f.best.Value:
		r.learnt.Note("f is the same wherever it was asked")
	}
	if paused {
		status = objective.Converged
	}
	return status, err
}

// along minimises in the coordinates found: a quadratic by Newton steps, other functions
// by lines and in blocks; where bounds are in the way, with a model of f, and on faces by
// CMA-ES. Running: the search along them does not come to an end.
func (r *run) along(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	at := newCoordinates(found, r.task.Bounds)
	p := &polisher{f: r.f, at: at, bowl: found.Quadratic}
	if p.bowl {
		if err := p.polish(ctx, bowlPolish); err != nil || p.bowl && r.interior() {
			return objective.Converged, err
		}
	}
	bowl, alone := p.bowl, len(at.blocks) == 0
	narrow := alone && !bowl && near(r.task.Bounds)
	if !bowl && !narrow {
		if status, err := r.everywhere(ctx, at, p); err != nil || status != objective.Converged || r.interior() {
			return status, err
		}
	}
	if narrow || alone && !r.interior() {
		profiles, err := newBounded(r.f, at, r.task.Seed).search(ctx)
		if profiles != nil {
			r.learnt.Profiles = profiles
		}
		if err != nil {
			return objective.Running, err
		}
		if err := p.polish(ctx, finePolish); err != nil || r.interior() {
			return objective.Converged, err
		}
	}
	return onFaces(ctx, r.f, r.task.Bounds, r.task.Seed)
}

// interior reports whether the best point is inside the bounds, on no face.
func (r *run) interior() bool { return interior(r.task.Bounds, r.f.best.Point) }

// mostRounds is how often a search along coordinates goes on from a better point. It took
// two rounds in all of 50 runs on the mixed problems that separate, and one on Rosenbrock
// pairs: after twenty the coordinates do not hold.
const mostRounds = 20

// everywhere minimises along lines and in blocks over their whole range, and then goes on
// from the point found for as long as that gets better: Newton steps, blocks again, other
// wells. Running: it gets better without end, so that the coordinates do not hold.
func (r *run) everywhere(ctx context.Context, at *coordinates, p *polisher) (objective.Status, error) {
	l := newLines(r.f, at, r.explorer, r.task.Budget)
	profiles, err := l.explore(ctx)
	r.learnt.Profiles = profiles
	if err != nil {
		return objective.Running, err
	}
	if r.open(profiles) {
		return objective.Unbounded, nil
	}
	b, w := &blocks{f: r.f, at: at, seed: r.task.Seed, parallel: r.task.Parallel, budget: r.task.Budget}, newWells(r.f, at, p, profiles)
	o := &outlook{f: r.f, at: at, lines: l, wells: w, polisher: p, looked: math.NaN()}
	if err := b.explore(ctx); err != nil {
		return objective.Running, err
	}
	for range mostRounds {
		before := r.f.best.Value
		if err := p.polish(ctx, finePolish); err != nil {
			return objective.Running, err
		}
		if err := b.refine(ctx); err != nil {
			return objective.Running, err
		}
		if err := w.look(ctx); err != nil {
			return objective.Running, err
		}
		if before-r.f.best.Value > max(r.f.tolerance(), b.open) {
			continue
		}
		if again, err := o.look(ctx); err != nil {
			return objective.Running, err
		} else if !again {
			o.note(r.learnt)
			return objective.Converged, nil
		}
	}
	return objective.Running, nil
}

// mostNamed is how many components a note names at most.
const mostNamed = 5

// open reports whether f falls along a component as far as it was followed, and says so.
func (r *run) open(profiles []line.Profile) bool {
	var open []string
	for _, p := range profiles {
		if p.Open {
			open = append(open, strconv.Itoa(p.Component+1)) // people count from 1
		}
	}
	if len(open) > mostNamed {
		open = append(open[:mostNamed], "…")
	}
	if len(open) > 0 {
		r.learnt.Note("f falls as far as it was followed, a million times the start box, along component %s: it may have no minimum", strings.Join(open, ", "))
	}
	return len(open) > 0
}
