package auto

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/words"
)

// A frame is not refined for the search if it passes for separable and its error E is at most roughMost, and √d·E at most
// rough: what disturbs a component is the errors of all others together. Lines from better points mend the rest. It saves a
// third of the queries beside a survey to 1e-7.
const (
	roughMost = 0.01
	rough     = 0.1
)

// measures is at how many points the scales of components are measured: at one a ripple may be missed, at three hardly.
const measures = 3

// perDimension is the smallest budget, for each dimension, with which coordinates are looked for at all, enough to find a few
// components by their gradients; and for each component, with which lines are.
const perDimension = 30

// coordinates finds coordinates, or judges the ones that are known. It returns nil if the budget is too small for that.
func (r *run) coordinates(ctx context.Context) (*identify.Finding, error) {
	switch {
	case r.task.Frame != nil:
		return r.judge(ctx, r.task.Frame, r.task.Blocks, 0)
	case r.task.Identifier != nil:
		return r.identified(ctx)
	}
	f, s := r.survey(ctx)
	s.Budget = r.left()
	found, err := s.Identify(ctx, f, r.request())
	if errors.Is(err, identify.ErrSmallBudget) {
		r.noteSmallBudget()
		return nil, nil
	}
	r.learnt.Finding = found
	if err == nil && !found.Quadratic && r.task.Budget-r.f.queries < perDimension*found.Frame.Components() {
		r.learnt.Note("%s too small to search along the coordinates found", r.planned())
		return nil, nil
	}
	return found, err
}

// survey is how coordinates are looked for: roughly, and with a race before parts that may bring nothing. Its f answers two
// thirds of the budget at most, so that for every budget a third of it belongs to a search.
func (r *run) survey(ctx context.Context) (*share, identify.Survey) {
	f := &share{watched: r.f, most: r.left() - r.left()/third}
	race := &race{fallback: r.fallback, survey: f, bounded: r.task.Bounded(), budget: r.left()}
	f.usual, f.beyond = usualSurvey*identify.Least(r.f.Dim()), race.wait
	if r.f.grain.Noisy() {
		f.usual = max(f.usual, identify.MostNoisy(r.f.Dim()))
	}
	return f, identify.Survey{
		Tolerance: r.slack(), Measures: measures,
		Pause: func(next identify.Next) error { return race.pause(ctx, next) },
	}
}

// slack is the error of a frame that is small enough.
func (r *run) slack() float64 { return min(roughMost, rough/math.Sqrt(float64(r.f.Dim()))) }

// judge certifies a frame that is known up to an error, measures the scales of its components, and keeps it.
func (r *run) judge(ctx context.Context, known *frame.Frame, blocks [][]int, slack float64) (*identify.Finding, error) {
	found, err := r.certify(ctx, known, blocks, slack)
	r.learnt.Finding = found
	return found, err
}

// certify does no more than that.
func (r *run) certify(ctx context.Context, known *frame.Frame, blocks [][]int, slack float64) (*identify.Finding, error) {
	f, s := r.survey(ctx)
	s.Slack = slack
	return s.Judge(ctx, f, known, blocks, r.request())
}

// identified lets the task's Identifier find the frame, and judges it. If there is none it returns nil.
func (r *run) identified(ctx context.Context) (*identify.Finding, error) {
	found, err := identify.Find(ctx, r.task.Identifier, r.f, r.request())
	r.learnt.Finding = found
	if err != nil {
		return nil, err
	}
	if found.Frame == nil {
		r.learnt.Note("%s found no coordinates", r.task.Identifier.Name())
		return nil, nil
	}
	judged, err := r.judge(ctx, found.Frame, found.Blocks, r.slack())
	if judged != nil { // what else the Identifier has found out
		judged.Linear, judged.Residual, judged.Spectrum = found.Linear, found.Residual, found.Spectrum
		judged.Before, judged.After = found.Before, found.After
		judged.Notes = append(judged.Notes, found.Notes...)
	}
	return judged, err
}

func (r *run) noteSmallBudget() {
	least, why := identify.Least(r.f.Dim()), "%s too small to look for mixed coordinates, which takes at least %s queries"
	switch {
	case r.task.Budget < least:
	case r.f.grain.Noisy():
		why = "%s too small to look for mixed coordinates, which with noise or few digits takes more than %s queries"
	default:
		r.learnt.Note("descents and CMA-ES have left too few queries to look for mixed coordinates, which takes at least %s", words.Thousands(least))
		return
	}
	r.learnt.Note(why, r.planned(), words.Thousands(least))
}

// planned says whose budget is meant: a run that is resumed with another keeps to that of its beginning.
func (r *run) planned() string {
	if r.task.Limit != r.task.Budget {
		return fmt.Sprintf("the budget of %s with which the run was begun was", words.Thousands(r.task.Budget))
	}
	return "the budget is"
}
