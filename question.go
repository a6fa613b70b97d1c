package untwist

import (
	"context"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

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
	ctx       context.Context // the session's, without the limit of time
	questions chan question
	looking   sync.Mutex // held while the run is looked at from outside
}

// Dim returns the dimension.
func (f *asks) Dim() int { return f.dim }

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
		return r.pass(values, time.Since(began).Seconds()/float64(len(values)), tell)
	case <-f.ctx.Done():
		f.looking.Lock()
		defer f.looking.Unlock()
		return objective.Stop(nil)
	}
}

// pass passes the values on, each of which took so many seconds.
func (r reply) pass(values []float64, seconds float64, tell func(int, objective.Answer)) error {
	front, all := 0, 0
	for i, v := range r.values {
		if r.known != nil && !r.known[i] {
			continue
		}
		if values[i] = v; front == i {
			front++
		}
		all++
		tell(i, objective.Answer{Value: v, Seconds: seconds})
	}
	if r.known == nil {
		return nil
	}
	return &objective.PartialError{Done: front, Spent: all, Err: objective.Stop(nil)}
}

var _ query.Teller = (*asks)(nil)
