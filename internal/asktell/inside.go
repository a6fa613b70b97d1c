package asktell

import (
	"context"
	"errors"
	"sync"

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
// as long as one at a time does, and only while Ask waits. inside sees to both:
//
//   - a call is let in only if no other is. While the caller of Ask has its turn a
//     call is in, waiting for its values, so that all others are refused;
//   - the algorithm has not ended before the last call that was let in has returned.
type inside struct {
	dim   int
	yield func(*call) bool

	mu      sync.Mutex
	left    *sync.Cond // told when a call has returned
	in      bool       // a call is let in and has not returned
	refusal error      // what calls get that are not let in; nil: let them in
}

func newInside(dim int, yield func(*call) bool) *inside {
	f := &inside{dim: dim, yield: yield}
	f.left = sync.NewCond(&f.mu)
	return f
}

func (f *inside) Dim() int { return f.dim }

// Evaluate hands the points over and waits.
func (f *inside) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.enter(); err != nil {
		return err
	}
	c := &call{points: points, values: values}
	if !f.yield(c) {
		c.err = ErrStopped
		f.refuse(ErrStopped)
	}
	f.leave()
	return c.err
}

// enter lets a call in, or says why not.
func (f *inside) enter() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.in && f.refusal == nil {
		f.refusal = ErrConcurrent
	}
	if f.refusal == nil {
		f.in = true
	}
	return f.refusal
}

// refuse refuses all further calls. The first reason counts.
func (f *inside) refuse(why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusal == nil {
		f.refusal = why
	}
}

// leave says that the call that was let in returns.
func (f *inside) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.in = false
	f.left.Broadcast()
}

// errEnded is for goroutines that an algorithm has left behind.
var errEnded = errors.New("asktell: asked after the algorithm has returned")

// end refuses all further calls, and returns when none is in.
func (f *inside) end() {
	f.refuse(errEnded)
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.in {
		f.left.Wait()
	}
}
