package asktell

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"
)

// A call is one call of Evaluate.
type call struct {
	points *mat.Dense
	values []float64
	err    error
}

// inside is the objective that the algorithm sees.
//
// yield hands over to the goroutine that called Ask, and returns when that calls Ask
// again. The runtime lets any goroutine do so, the algorithm's own or a worker of it,
// as long as one at a time does, and only while Ask waits. turn sees to both:
//
//   - a call has it until it returns, so that while the caller of Ask has its turn
//     all others are refused;
//   - the algorithm has not ended before it has got the turn, which it keeps.
type inside struct {
	dim     int
	yield   func(*call) bool
	turn    sync.Mutex
	refusal atomic.Pointer[error] // what calls get that are not let in; nil: let them in
}

func (f *inside) Dim() int { return f.dim }

// Evaluate hands the points over and waits.
func (f *inside) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !f.turn.TryLock() {
		return f.refuse(ErrConcurrent)
	}
	defer f.turn.Unlock()
	if why := f.refusal.Load(); why != nil {
		return *why
	}
	c := &call{points: points, values: values}
	if !f.yield(c) {
		_ = f.refuse(ErrStopped)
		return ErrStopped
	}
	return c.err
}

// refuse refuses all further calls. The first reason counts, and is returned.
func (f *inside) refuse(why error) error {
	f.refusal.CompareAndSwap(nil, &why)
	return *f.refusal.Load()
}

// errEnded is for goroutines that an algorithm has left behind.
var errEnded = errors.New("asktell: asked after the algorithm has returned")

// end refuses all further calls, and returns when none is in.
func (f *inside) end() {
	_ = f.refuse(errEnded)
	f.turn.Lock()
}
