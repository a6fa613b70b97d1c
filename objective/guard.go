package objective

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
)

// Guard is the one door for bad values. Behind it no value is NaN: a NaN
// becomes +Inf and is counted, a panic becomes a *PanicError that names the
// point, and an objective that forgets to set a value ends with an error.
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
	Clear(values)
	defer func() {
		if cause := recover(); cause != nil {
			err = g.panicked(points, values, cause)
		}
		if missing := g.admit(values); missing >= 0 && err == nil {
			err = fmt.Errorf("objective set no value for point %d of %d in a batch", missing+1, len(values))
		}
	}()
	return g.f.Evaluate(ctx, points, values)
}

// admit turns every NaN that f returned into +Inf and returns the first value
// that f did not set, or -1.
func (g *Guard) admit(values []float64) (missing int) {
	missing = -1
	for i, v := range values {
		switch {
		case v == v:
		case IsSet(v):
			values[i] = math.Inf(1)
			g.nan.Add(1)
		case missing < 0:
			missing = i
		}
	}
	return missing
}

// panicked makes the error for a panic. The panicking query was a query: its
// value is set to +Inf, so that it is counted.
func (g *Guard) panicked(points *mat.Dense, values []float64, cause any) error {
	i := min(Evaluated(values), len(values)-1)
	suspects := len(values) - i
	if _, one := g.f.(pointwise); one {
		suspects = 1
	}
	values[i] = math.Inf(1)
	return &PanicError{
		Point:    append([]float64(nil), points.RawRowView(i)...),
		Suspects: suspects,
		Cause:    cause,
		Stack:    debug.Stack(),
	}
}

// A PanicError says that the objective panicked.
type PanicError struct {
	// Point is the first point of its batch that had no value yet, and
	// Suspects how many there were. For an objective made by Func there is
	// one: Point is where f panicked.
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
