package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
)

// Guard is the one place that handles bad values. No value that leaves it is NaN:
// a NaN becomes +Inf and is counted. A panic becomes a *PanicError that names the
// point. A value that the objective does not set counts as NaN.
type Guard struct {
	f   Objective
	nan atomic.Int64
}

// NewGuard guards f. A Guard is safe for concurrent use if f is.
func NewGuard(f Objective) *Guard { return &Guard{f: f} }

// Dim returns the dimension of the guarded objective.
func (g *Guard) Dim() int { return g.f.Dim() }

// NaN returns how many values have been NaN so far.
func (g *Guard) NaN() int { return int(g.nan.Load()) }

// Evaluate evaluates the guarded objective.
func (g *Guard) Evaluate(ctx context.Context, points *mat.Dense, values []float64) (err error) {
	done := -1 // how many values are known; -1: f does not say
	defer func() {
		if cause := recover(); cause != nil {
			err = g.panicked(points, values, done, cause)
		}
		for i, v := range values[:Evaluated(values, err)] {
			if math.IsNaN(v) {
				values[i] = math.Inf(1)
				g.nan.Add(1)
			}
		}
	}()
	if f, ok := g.f.(pointwise); ok {
		done = 0
		return f.evaluate(ctx, points, values, &done)
	}
	for i := range values {
		values[i] = math.NaN()
	}
	return itsOwn(len(values), g.f.Evaluate(ctx, points, values))
}

// itsOwn returns an error of the objective so that nobody takes it for one of the run: the
// budget or the target that it speaks of, of a search inside it perhaps, is not ours.
func itsOwn(n int, err error) error {
	why := cause(err)
	if !errors.Is(why, ErrBudget) && !errors.Is(why, ErrTarget) {
		return err
	}
	done, spent := progress(n, err)
	return partial(done, spent, fmt.Errorf("the objective failed: %v", why))
}

// panicked makes the error for a panic. The query that panicked was a query: its value
// is +Inf, and it is counted. An objective that does not say how far it came is taken to
// set its values in order: it panicked at one of the points behind the last that has a
// value, and the first of these stands for all.
func (g *Guard) panicked(points *mat.Dense, values []float64, done int, cause any) error {
	if len(values) == 0 {
		return &PanicError{Cause: cause, Stack: debug.Stack()}
	}
	suspects := 1
	if done < 0 {
		for i, v := range values {
			if !math.IsNaN(v) {
				done = i
			}
		}
		done = min(done+1, len(values)-1) // f may have set all values and panicked then
		suspects = len(values) - done
	}
	values[done] = math.Inf(1)
	return partial(done+1, done+1, &PanicError{
		Point:    append([]float64(nil), points.RawRowView(done)...),
		Suspects: suspects,
		Cause:    cause,
		Stack:    debug.Stack(),
	})
}

// A PanicError says that the objective panicked.
type PanicError struct {
	// Point is the first point of its batch that had no value yet, and
	// Suspects is how many such points there were. For an objective made by
	// Func there is exactly one: Point is where f panicked.
	Point    []float64
	Suspects int
	// Cause is the value of the panic.
	Cause any
	// Stack is the panicking goroutine's stack.
	Stack []byte
}

func (e *PanicError) Error() string {
	if e.Suspects > 1 {
		return fmt.Sprintf("objective panicked at one of %d points, the first of them x = %v: %v", e.Suspects, e.Point, e.Cause)
	}
	return fmt.Sprintf("objective panicked at x = %v: %v", e.Point, e.Cause)
}

// Unwrap returns the panic's value if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Cause.(error)
	return err
}
