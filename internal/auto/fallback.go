package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A fallback is what searches f where it does not separate: a race of descents with BIPOP-CMA-ES. It can be
// paused. The series is that of the strategy CMAES to the bit, whatever a survey has found before: the
// best point of a survey is one of many wells.
//
// A survey may have learnt a metric, the size of f's Hessians. As the first covariance it
// is a gift where f curves alike everywhere, and poison where it does not. So a second
// series, the informed one, begins with it and has to prove itself in a trial.
type fallback struct {
	run      *run
	start    []float64     // where first runs begin; nil: at a point that is drawn
	metric   *mat.SymDense // what a survey has learnt; nil: nothing
	sprint   *sprint       // the race; nil: not begun
	near     *contender    // a run around a point that was given; nil: none
	plain    *contender    // nil: not begun
	informed *contender    // nil: not begun
	tried    bool          // the trial is over
	won      bool          // by the informed series
}

// throughout is as many queries as it takes.
const throughout = math.MaxInt

// stages are where the informed series is judged, in queries for each dimension. At each of
// them but the first it has lost if it is not further than the plain series was with as
// many queries, and has won if it was further at the stage before, with half as many. It
// has to win at the last one.
var stages = []int{40, 80, 160}

// The informed series gets as many queries in its trial as the plain one up to 8d², and then
// a sixth of them: on functions that are so ill-conditioned that there is one, CMA-ES takes
// 13d² queries and more. After the trial it is the one that has lost that gets a sixth, for
// one run.
const (
	otherShare   = 6
	otherRuns    = 1
	informedFree = 8
)

// search goes on for at least so many queries. It returns the status with which the series
// has ended, or Running if it was paused.
func (s *fallback) search(ctx context.Context, queries int) (objective.Status, error) {
	for s.near != nil && !s.near.over { // a run around a given point comes first
		s.run.f.stage(byCMAES)
		n, err := s.near.step(ctx, s.run.f)
		if queries -= n; err != nil || queries <= 0 {
			return objective.Running, err
		}
	}
	return s.begun(ctx).some(ctx, queries)
}

// begun returns the race, which begins from the best point known.
func (s *fallback) begun(ctx context.Context) *sprint {
	if s.sprint == nil {
		s.sprint = s.run.newSprint(ctx)
	}
	return s.sprint
}

// turn returns the series whose turn it is: the one that is ahead, unless the other has had less than its share.
func (s *fallback) turn(ctx context.Context) *contender {
	if s.plain == nil {
		s.plain = s.series(ctx, nil)
	}
	if s.informed == nil && s.metric != nil {
		s.informed = s.series(ctx, s.metric)
	}
	first, other := s.plain, s.informed
	if s.won {
		first, other = other, first
	}
	switch d := s.run.f.Dim(); {
	case other == nil || other.over:
	case first.over, other.runs <= otherRuns && otherShare*other.queries <= first.queries:
		return other
	case !s.tried && other.queries <= min(first.queries, informedFree*d*d):
		return other
	}
	return first
}

// judge decides the trial, as soon as both series have come to a stage. Later the one that
// has lost has won after all when it is ahead: with fewer queries it has come further.
func (s *fallback) judge() {
	if s.informed == nil {
		return
	}
	if s.tried {
		if s.won {
			s.won = !(s.plain.least < s.informed.least)
		} else {
			s.won = s.informed.least < s.plain.least
		}
		return
	}
	k := min(len(s.plain.reached), len(s.informed.reached)) - 1
	if k < 1 {
		return
	}
	there, reached := s.plain.reached[k], s.informed.reached
	s.won = reached[k-1] < there
	s.tried = s.won || !(reached[k] < there) || k == len(stages)-1
}

// over reports whether both series have come to their end.
func (s *fallback) over() bool {
	return s.plain != nil && s.plain.over && (s.informed == nil || s.informed.over)
}

// spent is how many queries the search has had.
func (s *fallback) spent() int {
	n := s.byCMAES()
	if s.sprint != nil {
		n += s.sprint.spent
	}
	if s.near != nil {
		n += s.near.queries
	}
	return n
}

// paid is how many of them it had to wait for.
func (s *fallback) paid() int {
	if s.sprint == nil {
		return s.spent()
	}
	return s.spent() - s.sprint.free
}

// byCMAES is how many queries both series have had.
func (s *fallback) byCMAES() int {
	n := 0
	for _, c := range []*contender{s.plain, s.informed} {
		if c != nil {
			n += c.queries
		}
	}
	return n
}

// offer proposes a metric. Only the first one counts.
func (s *fallback) offer(metric *mat.SymDense) {
	if s.metric == nil {
		s.metric = metric
	}
}

// series returns BIPOP-CMA-ES with a first covariance; nil: I.
func (s *fallback) series(ctx context.Context, metric *mat.SymDense) *contender {
	series := cmaes.Abreast(s.run.f.Dim(), s.run.task.Parallel, s.run.task.Budget)
	series.Box, series.Seed = objective.Cube(s.run.f.Dim(), -1, 1), s.run.task.Seed
	series.Run.Sigma, series.Run.Bounds, series.Run.Mean = strategy.FirstSigma, s.run.task.Bounds, s.start
	if metric != nil {
		series.Run.Covariance = cmaes.Cholesky{First: metric}
	}
	return newContender(ctx, s.run.f.Dim(), series, stages, s.run.f.noise != nil)
}

// stop ends what is not at its end.
func (s *fallback) stop() {
	for _, c := range []*contender{s.near, s.plain, s.informed} {
		if c != nil {
			c.talk.Stop()
		}
	}
	if s.sprint != nil {
		s.sprint.talk.Stop()
	}
}

// least is the lowest value that the search has found itself.
func (s *fallback) least() float64 {
	v := s.leastOfCMAES()
	if s.sprint != nil && s.sprint.scout.best.Point != nil {
		v = min(v, s.sprint.scout.best.Value)
	}
	return v
}

// leastOfCMAES is the lowest value that CMA-ES has found.
func (s *fallback) leastOfCMAES() float64 {
	v := math.Inf(1)
	for _, c := range []*contender{s.near, s.plain, s.informed} {
		if c != nil {
			v = min(v, c.least)
		}
	}
	return v
}
