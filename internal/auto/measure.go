package auto

import (
	"context"
	"slices"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// measure measures how exact f's values are, unless the task says it. With so few queries that
// no coordinates are looked for it does not, nor for the paper's way to find them.
func (r *run) measure(ctx context.Context) error {
	d := r.f.Dim()
	_, paper := r.task.Identifier.(identify.Paper)
	switch {
	case r.measured:
		return nil
	case r.task.NoiseLevel > 0:
		r.grainKnown(objective.Known(r.task.NoiseLevel))
		return nil
	case paper || r.task.Budget < min(perDimension*d, identify.Least(d)):
		return nil
	default:
		r.f.stage(grains.OfNoise)
		grain, err := grains.Measure(ctx, counted{r.f}, objective.Cube(d, -1, 1), rng.Seed(r.task.Seed).Stream("grain"))
		if err != nil {
			return err
		}
		r.grainKnown(grain)
	}
	return nil
}

// grainKnown says how exact f's values are.
func (r *run) grainKnown(grain objective.Grain) {
	r.f.grain, r.measured = grain, true
	if grain.Noisy() {
		r.f.noise = newNoise(grain, r.task.Budget, r.task.Seed)
	}
}

// request is what a survey is told.
func (r *run) request() identify.Request {
	request := r.task.Request()
	request.Grain, request.Stage = r.f.grain, r.f.stage
	return request
}

// rounding says what the error of a function without noise is at the point found, if it computes in
// single precision.
func (r *run) rounding() *strategy.Noise {
	f := r.f
	if r.mapping != nil {
		f = r.mapping.f
	}
	if f.grain.Kind != objective.SinglePrecision {
		return &strategy.Noise{}
	}
	v := f.best.Value
	if notFinite(v) {
		v = 0
	}
	return &strategy.Noise{Kind: f.grain.Kind, Sigma: f.grain.Of(v)}
}

// nearby measures the errors of a function that computes in single precision again, once, where
// its minimum is about: what it adds up is little there.
func (r *run) nearby(ctx context.Context) error {
	if r.near || r.mapping != nil || r.f.best.Point == nil || r.f.grain.Kind != objective.SinglePrecision {
		return nil
	}
	r.near = true
	r.f.stage(grains.OfNoise)
	grain, err := grains.Nearby(ctx, counted{r.f}, objective.Cube(r.f.Dim(), -1, 1), slices.Clone(r.f.best.Point), r.f.grain, rng.Seed(r.task.Seed).Stream("grain", "nearby"))
	r.f.grain = grain
	return err
}
