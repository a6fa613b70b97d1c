// Package asktell turns an algorithm inside out.
//
// An algorithm calls an Objective and waits for the values. A Talk runs it until
// it calls, and shows the points that it wants; when it is told the values the
// algorithm goes on to its next call. So algorithms can be paused, and many of them
// can be advanced together, their points in one batch. Start with New.
package asktell

import (
	"context"
	"errors"
	"iter"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// ErrStopped is what the Objective of an algorithm returns that was stopped.
var ErrStopped = errors.New("asktell: the algorithm was stopped")

// A Talk is a conversation with an algorithm. It is a coroutine: it runs only
// inside Ask.
type Talk struct {
	next func() (*call, bool)
	stop func()
	now  *call // what was asked last; nil: nothing yet, or the end
	told bool
	err  error // with which the algorithm ended
}

// A call is one call of Evaluate.
type call struct {
	points *mat.Dense
	values []float64
	err    error
}

// New prepares a talk with an algorithm that minimises a function of so many
// dimensions. Nothing runs before the first Ask.
func New(dim int, run func(f objective.Objective) error) *Talk {
	t := &Talk{told: true}
	t.next, t.stop = iter.Pull(func(yield func(*call) bool) {
		t.err = run(&inside{dim: dim, yield: yield})
	})
	return t
}

// Ask returns the points, one in each row, of which the algorithm wants the
// values; the same until Tell is called, and nil once the algorithm has ended. They
// are the algorithm's own and must not be changed.
func (t *Talk) Ask() *mat.Dense {
	if t.told {
		t.told = false
		t.now, _ = t.next()
	}
	if t.now == nil {
		return nil
	}
	return t.now.points
}

// Tell answers the last Ask: by the values, or by the error with which the
// evaluation ended, in which case values may be short.
func (t *Talk) Tell(values []float64, err error) {
	if t.now == nil || t.told {
		panic("asktell: told without being asked")
	}
	copy(t.now.values, values)
	t.now.err = err
	t.told = true
}

// Err returns the error with which the algorithm ended, if it has.
func (t *Talk) Err() error { return t.err }

// Stop ends the algorithm where it is. It must be called on a talk that was begun
// and is not brought to its end; otherwise it does nothing.
func (t *Talk) Stop() {
	t.stop()
	t.now, t.told = nil, false
}

// inside is the objective that the algorithm sees.
type inside struct {
	dim     int
	yield   func(*call) bool
	stopped bool
}

// Dim returns the dimension.
func (f *inside) Dim() int { return f.dim }

// Evaluate hands the points over and waits.
func (f *inside) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := &call{points: points, values: values}
	if f.stopped || !f.yield(c) {
		f.stopped = true
		return ErrStopped
	}
	return c.err
}
