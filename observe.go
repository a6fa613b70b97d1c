package untwist

import (
	"context"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// observed shows what passes to a function, after every batch.
type observed struct {
	objective.Objective
	show func(points *mat.Dense, values []float64)
}

// Evaluate evaluates the batch, and shows the points at the front of it whose values are known.
func (o observed) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := o.Objective.Evaluate(ctx, points, values)
	if n := objective.Evaluated(values, err); n > 0 {
		_, d := points.Dims()
		o.show(points.Slice(0, n, 0, d).(*mat.Dense), values[:n])
	}
	return err
}
