package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

var measuring = objective.Stage{Name: "noise", Purpose: objective.ToFind}

// measure measures the noise: PLACEHOLDER.
func (r *run) measure(ctx context.Context) error {
	if r.task.NoiseLevel > 0 {
		r.noisy(strategy.Noise{Kind: strategy.Random, Sigma: r.task.NoiseLevel})
		return nil
	}
	r.f.stage(measuring)
	values, err := objective.Ask(ctx, r.f, 12, func(_ int, row []float64) {
		for i := range row {
			row[i] = 0.3
		}
	})
	if err != nil {
		return err
	}
	var a average
	for _, v := range values {
		a.add(v)
	}
	if s := math.Sqrt(a.variance()); s > 0 && !math.IsInf(s, 0) {
		r.noisy(strategy.Noise{Kind: strategy.Random, Sigma: s})
	}
	return nil
}

func (r *run) noisy(n strategy.Noise) {
	r.f.grain.Absolute = n.Sigma
	r.f.noise = newNoise(n, r.task.Budget, r.task.Seed)
}
