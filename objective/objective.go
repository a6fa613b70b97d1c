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
//	Scale   shows algorithms coordinates in which the start box is [-1, 1]^d
//
// A query is one evaluation of f at one point, whatever came back; it is the
// unit of all cost.
package objective

import (
	"context"
	"math"

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
	// and the run goes on. An error ends the run; then the values of points
	// that were not evaluated are left as they were, or as Clear leaves them.
	Evaluate(ctx context.Context, points *mat.Dense, values []float64) error
}

// Two NaNs whose bits no computation produces, so that they cannot be taken
// for a NaN that f returned: unset marks a value that nobody has written, and
// discarded one that was written and taken back.
var (
	unset     = math.Float64frombits(0x7ff8_7477_6973_7421)
	discarded = math.Float64frombits(0x7ff8_7477_6973_7422)
)

// Clear marks all values as not evaluated. Who needs to know after an error
// how far a batch has come clears the values before it asks.
func Clear(values []float64) {
	for i := range values {
		values[i] = unset
	}
}

// IsSet reports whether v was written since it was cleared.
func IsSet(v float64) bool { return !same(v, unset) }

// Evaluated returns how many values at the front of a batch were set, all of
// them where there was no error. A run takes notice of these alone: with
// several workers some points behind the first that failed may have been
// evaluated too, and are counted, but which ones is chance.
func Evaluated(values []float64) int {
	for i, v := range values {
		if same(v, unset) || same(v, discarded) {
			return i
		}
	}
	return len(values)
}

// discard takes back the values that were set.
func discard(values []float64) {
	for i, v := range values {
		if IsSet(v) {
			values[i] = discarded
		}
	}
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// batchBytes is the most memory that the points of one batch should take.
const batchBytes = 64 << 20

// MaxBatch returns how many points of d coordinates a batch may have.
func MaxBatch(d int) int { return batchBytes / (8 * d) }

// rows returns the rows lo ≤ i < hi of m as a view.
func rows(m *mat.Dense, lo, hi int) *mat.Dense {
	_, d := m.Dims()
	return m.Slice(lo, hi, 0, d).(*mat.Dense)
}
