// Package objective is the one contract of this module: an Objective evaluates
// f at every row of a batch of points, and everything that happens to a query
// on its way is a wrapper around one.
//
// Start with Func or Batch, which lift ordinary functions. The wrappers, from
// the function outwards as a run composes them:
//
//	Guard   the one door for bad values: NaN becomes +Inf, a panic an error
//	Pool    splits a batch over goroutines; results land by index
//	Meter   counts queries exactly and enforces the budget exactly
//	Record  keeps the best point ever evaluated and the convergence curve
//	Chunk   cuts long batches, so that target and progress are seen within them
//	Scale   shows algorithms coordinates in which the start box is [-1, 1]^d
//
// A query is one evaluation of f at one point, whatever came back; it is the
// unit of all cost.
package objective

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// An Objective evaluates f at every row of points.
type Objective interface {
	// Dim returns d, the number of coordinates of a point.
	Dim() int

	// Evaluate sets values[i] = f(points[i, :]) for every row i. It neither
	// changes nor keeps points or values. The value of a point must not
	// depend on the batch that it came in.
	//
	// A value of +Inf (or NaN, see Guard) says that f failed at that point,
	// and the run goes on. An error ends the run. If some values are known by
	// then it is a *PartialError, which says how many.
	Evaluate(ctx context.Context, points *mat.Dense, values []float64) error
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
