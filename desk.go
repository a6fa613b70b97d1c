package untwist

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/query"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// grace is how long an algorithm may take to return once its context has ended.
const grace = 400 * time.Millisecond

// A desk is between an algorithm and its run. The algorithm has a goroutine of its own; what
// it asks for is done by the one that called Minimize or Probe, as if there were no other. So
// that one can leave: an algorithm looks at its context only when it asks for something, and
// in 10,000 dimensions it may factorise a matrix for minutes before that. What it asks for
// when nobody is there is not done.
type desk struct {
	errands chan func()
	left    chan struct{} // closed when nobody is there any more
}

// do does an errand and waits for it, if somebody is there.
func (d *desk) do(errand func()) {
	done := make(chan struct{})
	select {
	case d.errands <- func() { defer close(done); errand() }:
		<-done
	case <-d.left:
	}
}

// An ending is what an algorithm has returned, or how it ended instead.
type ending[T any] struct {
	value    T
	err      error
	returned bool
	panicked error
}

// attend runs an algorithm and does its errands. It reports whether the algorithm has
// returned: if ctx ends, it has the time of grace for that, and is left alone then. If it
// panics, so does this.
func attend[T any](ctx context.Context, algorithm func(*desk) (T, error)) (value T, returned bool, err error) {
	d := &desk{make(chan func()), make(chan struct{})}
	defer close(d.left)
	ended := make(chan ending[T], 1)
	go func() {
		var e ending[T]
		defer func() { ended <- e }()
		defer func() {
			if cause := recover(); cause != nil {
				e.panicked = fmt.Errorf("%v\n\n%s", cause, debug.Stack())
			}
		}()
		e.value, e.err = algorithm(d)
		e.returned = true
	}()
	over, late := ctx.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case errand := <-d.errands:
			errand()
		case e := <-ended:
			if e.panicked != nil {
				panic(e.panicked)
			}
			if !e.returned {
				e.err = unreturned(ctx)
			}
			return e.value, e.returned, e.err
		case <-over:
			over, late = nil, time.After(grace)
		case <-late:
			return value, false, unreturned(ctx)
		}
	}
}

// unreturned says why an algorithm has not returned.
func unreturned(ctx context.Context) error {
	return cmp.Or(ctx.Err(), errExit)
}

// abandoned is what a user should know of a run whose algorithm was left alone.
const abandoned = "the run ended within a long computation, which was not waited for: what it would have told is missing here"

// An attended run is a run as its algorithm sees it.
type attended struct {
	*desk
	run *run
}

// Dim returns the dimension.
func (a attended) Dim() int { return a.run.scale.Dim() }

// Evaluate evaluates a batch, if somebody is there.
func (a attended) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := objective.Stop(nil)
	a.do(func() { err = a.run.scale.Evaluate(ctx, points, values) })
	return err
}

// enter begins a stage.
func (a attended) enter(stage objective.Stage) { a.do(func() { a.run.enter(stage) }) }

// found keeps what is known of the coordinates, as it is now: the algorithm may change it.
func (a attended) found(f *identify.Finding) {
	known := *f
	known.Blocks = copied(f.Blocks)
	a.do(func() { a.run.found = &known })
}

// copied returns a copy of blocks.
func copied(blocks [][]int) [][]int {
	all := slices.Clone(blocks)
	for i, b := range all {
		all[i] = slices.Clone(b)
	}
	return all
}

// A question is points whose values are wanted.
type question struct {
	points *mat.Dense
	told   chan reply
}

// A reply is the values of a question.
type reply struct {
	values []float64
	known  []bool // which of them are known, and that there are no more; nil: all are
}

// asks is the objective that the search sees.
type asks struct {
	dim       int
	numbers   int             // that an answer has; 0: a value alone
	ctx       context.Context // the session's, without the limit of time
	questions chan question
	looking   sync.Mutex // held while the run is looked at from outside
}

// Dim returns the dimension.
func (f *asks) Dim() int { return f.dim }

// Numbers returns how many numbers an answer has; 0: a value alone.
func (f *asks) Numbers() int { return f.numbers }

// Evaluate asks, and waits until it is told.
func (f *asks) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return f.Each(ctx, points, values, func(int, objective.Answer) {})
}

// Each asks, waits until it is told, and tells it.
func (f *asks) Each(_ context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	q := question{points, make(chan reply)}
	began := time.Now()
	select {
	case f.questions <- q:
	case <-f.ctx.Done():
		return objective.Stop(nil) // the search's own context may end a moment later
	}
	select {
	case r := <-q.told:
		return r.pass(values, f.numbers, time.Since(began).Seconds()/float64(len(values)), tell)
	case <-f.ctx.Done():
		f.looking.Lock()
		defer f.looking.Unlock()
		return objective.Stop(nil)
	}
}

// pass passes the values on, or so many numbers for each point, each of which took so many seconds.
func (r reply) pass(values []float64, numbers int, seconds float64, tell func(int, objective.Answer)) error {
	front, all := 0, 0
	for i := range values {
		if r.known != nil && !r.known[i] {
			continue
		}
		a := objective.Answer{Value: r.values[i*max(numbers, 1)], Seconds: seconds}
		if numbers > 0 {
			a.Numbers = r.values[i*numbers : (i+1)*numbers]
		}
		if values[i] = a.Value; front == i {
			front++
		}
		all++
		tell(i, a)
	}
	if r.known == nil {
		return nil
	}
	return &objective.PartialError{Done: front, Spent: all, Err: objective.Stop(nil)}
}

var _ query.Teller = (*asks)(nil)
