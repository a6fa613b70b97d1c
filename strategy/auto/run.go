package auto

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/line"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
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
		fallback: &fallback{f: w, bounds: task.Bounds, seed: task.Seed},
	}
}

// minimize asks for known points, looks for coordinates, searches along them if f
// separates there, and otherwise by CMA-ES.
func (r *run) minimize(ctx context.Context) (objective.Status, error) {
	if r.task.Points != nil {
		if err := r.f.known(ctx, r.task.Points); err != nil {
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
	case err != nil:
		return objective.Running, err
	case found == nil: // the budget is too small
		return r.fallback.search(ctx, throughout)
	}
	if v := found.Certificate.Verdict; v == certify.Separable || v == certify.Blocks {
		status, err := r.along(ctx, found)
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
// by lines and in blocks; where bounds are in the way, with a model of f and by Newton steps
// on faces. Running: the search along them does not come to an end.
func (r *run) along(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	at := newCoordinates(found, r.task.Bounds)
	p, faces := &polisher{f: r.f, at: at}, &faceSearch{f: r.f, at: at}
	if found.Quadratic {
		if done, err := r.bowl(ctx, p, faces); done || err != nil {
			return objective.Converged, err
		}
	}
	if len(at.blocks) == 0 && at.cut(r.f.best.Point) {
		if status, err := r.within(ctx, at, p, faces); status != objective.Running || err != nil {
			return status, err
		}
	} else if status, err := r.everywhere(ctx, at, p); err != nil || status != objective.Converged || r.interior() {
		return status, err
	} else if len(at.blocks) > 0 {
		return objective.Converged, faces.others(ctx, objective.Cube(r.f.Dim(), -1, 1), rng.Seed(r.task.Seed).Stream("auto", "faces"))
	} else if err := r.model(ctx, newBounded(r.f, at, r.task.Seed)); err != nil {
		return objective.Running, err
	}
	return objective.Converged, faces.search(ctx)
}

// bowl minimises a quadratic by Newton steps, within bounds too. It reports whether f has
// turned out to be one that has a minimum, so that it is done.
func (r *run) bowl(ctx context.Context, p *polisher, faces *faceSearch) (bool, error) {
	if r.task.Bounded() {
		faces.bowl = true
		err := faces.search(ctx)
		return faces.bowl, err
	}
	p.bowl = true
	err := p.polish(ctx, bowlPolish)
	return p.bowl, err
}

// within minimises along lines that bounds cut off; where their minima do not meet within
// the bounds, on faces if f is convex, and otherwise with a model. Running: what it has found
// is to be searched on faces.
func (r *run) within(ctx context.Context, at *coordinates, p *polisher, faces *faceSearch) (objective.Status, error) {
	b := newBounded(r.f, at, r.task.Seed)
	profiles, met, err := b.meet(ctx)
	if profiles != nil {
		r.learnt.Profiles = profiles
	}
	if err != nil {
		return objective.Running, err
	}
	if met {
		if status, err := r.onwards(ctx, at, p, profiles); err != nil || status == objective.Converged && r.interior() {
			return status, err
		}
	}
	if b.convex() {
		if err := faces.search(ctx); err != nil || b.convex() {
			return objective.Converged, err
		}
	}
	return objective.Running, r.model(ctx, b)
}

// model searches a model of f within the bounds.
func (r *run) model(ctx context.Context, b *bounded) error {
	profiles, err := b.search(ctx)
	if profiles != nil {
		r.learnt.Profiles = profiles
	}
	return err
}

// interior reports whether the best point is inside the bounds, on no face.
func (r *run) interior() bool { return interior(r.task.Bounds, r.f.best.Point) }

// mostRounds is how often a search along coordinates goes on from a better point. It took
// two rounds in all of 50 runs on the mixed problems that separate, and one on Rosenbrock
// pairs: after twenty the coordinates do not hold.
const mostRounds = 20

// worthARound is the improvement for which blocks are searched once more, which takes
// hundreds of queries each: the one at which CMA-ES stops by default.
const worthARound = 1e-11

// everywhere minimises along lines and in blocks over their whole range, and then goes on
// from the point found.
func (r *run) everywhere(ctx context.Context, at *coordinates, p *polisher) (objective.Status, error) {
	profiles, err := lines{r.f, at, r.explorer, r.task.Budget}.explore(ctx)
	r.learnt.Profiles = profiles
	if err != nil {
		return objective.Running, err
	}
	if r.open(profiles) {
		return objective.Unbounded, nil
	}
	if err := (blocks{r.f, at, r.task.Seed}).explore(ctx); err != nil {
		return objective.Running, err
	}
	return r.onwards(ctx, at, p, profiles)
}

// onwards goes on from the point found for as long as that gets better: Newton steps, blocks
// again, other wells. Running: it gets better without end, so that the coordinates do not
// hold.
func (r *run) onwards(ctx context.Context, at *coordinates, p *polisher, profiles []line.Profile) (objective.Status, error) {
	b, w := blocks{r.f, at, r.task.Seed}, newWells(r.f, at, p, profiles)
	for range mostRounds {
		before := r.f.best.Value
		if err := p.polish(ctx, finePolish); err != nil {
			return objective.Running, err
		}
		if err := r.refine(ctx, at, b); err != nil {
			return objective.Running, err
		}
		if err := w.look(ctx); err != nil {
			return objective.Running, err
		}
		least := r.f.tolerance()
		if len(at.blocks) > 0 {
			least = max(least, worthARound)
		}
		if !(before-r.f.best.Value > least) {
			return objective.Converged, nil
		}
	}
	return objective.Running, nil
}

// refine searches blocks once more near the best point; within bounds by Newton steps.
func (r *run) refine(ctx context.Context, at *coordinates, b blocks) error {
	if len(at.blocks) > 0 && r.task.Bounded() {
		return (&faceSearch{f: r.f, at: at}).search(ctx)
	}
	return b.refine(ctx)
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
