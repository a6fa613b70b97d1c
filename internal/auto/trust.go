package auto

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// trusted searches along the coordinates found, and looks whether they can be trusted:
// whether f depends on more than they show, and whether CMA-ES finds more than
// blocks of which nobody can be sure. Running: they cannot.
func (r *run) trusted(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	before, had, limit := r.f.queries, r.fallback.spent(), 0
	unsure := had > 0 && found.Certificate.Verdict == certify.Blocks
	if unsure && !worthwhileBlocks(found.Blocks) {
		r.learnt.Note("the blocks are too large to be searched one by one")
		return objective.Running, nil
	}
	if unsure = unsure && found.Certificate.Coupling > sureCoupling; unsure {
		limit = r.f.queries + max(had/third, usualBlocks(found.Blocks))
	}
	status, err := r.searched(ctx, found, limit)
	switch {
	case errors.Is(err, errShare):
		r.learnt.Note("the blocks were found in doubt, and the search in them has had its share of the budget")
		return objective.Running, nil
	case err == nil && status == objective.Running:
		r.learnt.Note("%s", doNotHold)
		return status, nil
	case err != nil || status != objective.Converged:
		return status, err
	case r.f.noise != nil && !r.interior():
		r.learnt.Note("on the bounds noise does not let tell whether there is something deeper")
		return objective.Running, nil
	case unsure:
		least := r.f.best.Value - r.f.tolerance()
		if _, err := r.fallback.search(ctx, r.f.queries-before); err != nil {
			return objective.Running, err
		} else if r.f.best.Value < least {
			r.learnt.Note("%s", doNotHold)
			return objective.Running, nil
		}
	}
	if more, err := r.beyond(ctx, found.Frame); err != nil {
		return objective.Running, err
	} else if more {
		r.learnt.Note("f depends on more than the coordinates found")
		return objective.Running, nil
	}
	return objective.Converged, nil
}

// searched searches along the coordinates found until there have been so many queries; 0: as many as it takes.
func (r *run) searched(ctx context.Context, found *identify.Finding, limit int) (objective.Status, error) {
	search := r
	if found.Map != nil {
		search = r.mapped(found.Map.(*outer.Map))
	}
	r.f.limit = limit
	status, err := search.along(ctx, found)
	r.f.limit = 0
	return status, err
}

// third is the part of what there is for it that a search gets which may bring nothing: half as much as a survey.
const third = 3

const doNotHold = "the coordinates found do not hold where the search has come to"

// sureCoupling is the coupling of a certificate up to which blocks are sure. True blocks, whose rows are right
// to some 1e-3, stood at 1e-6 to 6e-4, most below 1e-4 (d = 6 to 20), and false ones of bbob-12 at 4.5e-4 to 1e-3 (d = 4).
const sureCoupling = 3e-4

// usualBlocks is how many queries two runs of CMA-ES in each block take as a rule: 100n² + 600n in n dimensions.
func usualBlocks(blocks [][]int) int {
	sum := 0
	for _, b := range blocks {
		if n := len(b); n > 1 {
			sum += 100*n*n + 600*n
		}
	}
	return sum
}

// worthwhileBlocks reports whether blocks are worth searching one by one: CMA-ES in n dimensions takes some n² queries, and
// together they should take half of what all dimensions do at most.
func worthwhileBlocks(blocks [][]int) bool {
	squares, all := 0, 0
	for _, b := range blocks {
		squares += len(b) * len(b)
		all += len(b)
	}
	return 2*squares <= all*all
}

// Along so many random directions outside a frame, each way, f is looked at from the point
// found, over a whole half-width of the start box and over a tenth of it.
const beyondDirections = 4

var beyondSteps = []float64{1, 0.1}

// beyond reports whether f falls outside the span of a frame of fewer components than dimensions: there may be components
// that a survey did not see, so little do they move f.
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
	least := r.f.best.Value - r.f.tolerance()
	var points [][]float64
	for k := range n {
		for _, step := range beyondSteps {
			for _, way := range []float64{1, -1} {
				x := slices.Clone(r.f.best.Point)
				kernel.AddScaled(x, way*step*math.Sqrt(float64(d)), rows.RawRowView(m+k))
				clamp(x, r.task.Bounds)
				points = append(points, x)
			}
		}
	}
	_, err := r.f.ask(ctx, points...)
	return r.f.best.Value < least, err
}

// tried searches along coordinates that noise lets see, but not certify. Whatever it finds, CMA-ES goes on: nothing shows that
// the coordinates hold.
func (r *run) tried(ctx context.Context, found *identify.Finding) error {
	r.learnt.Note("noise hides how exact the coordinates found are: a search along them was tried beside CMA-ES")
	_, err := r.searched(ctx, found, r.f.queries+(r.task.Budget-r.f.queries)/third)
	if errors.Is(err, errShare) {
		return nil
	}
	return err
}

// givenUp goes on after a survey that has had its share of the budget.
func (r *run) givenUp(ctx context.Context, found *identify.Finding) (objective.Status, error) {
	if r.task.Frame != nil {
		r.learnt.Note("%s too small to certify the frame that was given", r.planned())
		return r.rest(ctx)
	}
	r.learnt.Note("the search for coordinates was given up: it has had its share of the budget")
	if found != nil && found.Tentative {
		if err := r.tried(ctx, found); err != nil {
			return objective.Running, err
		}
	}
	return r.rest(ctx)
}
