package objective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Guard is the one place that handles bad values. No value that leaves it is NaN:
// a NaN becomes +Inf and is counted. A panic becomes a *PanicError that names the
// point. A value that the objective does not set counts as NaN.
type Guard struct {
	// PanicsFail makes a panic the failure of its point, and the run goes on. Where a
	// whole batch has panicked, its points are asked again one by one to find which.
	PanicsFail bool
	// Timed measures how long each evaluation takes.
	Timed bool

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
func (g *Guard) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return g.each(ctx, points, values, listener{tell: nobody})
}

// Each evaluates the guarded objective and tells every answer.
func (g *Guard) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, Answer)) error {
	return g.each(ctx, points, values, listener{tell, true})
}

func (g *Guard) each(ctx context.Context, points *mat.Dense, values []float64, to listener) error {
	if g.PanicsFail {
		return g.unpanicked(ctx, points, values, to)
	}
	return g.once(ctx, points, values, to)
}

// once evaluates a batch. It returns a panic as an error.
func (g *Guard) once(ctx context.Context, points *mat.Dense, values []float64, to listener) (err error) {
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
	switch f := g.f.(type) {
	case pointwise:
		done = 0
		return itsOwn(len(values), f.evaluate(ctx, points, values, g.told(to), &done))
	case Teller:
		if !g.PanicsFail { // it might tell an answer and panic, and be asked again
			return itsOwn(len(values), f.Each(ctx, points, values, g.told(to)))
		}
	}
	for i := range values {
		values[i] = math.NaN()
	}
	began := g.now()
	err = itsOwn(len(values), g.f.Evaluate(ctx, points, values))
	seconds := g.since(began) / float64(max(len(values), 1))
	for i, v := range values[:Evaluated(values, err)] {
		if to.all || !(v < math.Inf(1)) {
			to.tell(i, checked(Answer{Value: v, Seconds: seconds}))
		}
	}
	return err
}

// told checks each answer before it tells it, and measures how long it took if f does not.
func (g *Guard) told(to listener) func(int, Answer) {
	last := g.now()
	return func(i int, a Answer) {
		if !to.wants(&a) {
			return
		}
		if _, alone := g.f.(pointwise); g.Timed && alone {
			a.Seconds = g.since(last)
			last = g.now()
		}
		to.tell(i, checked(a))
	}
}

func (g *Guard) now() (t time.Time) {
	if g.Timed {
		t = time.Now()
	}
	return t
}

// since returns the seconds since then, 0 if they are not measured.
func (g *Guard) since(then time.Time) float64 {
	if !g.Timed {
		return 0
	}
	return time.Since(then).Seconds()
}

// checked returns an answer whose value is not NaN, and that has a reason if it failed.
func checked(a Answer) Answer {
	if !(a.Value < math.Inf(1)) && a.Failure == nil {
		a.Failure = &Failure{NotANumber, fmt.Sprintf("the value is %v", a.Value)}
	}
	if math.IsNaN(a.Value) {
		a.Value = math.Inf(1)
	}
	return a
}

// unpanicked evaluates a batch in which a point at which f panics has failed.
func (g *Guard) unpanicked(ctx context.Context, points *mat.Dense, values []float64, to listener) error {
	n := len(values)
	size := n // how many points are asked at a time
	for lo := 0; lo < n; {
		hi := min(lo+size, n)
		err := g.once(fromRow(ctx, lo), rows(points, lo, hi), values[lo:hi], to.from(lo))
		done, spent := progress(hi-lo, err)
		var panicked *PanicError
		_, alone := g.f.(pointwise)
		switch {
		case err == nil:
			lo = hi
		case !errors.As(Cause(err), &panicked) || done == 0:
			return partial(lo+done, lo+spent, err)
		case alone || hi-lo == 1: // it is known which point it was
			lo += done
			to.tell(lo-1, Answer{Value: math.Inf(1), Failure: &Failure{Errored, oneLine(fmt.Sprintf("panic: %v", panicked.Cause))}})
		default:
			size = 1
		}
	}
	return nil
}

// itsOwn returns an error of the objective so that nobody takes it for one of the run: the
// budget or the target that it speaks of, of a search inside it perhaps, is not ours.
func itsOwn(n int, err error) error {
	why := Cause(err)
	for _, ours := range []error{ErrBudget, ErrTarget, ErrTolerance, ErrTime} {
		if errors.Is(why, ours) {
			done, spent := progress(n, err)
			return partial(done, spent, fmt.Errorf("the objective failed: %v", why))
		}
	}
	return err
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
