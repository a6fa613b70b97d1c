package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A point that the user gives is believed: the race begins there before coordinates are looked for, and the first run of
// CMA-ES with a step that is learnt there.
//
// The steps that are tried fall from that of a cold start by warmFactor, warmSteps times. With each of them warmTries points
// are drawn as a first generation would. The longest step serves with which a third of the points are better than the one
// given: at a distance δ from the minimum of a sphere that is so up to σ = 1.3δ/d.
const (
	warmSteps  = 8
	warmFactor = 4
	warmTries  = 6
	warmBetter = warmTries / third
)

// warmPart is how many queries for each dimension go to the race before coordinates are looked for: twice as many as a
// descent has before CMA-ES begins.
const warmPart = 2 * opening

// warm looks around the best point given, and begins the race there.
func (r *run) warm(ctx context.Context) error {
	x, fx := slices.Clone(r.f.best.Point), r.f.best.Value
	if x == nil {
		return nil
	}
	part := func(k int) float64 { return math.Pow(warmFactor, -float64(k)) }
	stream := rng.Seed(r.task.Seed).Stream("auto", "warm")
	r.f.stage(byCMAES)
	values, err := query.Ask(ctx, r.f, warmSteps*warmTries, func(i int, row []float64) {
		stream.Norm(row)
		for k := range row {
			row[k] = x[k] + float64(strategy.FirstSigma*part(i/warmTries)*row[k])
		}
		clamp(row, r.task.Bounds)
	})
	if err != nil {
		return err
	}
	r.fallback.start, r.fallback.near = x, 1
	for k := range warmSteps {
		better := 0
		for _, v := range values[k*warmTries : (k+1)*warmTries] {
			if v < fx {
				better++
			}
		}
		if better >= warmBetter {
			r.fallback.near = part(k)
			break
		}
	}
	_, err = r.fallback.search(ctx, warmPart*r.f.Dim())
	return err
}

// nearFirst is a schedule whose first run has a shorter step.
type nearFirst struct {
	cmaes.Schedule
	part float64
}

func (s nearFirst) Next(past []cmaes.Past, population int, u func() float64) (cmaes.Plan, bool) {
	plan, more := s.Schedule.Next(past, population, u)
	if len(past) == 0 {
		plan.Sigma = s.part
	}
	return plan, more
}

// seek draws points of the start box until f is finite at one: nothing goes downhill from where it fails.
func (s *sprint) seek(ctx context.Context) error {
	f, stream := s.run.f, rng.Seed(s.run.task.Seed).Stream("auto", "seek")
	box := objective.Cube(f.Dim(), -1, 1)
	for math.IsInf(f.best.Value, 1) {
		_, err := query.Ask(ctx, f, opening*f.Dim(), func(_ int, row []float64) {
			box.Draw(row, stream)
			clamp(row, s.run.task.Bounds)
		})
		if err != nil {
			return err
		}
	}
	s.varies, s.rivals = true, query.Best{Point: slices.Clone(f.best.Point), Value: f.best.Value}
	return nil
}
