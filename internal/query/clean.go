package query

import (
	"context"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Cleaner is a benchmark's objective that knows what its values would be without noise,
// rounding and the like. If it is Blemished, a run's target is compared with clean values.
// Only a benchmark can know them.
type Cleaner interface {
	objective.Objective
	Blemished() bool // whether Clean differs from Evaluate
	Clean(ctx context.Context, points *mat.Dense, values []float64) error
}

// CleanOf returns the clean function of f; nil: f has none, or is clean itself.
func CleanOf(f objective.Objective) objective.Objective {
	if c, ok := f.(Cleaner); ok && c.Blemished() {
		return clean{c}
	}
	return nil
}

type clean struct{ Cleaner }

// Evaluate sets the clean values.
func (c clean) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return c.Clean(ctx, points, values)
}
