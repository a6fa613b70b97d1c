package auto

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/identify"
	down "github.com/untwist/untwist/internal/descent"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

const (
	// straightMost is how many queries for each dimension one descent gets at most, where a survey is in doubt: Rosenbrock's
	// function in 20 dimensions takes 130.
	straightMost = 200
	// straightPart is the part of what is left of the budget that it gets at most.
	straightPart = 2
	// straightUpTo is up to how many times the least budget of a survey there is such a descent: with more, CMA-ES comes as
	// far on smooth functions, and all of what it asks is as it was.
	straightUpTo = 8
)

// straight goes straight down from the best point known, once, before CMA-ES begins: where f does not separate it may be smooth.
// Under noise CMA-ES does that as well.
func (r *run) straight(ctx context.Context) error {
	if r.descended || r.sprint != nil || r.f.noise != nil || r.fallback.spent() > 0 || r.f.best.Point == nil ||
		r.task.Frame != nil || r.task.Identifier != nil || r.task.Budget >= straightUpTo*identify.Least(r.f.Dim()) {
		return nil
	}
	r.descended = true
	now, limit := r.f.now, r.f.limit
	defer func() {
		r.f.stage(now)
		r.f.limit = limit
	}()
	r.f.stage(straightDown)
	r.f.limit = r.f.queries + min((r.task.Budget-r.f.queries)/straightPart, straightMost*r.f.Dim())
	_, err := down.Minimize(ctx, counted{r.f}, down.Config{
		Start: slices.Clone(r.f.best.Point), Value: r.f.best.Value, Bounds: r.task.Bounds, Spread: r.f.first - r.f.best.Value,
		Grain: r.f.grain, Known: true, Random: rng.Seed(r.task.Seed).Stream("auto", "straight"),
	})
	if errors.Is(err, errShare) {
		return nil
	}
	return err
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
