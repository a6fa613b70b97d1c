// Package objective is the one contract of this module. An Objective evaluates
// f at every row of a batch of points. Whatever else happens to a query is done
// by a wrapper around an Objective.
//
// Start with Func, Fallible (for functions that return an error now and then) or Batch, which
// turn ordinary functions into objectives. The wrappers, from the function outwards, in the
// order in which a run stacks them:
//
//	Guard   handles bad values: NaN becomes +Inf, and a panic becomes an error
//	Pool    splits a batch over goroutines; results are stored by index
//	Meter   counts queries and enforces the budget, both exactly
//	Record  keeps the best point ever evaluated and the convergence curve
//	Chunk   cuts long batches, so that a run can stop or report within one
//	Scale   shows algorithms coordinates in which the start box is [-1, 1]^d
//
// A query is one evaluation of f at one point, whatever the result. It is the
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
	// and the run goes on. An error ends the run. If some values are known
	// when it happens, the error is a *PartialError, which says how many.
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
