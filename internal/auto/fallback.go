package auto

import (
	"cmp"
	"context"
	"math"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A fallback is what searches f where it does not separate: a race of descents with BIPOP-CMA-ES. It can be
// paused. The series is that of the strategy CMAES to the bit, whatever a survey has found before: the
// best point of a survey is one of many wells.
type fallback struct {
	run    *run
	start  []float64  // where first runs begin; nil: at a point that is drawn
	near   float64    // the part of the usual step with which CMA-ES begins there; 0: all of it
	sprint *sprint    // the race; nil: not begun
	cmaes  *contender // nil: not begun
}

// throughout is as many queries as it takes.
const throughout = math.MaxInt

// search goes on for at least so many queries. It returns the status with which the series
// has ended, or Running if it was paused.
func (s *fallback) search(ctx context.Context, queries int) (objective.Status, error) {
	return s.begun(ctx).some(ctx, queries)
}

// begun returns the race, which begins from the best point known.
func (s *fallback) begun(ctx context.Context) *sprint {
	if s.sprint == nil {
		s.sprint = s.run.newSprint(ctx)
	}
	return s.sprint
}

// spent is how many queries the search has had.
func (s *fallback) spent() int {
	n := s.byCMAES()
	if s.sprint != nil {
		n += s.sprint.spent
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

// byCMAES is how many queries the series has had.
func (s *fallback) byCMAES() int {
	if s.cmaes == nil {
		return 0
	}
	return s.cmaes.queries
}

// series returns BIPOP-CMA-ES.
func (s *fallback) series(ctx context.Context) *contender {
	if s.cmaes == nil {
		series := cmaes.Abreast(s.run.f.Dim(), s.run.task.Parallel, s.run.task.Budget)
		series.Box, series.Seed = objective.Cube(s.run.f.Dim(), -1, 1), s.run.task.Seed
		series.Run.Sigma, series.Run.Bounds, series.Run.Mean = strategy.FirstSigma, s.run.task.Bounds, s.start
		if s.near > 0 {
			series.Schedule = nearFirst{cmp.Or[cmaes.Schedule](series.Schedule, cmaes.BIPOP{}), s.near}
		}
		s.cmaes = newContender(ctx, s.run.f.Dim(), series, s.run.f.noise != nil)
	}
	return s.cmaes
}

// stop ends what is not at its end.
func (s *fallback) stop() {
	if s.cmaes != nil {
		s.cmaes.talk.Stop()
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
	if s.cmaes == nil {
		return math.Inf(1)
	}
	return s.cmaes.least
}
