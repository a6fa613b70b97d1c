package strategy

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/descent"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// Descent goes straight down by a quasi-Newton method on finite differences, from a known point
// or a random one, and then again from random points of the start box until the budget is
// spent. It is for smooth functions of few wells and budgets of 10 to 100 queries for each
// dimension, which go into batches of d. It knows of no noise but what it measures, for six
// queries.
//
// The default strategy does the same, in a race with CMA-ES, if its budget is small. Of known
// points all are evaluated, and the first descent starts from the best.
type Descent struct{}

// Name returns "descent".
func (Descent) Name() string { return "descent" }

// innerPart is the part of the start box from whose middle points are drawn: what is near its
// faces is far from everything else.
const innerPart = 0.8

// Minimize goes down again and again.
func (s Descent) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	task, err := task.asGiven(s, f.Dim())
	if err != nil {
		return Outcome{Status: objective.Failed}, err
	}
	err = s.descend(ctx, f, task)
	if err == nil {
		return Outcome{Status: objective.Converged}, nil
	}
	status, err := objective.StatusOf(ctx, err)
	return Outcome{Status: status}, err
}

// descend goes on until f ends it, or is −∞ somewhere.
func (s Descent) descend(ctx context.Context, f objective.Objective, task Task) error {
	d := f.Dim()
	random := rng.Seed(task.Seed).Stream("descent")
	cfg := descent.Config{Value: math.NaN(), Bounds: task.Bounds, Grain: objective.Rounding, Random: random}
	if task.NoiseLevel > 0 {
		cfg.Grain, cfg.Known = objective.Known(task.NoiseLevel), true
	}
	if task.Points != nil {
		task.Stage(atKnown)
		best, err := evaluateAll(ctx, f, task.Points)
		if err != nil {
			return err
		}
		cfg.Start = best
	}
	task.Stage(straightDown)
	for {
		if cfg.Start == nil {
			cfg.Start = make([]float64, d)
			objective.Cube(d, -innerPart, innerPart).Draw(cfg.Start, random)
		}
		found, err := descent.Minimize(ctx, f, cfg)
		if err != nil || math.IsInf(found.Value, -1) {
			return err
		}
		cfg.Start, cfg.Grain = nil, found.Grain
	}
}
