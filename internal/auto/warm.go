package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A point that the user gives is believed: a run of CMA-ES around it comes first, with a
// step that is learnt there.
//
// The steps that are tried fall from that of a cold start by warmFactor, warmSteps times.
// With each of them warmTries points are drawn as a first generation would. The longest
// step serves with which a third of the points are better than the one given: at a distance
// δ from the minimum of a sphere that is so up to σ = 1.3δ/d.
const (
	warmSteps  = 8
	warmFactor = 4
	warmTries  = 6
	warmBetter = warmTries / 3
)

// warmPart is the part of what a survey takes, a twentieth of Least(d) or of the budget if
// that is less, that the run around the point gets before the survey: where the point is in
// a wrong well the rest is better spent on the coordinates. In the first doubt the run goes
// on to its end.
const warmPart = 20

// warm looks around the best point given and begins a run there, unless a long step is as
// good as a short one.
func (r *run) warm(ctx context.Context) error {
	x, fx := slices.Clone(r.f.best.Point), r.f.best.Value
	if x == nil {
		return nil
	}
	d := len(x)
	r.fallback.start = x
	sigma := func(k int) float64 { return strategy.FirstSigma * math.Pow(warmFactor, -float64(k)) }
	stream := rng.Seed(r.task.Seed).Stream("auto", "warm")
	r.f.stage(byCMAES)
	values, err := query.Ask(ctx, r.f, warmSteps*warmTries, func(i int, row []float64) {
		stream.Norm(row)
		for k := range row {
			row[k] = x[k] + float64(sigma(i/warmTries)*row[k])
		}
		clamp(row, r.task.Bounds)
	})
	if err != nil {
		return err
	}
	for k := range warmSteps {
		better := 0
		for _, v := range values[k*warmTries : (k+1)*warmTries] {
			if v < fx {
				better++
			}
		}
		if better < warmBetter {
			continue
		}
		if k > 0 {
			r.fallback.around(ctx, x, sigma(k))
			_, err = r.fallback.search(ctx, min(identify.Least(d), r.task.Budget)/warmPart)
		}
		return err
	}
	return nil
}

// around begins a run at x with the step σ, which goes before all others.
func (s *fallback) around(ctx context.Context, x []float64, sigma float64) {
	s.near = newContender(ctx, s.run.f.Dim(), cmaes.Series{
		Run: cmaes.Config{Mean: x, Sigma: sigma, Bounds: s.run.task.Bounds}, Schedule: cmaes.Once{},
		Box: objective.Cube(s.run.f.Dim(), -1, 1), Seed: s.run.task.Seed,
	}, nil, s.run.f.noise != nil)
}
