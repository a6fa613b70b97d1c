package objective

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Func lifts f, a function of one point of dim coordinates, to an Objective.
//
// f is called once for every query. It gets a copy of the point, so it may
// write to its argument; it must not keep it. f has to be safe for concurrent
// calls only if it runs under a Pool of several workers. Func panics if
// dim < 1 or f is nil.
func Func(dim int, f func(x []float64) float64) Objective {
	mustBeCallable(dim, f == nil)
	return pointwise{dim, f}
}

// Batch lifts f, a function that evaluates many points at once, to an
// Objective: f sets values[i] for every row i of points, which it must not
// change. Under a Guard, a value that f does not set is NaN. Batch panics if
// dim < 1 or f is nil.
func Batch(dim int, f func(points *mat.Dense, values []float64)) Objective {
	mustBeCallable(dim, f == nil)
	return batchwise{dim, f}
}

func mustBeCallable(dim int, isNil bool) {
	if dim < 1 {
		panic(fmt.Sprintf("objective: dimension %d, must be at least 1", dim))
	}
	if isNil {
		panic("objective: the function is nil")
	}
}

type pointwise struct {
	dim int
	f   func([]float64) float64
}

func (p pointwise) Dim() int { return p.dim }

func (p pointwise) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	var done int
	return p.evaluate(ctx, points, values, &done)
}

// evaluate keeps in done how many values are known. A Guard needs that number when f
// panics.
func (p pointwise) evaluate(ctx context.Context, points *mat.Dense, values []float64, done *int) error {
	x := make([]float64, p.dim)
	for i := range values {
		if err := ctx.Err(); err != nil {
			return partial(i, i, err)
		}
		copy(x, points.RawRowView(i))
		values[i] = p.f(x)
		*done = i + 1
	}
	return nil
}

type batchwise struct {
	dim int
	f   func(*mat.Dense, []float64)
}

func (b batchwise) Dim() int { return b.dim }

func (b batchwise) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.f(points, values)
	return nil
}
