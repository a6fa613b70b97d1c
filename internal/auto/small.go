package auto

import (
	"context"
	"errors"
	"math"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A small race is what auto does with few queries: a scout, which goes downhill, against CMA-ES, which begins at
// the best point of the scout's opening. Neither knows the budget.
type small struct {
	f        *watched
	fallback *fallback
	scout    *scout
	talk     *asktell.Talk // with the scout
	spent    int           // by the scout
	rivals   query.Best    // the best point of CMA-ES
}

const (
	// opening is how many queries for each dimension the scout has before CMA-ES begins: four or five steps.
	opening = 5
	// While the scout is ahead it has ahead queries for each of CMA-ES, as many if it has needed more queries
	// for its value than CMA-ES, and otherwise CMA-ES has behind for each of the scout. Halved or doubled, all of them
	// change means by a factor of 3 where the race gains one of 1e3.
	ahead  = 7
	behind = 3
	// smallSigma is σ of CMA-ES, a fifth of the width of the start box: it begins at a point that is better than others.
	smallSigma = 0.4
)

var errOpened = errors.New("auto: the opening is over")

// until is f for the opening: when it is over an error ends the descent.
type until struct {
	objective.Objective
	over func() bool
}

func (u *until) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if u.over() {
		return errOpened
	}
	return u.Objective.Evaluate(ctx, points, values)
}

// newSmall is a race that has not begun.
func (r *run) newSmall(ctx context.Context) *small {
	s := &small{f: r.f, fallback: r.fallback}
	s.scout = &scout{
		bounds: r.task.Bounds, grain: r.f.grain, known: r.measured, random: rng.Seed(r.task.Seed).Stream("auto", "scout"),
		others: func() query.Best { return s.rivals }, opened: func() bool { return s.spent >= opening*r.f.Dim() },
	}
	s.rivals.Value = math.Inf(1)
	s.talk = asktell.New(r.f.Dim(), func(f objective.Objective) error { return s.scout.search(ctx, f) })
	return s
}

// search goes on until f ends it, or CMA-ES has come to the end of its series.
func (s *small) search(ctx context.Context) (objective.Status, error) {
	defer s.talk.Stop()
	for {
		scouts, cmaes := s.turn()
		if err := s.round(ctx, scouts, cmaes); err != nil {
			return objective.Running, err
		}
		if c := s.fallback.plain; c != nil && c.over {
			return c.end, nil
		}
		if math.IsInf(s.f.best.Value, -1) {
			return objective.Converged, nil
		}
	}
}

// turn says whose turn it is: that of both, if the turn of one is followed by that of the other.
func (s *small) turn() (scouts, cmaes bool) {
	d := s.f.Dim()
	if s.spent < opening*d {
		return true, false
	}
	others := 0
	if s.fallback.plain != nil {
		others = s.fallback.plain.queries
	}
	scouts = float64(s.spent) <= s.lead(others)*float64(others)
	return scouts, !scouts
}

// lead is how many queries the scout has for each of CMA-ES.
func (s *small) lead(others int) float64 {
	c := s.scout.course
	n := len(c.values)
	switch {
	case s.scout.sum:
		return ahead
	case !s.scout.own || n == 0 || !(c.values[n-1] < s.rivals.Value):
		return 1. / behind
	case others >= opening*s.f.Dim() && c.with(others) >= s.rivals.Value:
		return 1
	}
	return ahead
}

// round asks for the next batch of those whose turn it is, in one batch.
func (s *small) round(ctx context.Context, scouts, cmaes bool) error {
	if cmaes {
		if s.fallback.plain == nil {
			s.fallback.start, s.fallback.sigma = s.scout.best.Point, smallSigma
			s.fallback.plain = s.fallback.series(ctx, nil)
		}
		s.f.stage(byCMAES)
		c := s.fallback.plain
		points := c.talk.Ask()
		if points == nil {
			c.over = true
			return c.talk.Err()
		}
		n, _ := points.Dims()
		values := make([]float64, n)
		err := counted{s.f}.Evaluate(ctx, points, values)
		s.rivals.OfferAll(points, values[:query.Evaluated(values, err)])
		return c.told(s.f, values, err)
	}
	s.f.stage(straightDown)
	points := s.talk.Ask()
	if points == nil {
		return s.talk.Err()
	}
	n, _ := points.Dims()
	values := make([]float64, n)
	err := counted{s.f}.Evaluate(ctx, points, values)
	if err == nil {
		s.spent += n
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = points.RawRowView(i)
		}
		s.scout.told(rows, values)
	}
	s.talk.Tell(values, err)
	return nil
}

// few reports whether the budget is too small for a survey.
func (r *run) few() bool {
	return r.task.Budget < identify.Least(r.f.Dim()) && r.task.Frame == nil && r.task.Identifier == nil
}
