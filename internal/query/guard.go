package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/untwist/untwist/objective"
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

	wrapped
	nan atomic.Int64
}

// NewGuard guards f. A Guard is safe for concurrent use if f is.
func NewGuard(f objective.Objective) *Guard { return &Guard{wrapped: wrapped{f}} }

// NaN returns how many values have been NaN so far.
func (g *Guard) NaN() int { return int(g.nan.Load()) }

// Evaluate evaluates the guarded objective.
func (g *Guard) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return g.Each(ctx, points, values, nobody)
}

// Each evaluates the guarded objective and tells every answer.
func (g *Guard) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	if g.PanicsFail {
		return g.unpanicked(ctx, points, values, tell)
	}
	return g.once(ctx, points, values, tell)
}

// once evaluates a batch. It returns a panic as an error.
func (g *Guard) once(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) (err error) {
	var done *int // how many values are known; nil: f does not say
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
		done = new(int)
		return itsOwn(len(values), f.Counting(ctx, points, values, g.told(tell), done))
	case Teller:
		if !g.PanicsFail || NumbersOf(g.f) > 0 { // it might tell an answer and panic, and be asked again
			return itsOwn(len(values), f.Each(ctx, points, values, g.told(tell)))
		}
	}
	for i := range values {
		values[i] = math.NaN()
	}
	began := g.now()
	err = itsOwn(len(values), g.f.Evaluate(ctx, points, values))
	seconds := g.since(began) / float64(max(len(values), 1))
	for i, v := range values[:Evaluated(values, err)] {
		tell(i, checked(objective.Answer{Value: v, Seconds: seconds}))
	}
	return err
}

// pointwise is what Func and Fallible return: it counts the values that are known in done.
type pointwise interface {
	Counting(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer), done *int) error
}

// told checks each answer before it tells it, and measures how long it took if f does not.
func (g *Guard) told(tell func(int, objective.Answer)) func(int, objective.Answer) {
	last := g.now()
	_, alone := g.f.(pointwise)
	return func(i int, a objective.Answer) {
		if g.Timed && alone {
			a.Seconds = g.since(last)
			last = g.now()
		}
		tell(i, checked(a))
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

// FailureOf returns why a query failed, nil if it did not.
func FailureOf(a objective.Answer) *objective.Failure {
	if a.Failure == nil && !(a.Value < math.Inf(1)) {
		return &objective.Failure{Kind: objective.NotANumber, Detail: "the value was NaN or +Inf"}
	}
	return a.Failure
}

// checked returns an answer whose value is not NaN, and that has a reason if it failed.
func checked(a objective.Answer) objective.Answer {
	if !(a.Value < math.Inf(1)) && a.Failure == nil {
		a.Failure = &objective.Failure{Kind: objective.NotANumber, Detail: fmt.Sprintf("the value is %v", a.Value)}
	}
	if math.IsNaN(a.Value) {
		a.Value = math.Inf(1)
	}
	return a
}

// unpanicked evaluates a batch in which a point at which f panics has failed.
func (g *Guard) unpanicked(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	n := len(values)
	size := n // how many points are asked at a time
	for lo := 0; lo < n; {
		hi := min(lo+size, n)
		err := g.once(fromRow(ctx, lo), rows(points, lo, hi), values[lo:hi], later(lo, tell))
		done, spent := progress(hi-lo, err)
		var panicked *objective.PanicError
		_, alone := g.f.(pointwise)
		switch {
		case err == nil:
			lo = hi
		case !errors.As(objective.Cause(err), &panicked) || done == 0:
			return partial(lo+done, lo+spent, err)
		case alone || hi-lo == 1: // it is known which point it was
			lo += done
			tell(lo-1, objective.Answer{Value: math.Inf(1), Failure: &objective.Failure{Kind: objective.Errored, Detail: strings.Join(strings.Fields(fmt.Sprintf("panic: %v", panicked.Cause)), " ")}})
		default:
			size = 1
		}
	}
	return nil
}

// itsOwn returns an error of the objective so that nobody takes it for one of the run: the
// budget or the target that it speaks of, of a search inside it perhaps, is not ours.
func itsOwn(n int, err error) error {
	why := objective.Cause(err)
	for _, ours := range []error{objective.ErrBudget, objective.ErrTarget, objective.ErrTolerance, objective.ErrTime} {
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
func (g *Guard) panicked(points *mat.Dense, values []float64, known *int, cause any) error {
	if len(values) == 0 {
		return &objective.PanicError{Cause: cause, Stack: debug.Stack()}
	}
	done, suspects := -1, 1
	if known != nil {
		done = *known
	} else {
		for i, v := range values {
			if !math.IsNaN(v) {
				done = i
			}
		}
		done = min(done+1, len(values)-1) // f may have set all values and panicked then
		suspects = len(values) - done
	}
	values[done] = math.Inf(1)
	return partial(done+1, done+1, &objective.PanicError{
		Point:    append([]float64(nil), points.RawRowView(done)...),
		Suspects: suspects,
		Cause:    cause,
		Stack:    debug.Stack(),
	})
}
