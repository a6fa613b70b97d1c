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
// calls only if there are several workers. Func panics if
// dim < 1 or f is nil.
func Func(dim int, f func(x []float64) float64) Objective {
	mustBeCallable(dim, f == nil)
	return pointwise{dim, func(_ context.Context, x []float64) (Answer, error) { return Answer{Value: f(x)}, nil }}
}

// Batch lifts f, a function that evaluates many points at once, to an
// Objective: f sets values[i] for every row i of points, which it must not
// change. In a run, a value that f does not set is NaN. Batch panics if
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

// pointwise evaluates its points one by one.
type pointwise struct {
	dim int
	at  func(ctx context.Context, x []float64) (Answer, error)
}

func (p pointwise) Dim() int { return p.dim }

func (p pointwise) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return p.Each(ctx, points, values, nobody)
}

// Each tells every value as soon as it is known.
func (p pointwise) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, Answer)) error {
	var done int
	return p.Counting(ctx, points, values, tell, &done)
}

// Counting keeps in done how many values are known, which a run needs to know when f panics.
func (p pointwise) Counting(ctx context.Context, points *mat.Dense, values []float64, tell func(int, Answer), done *int) error {
	x := make([]float64, p.dim)
	for i := range values {
		if err := ctx.Err(); err != nil {
			return partial(i, i, err)
		}
		copy(x, points.RawRowView(i))
		a, err := p.at(ctx, x)
		if err != nil {
			return partial(i, i, err)
		}
		values[i] = a.Value
		*done = i + 1
		tell(i, a)
	}
	return nil
}

// Unnumbered says that f cannot ask for the numbers of queries.
func (p pointwise) Unnumbered() {}

// nobody listens.
func nobody(int, Answer) {}

type batchwise struct {
	dim int
	f   func(*mat.Dense, []float64)
}

func (b batchwise) Dim() int { return b.dim }

// Unnumbered says that f cannot ask for the numbers of queries.
func (b batchwise) Unnumbered() {}

func (b batchwise) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.f(points, values)
	return nil
}
