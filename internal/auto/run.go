package auto

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A run decides what to do. Its methods read like "What it does" in docs/auto.md.
//
// Where a method returns a Status, Running says that the run has not come to its end there, so that something else follows.
type run struct {
	f        *watched
	task     strategy.Task
	fallback *fallback
	learnt   *strategy.Learnt
	mapping  *mapping // f is ψ of what is asked; nil: no map
	measured bool     // it is known how exact f's values are
	near     bool     // so it is where the minimum is
	part     bool     // f is a part of another one
}

func newRun(f objective.Objective, task strategy.Task) *run {
	r := &run{f: watch(f, task.Stage), task: task, learnt: &strategy.Learnt{}}
	r.fallback, r.f.due = &fallback{run: r}, r.due
	return r
}

// minimize asks for known points, looks for coordinates, searches along them if f separates there, and otherwise by CMA-ES.
func (r *run) minimize(ctx context.Context) (objective.Status, error) {
	if status, err := r.begin(ctx); status != objective.Running || err != nil {
		return status, err
	}
	found, status, err := r.structured(ctx)
	if status != objective.Running {
		return status, err
	} else if found == nil && err == nil {
		found, err = r.coordinates(ctx)
	}
	if r.learnt.Finding != nil {
		r.task.Found(r.learnt.Finding)
	}
	switch {
	case errors.Is(err, identify.ErrConstant):
		return r.flat(ctx)
	case errors.Is(err, identify.ErrNotFinite), errors.Is(err, identify.ErrNoStep), errors.Is(err, identify.ErrSingular), errors.Is(err, identify.ErrSmallBudget):
		r.learnt.Note("%s", strings.TrimPrefix(err.Error(), "identify: "))
	case errors.Is(err, errShare):
		return r.givenUp(ctx, found)
	case err != nil:
		return objective.Running, err
	case found == nil: // the budget is too small
	case found.Certificate.Verdict == certify.Separable, found.Certificate.Verdict == certify.Blocks:
		status, err := r.trusted(ctx, found)
		if errors.Is(err, objective.ErrBudget) {
			r.learnt.Note("the budget ended the search along them")
		}
		if status != objective.Running || err != nil {
			return status, err
		}
	case found.Pairs != nil:
		return r.nearly(ctx, found)
	case found.Tentative:
		if err := r.tried(ctx, found); err != nil {
			return objective.Running, err
		}
	case r.task.Frame != nil:
		r.learnt.Note("the frame that was given does not fit")
	case r.task.Identifier != nil:
		r.learnt.Note("the coordinates that %s found do not fit", r.task.Identifier.Name())
	}
	return r.rest(ctx)
}

// begin asks for known points, searches without coordinates where there are few queries, and measures how exact
// f's values are. Running: coordinates follow.
func (r *run) begin(ctx context.Context) (objective.Status, error) {
	if r.task.Points != nil {
		if err := r.f.known(ctx, r.task.Points); err != nil {
			return objective.Running, err
		}
	}
	first := r.raceFirst()
	if first {
		if r.task.Budget < identify.Least(r.f.Dim()) {
			r.noteSmallBudget()
		}
		if r.task.NoiseLevel > 0 {
			r.grainKnown(objective.Known(r.task.NoiseLevel))
		}
		if r.task.Points != nil {
			r.fallback.start = slices.Clone(r.f.best.Point)
		}
		if status, err := r.fallback.begun(ctx).search(ctx); status != objective.Running || err != nil {
			return status, err
		}
	}
	if err := r.measure(ctx); err != nil || first || r.task.Points == nil {
		return objective.Running, err
	}
	return objective.Running, r.warm(ctx)
}

// rest searches to the end.
func (r *run) rest(ctx context.Context) (objective.Status, error) {
	return r.fallback.search(ctx, throughout)
}

// flatQueries is how many queries CMA-ES gets, for each dimension, where f is the same wherever a survey has asked: some
// forty generations in three dimensions. It gets half of the budget at most.
const flatQueries = 100

// flat searches a little where f is the same wherever it was asked, and goes on if that turns out not to be so everywhere.
func (r *run) flat(ctx context.Context) (objective.Status, error) {
	status, err := r.fallback.search(ctx, min(flatQueries*r.f.Dim(), r.task.Budget/2))
	paused := status == objective.Running && err == nil
	switch {
	case paused && r.f.first-r.f.best.Value > r.f.tolerance():
		return r.rest(ctx)
	case r.f.first == r.f.best.Value:
		r.learnt.Note("f is the same wherever it was asked")
	}
	if paused {
		status = objective.Converged
	}
	return status, err
}
