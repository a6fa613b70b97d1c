package query

import (
	"context"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Ask evaluates f at n points. It calls fill(k, x) to set x to the k-th point.
// It evaluates in batches as large as MaxBatch allows, and returns all values
// or the first error.
func Ask(ctx context.Context, f objective.Objective, n int, fill func(k int, x []float64)) ([]float64, error) {
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

// batchBytes is the most memory that the points of one batch should take.
const batchBytes = 64 << 20

// MaxBatch returns how many points of d coordinates a batch may have.
func MaxBatch(d int) int { return batchBytes / (8 * d) }

// rows returns the rows lo ≤ i < hi of m as a view.
func rows(m *mat.Dense, lo, hi int) *mat.Dense {
	_, d := m.Dims()
	return m.Slice(lo, hi, 0, d).(*mat.Dense)
}
