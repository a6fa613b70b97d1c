// Package objective is the one contract of this module. An Objective evaluates
// f at every row of a batch of points.
//
// Start with Func, Fallible (for functions that return an error now and then) or Batch, which
// turn ordinary functions into objectives.
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
	// A value of +Inf or NaN says that f failed at that point,
	// and the run goes on. An error ends the run. If some values are known
	// when it happens, the error is a *PartialError, which says how many.
	Evaluate(ctx context.Context, points *mat.Dense, values []float64) error
}
