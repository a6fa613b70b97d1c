// Package asktell turns an algorithm inside out.
//
// An algorithm calls an Objective and waits for the values. A Talk runs it until
// it calls, and shows the points that it wants; when it is told the values, the
// algorithm goes on to its next call. So an algorithm can be paused, and many of
// them can be advanced together, their points in one batch. Start with New.
//
// An algorithm that asks from several goroutines at once does not fit a Talk: it is
// refused with ErrConcurrent. Give it one worker, and spread the points that Ask
// returns over as many as you like.
//
// To minimise a function in a loop of your own, take untwist.Ask, which also keeps budgets,
// bounds, units and journals.
package asktell

import (
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

var (
	// ErrStopped is what the Objective of an algorithm returns once Stop was called.
	ErrStopped = errors.New("asktell: the algorithm was stopped")

	// ErrConcurrent is what the Objective of an algorithm returns when it is called
	// while another call waits for its values, and from then on.
	ErrConcurrent = errors.New("asktell: the algorithm asks from several goroutines at once; give it one worker")
)

// A Talk is a conversation with an algorithm. It is a coroutine: the algorithm runs
// only while Ask or Stop does.
//
// A Talk is for one goroutine at a time. Its methods panic if two use it at once, or
// if the algorithm uses its own Talk. They panic too if they are called out of turn,
// as each says.
type Talk struct {
	next func() (*call, bool)
	stop func()
	now  *call // what was asked last; nil: nothing yet, or the end
	told bool
	err  error // with which the algorithm ended
	used atomic.Bool
}

// New prepares a talk with an algorithm that minimises a function of dim
// dimensions. Nothing runs before the first Ask. run has to return when its
// Objective returns an error, or Stop waits for ever. New panics if there is no
// dimension or no algorithm.
func New(dim int, run func(f objective.Objective) error) *Talk {
	if dim < 1 {
		panic(fmt.Sprintf("asktell: New with %d dimensions; it needs at least 1", dim))
	}
	if run == nil {
		panic("asktell: New without an algorithm")
	}
	t := &Talk{told: true}
	t.next, t.stop = iter.Pull(func(yield func(*call) bool) {
		f := &inside{dim: dim, yield: yield}
		var err error
		defer func() { // after a panic too
			f.end()
			t.err = err
		}()
		err = run(f)
	})
	return t
}

// Ask returns the points, one in each row, of which the algorithm wants the values:
// the same until Tell is called, and nil once the algorithm has ended or was stopped.
// They are the algorithm's own and must not be changed. If the algorithm panics, so
// does Ask.
func (t *Talk) Ask() *mat.Dense {
	t.use()
	defer t.used.Store(false)
	if t.told {
		t.now, t.told = nil, false
		t.now, _ = t.next()
	}
	if t.now == nil {
		return nil
	}
	return t.now.points
}

// Tell answers the last Ask: by a value for each point, or by the error with which
// the evaluation ended, in which case there may be fewer values. It panics if there
// is nothing to answer, or if the number of values is wrong.
func (t *Talk) Tell(values []float64, err error) {
	t.use()
	defer t.used.Store(false)
	if t.now == nil || t.told {
		panic("asktell: Tell without a question; call Ask first, and Tell once for each Ask that returns points")
	}
	if n := len(t.now.values); len(values) > n || len(values) < n && err == nil {
		panic(fmt.Sprintf("asktell: Tell with %d values for %d points; give one for each, or an error", len(values), n))
	}
	copy(t.now.values, values)
	t.now.err = err
	t.told = true
}

// Err returns the error with which the algorithm ended, nil if it has not ended.
func (t *Talk) Err() error {
	t.use()
	defer t.used.Store(false)
	return t.err
}

// Stop ends the algorithm where it is: its Objective returns ErrStopped. It must be
// called on a talk that was begun and is not brought to its end. On others it does
// nothing, but that Ask returns nil from then on.
func (t *Talk) Stop() {
	t.use()
	defer t.used.Store(false)
	t.now, t.told = nil, false
	t.stop()
}

// use makes sure that nobody else uses t, until used is false again.
func (t *Talk) use() {
	if !t.used.CompareAndSwap(false, true) {
		panic("asktell: a Talk is used by several goroutines at once, or by its own algorithm; let one goroutine ask and tell")
	}
}
