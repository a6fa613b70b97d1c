package objective

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Ask evaluates f at n points. It calls fill(k, x) to set x to the k-th point.
// It evaluates in batches as large as MaxBatch allows, and returns all values
// or the first error.
func Ask(ctx context.Context, f Objective, n int, fill func(k int, x []float64)) ([]float64, error) {
	values := make([]float64, n)
	if n == 0 {
		return values, nil
	}
	most := max(1, min(MaxBatch(f.Dim()), n))
	points := mat.NewDense(most, f.Dim(), nil)
	for lo := 0; lo < n; lo += most {
		hi := min(lo+most, n)
		for k := lo; k < hi; k++ {
			fill(k, points.RawRowView(k-lo))
		}
		if err := f.Evaluate(ctx, rows(points, 0, hi-lo), values[lo:hi]); err != nil {
			return nil, err
		}
	}
	return values, nil
}
