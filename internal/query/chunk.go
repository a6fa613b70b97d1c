package query

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// ChunkRows is how many points a run evaluates before it checks the target and the
// context, and reports its progress.
const ChunkRows = 1024

// Chunk cuts long batches into pieces of a fixed number of rows, in order, so that a
// run can report progress, reach its target or be cancelled within a batch: a Hessian
// at d = 100 is one batch of 5,151 points. It never cuts by time, so the same points
// are evaluated however fast f is.
type Chunk struct {
	wrapped
	rows   int
	first  int
	asked  int
	rounds int
}

// NewChunk passes batches on to f in pieces of at most rows points. It panics if
// rows < 1. No piece goes on past the query with number first, so that a run can end if
// its first queries have all failed; 0: there is no such query.
func NewChunk(f objective.Objective, rows, first int) *Chunk {
	if rows < 1 {
		panic(fmt.Sprintf("objective: a chunk of %d rows", rows))
	}
	return &Chunk{wrapped: wrapped{f}, rows: rows, first: first}
}

// Rounds returns how many batches it was asked for. A user who evaluates all points
// of a batch at the same time waits for this many evaluations, one after another.
func (c *Chunk) Rounds() int { return c.rounds }

// Evaluate evaluates the batch piece by piece.
func (c *Chunk) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	c.rounds++
	n := len(values)
	for lo, hi := 0, 0; lo < n; lo = hi {
		hi = min(lo-lo%c.rows+c.rows, n) // also after a shorter piece
		if c.asked < c.first {
			hi = min(hi, lo+c.first-c.asked)
		}
		c.asked += hi - lo
		if err := c.f.Evaluate(ctx, rows(points, lo, hi), values[lo:hi]); err != nil {
			done, spent := progress(hi-lo, err)
			return partial(lo+done, lo+spent, err)
		}
	}
	return nil
}

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
