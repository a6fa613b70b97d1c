package auto

import (
	"context"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// measure measures how exact f's values are, unless the task says it. With so few queries that
// no coordinates are looked for it does not, nor for the paper's way to find them.
func (r *run) measure(ctx context.Context) error {
	d := r.f.Dim()
	_, paper := r.task.Identifier.(identify.Paper)
	switch {
	case r.task.NoiseLevel > 0:
		r.f.grain = objective.Known(r.task.NoiseLevel)
	case paper || r.task.Budget < min(perDimension*d, identify.Least(d)):
		return nil
	default:
		r.f.stage(objective.OfNoise)
		grain, err := objective.MeasureGrain(ctx, counted{r.f}, objective.Cube(d, -1, 1), rng.Seed(r.task.Seed).Stream("grain"))
		if err != nil {
			return err
		}
		r.f.grain = grain
	}
	r.measured = true
	if r.f.grain.Kind != objective.NoNoise {
		r.f.noise = newNoise(r.f.grain, r.task.Budget, r.task.Seed)
	}
	return nil
}

// request is what a survey is told.
func (r *run) request() identify.Request {
	request := r.task.Request()
	request.Grain, request.Stage = r.f.grain, r.f.stage
	return request
}
