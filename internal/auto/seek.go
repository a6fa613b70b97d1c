package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

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
