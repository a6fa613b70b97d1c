package query

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Pool splits a batch over goroutines. Values are stored by index, so any number
// of workers gives the same bits. Goroutines live only as long as a batch.
//
// Blocks of rows are handed out in order, and none after a block that has failed.
// So if the objective takes its points one by one, the error returned is that of
// the first point that fails, as it would be with one worker. A few points after
// it may have been evaluated. They are counted, but their values are not used.
type Pool struct {
	wrapped
	workers int
}

// NewPool lets up to this many workers call f at once. A panic in f would end
// the program: put a Guard inside the Pool. NewPool panics if workers < 1.
func NewPool(f objective.Objective, workers int) *Pool {
	if workers < 1 {
		panic(fmt.Sprintf("objective: a pool of %d workers", workers))
	}
	return &Pool{wrapped{f}, workers}
}

// blocksPerWorker balances the load when some points take longer than others.
const blocksPerWorker = 4

// Evaluate evaluates the objective on all workers.
func (p *Pool) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return p.Each(ctx, points, values, nobody)
}

// Each evaluates the objective on all workers and tells every answer.
func (p *Pool) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	n := len(values)
	workers := min(p.workers, n)
	if workers <= 1 {
		return Each(ctx, p.f, points, values, tell)
	}
	size := max(1, n/(workers*blocksPerWorker))
	blocks := (n + size - 1) / size
	var (
		next   atomic.Int64
		failed = make([]error, blocks)
		done   = make([]int, blocks) // values known at the front of each block
		spent  = make([]int, blocks) // points of each block that were evaluated
		first  atomic.Int64          // the first block known to have failed
		wait   sync.WaitGroup
	)
	first.Store(int64(blocks))
	for range workers {
		wait.Go(func() {
			for {
				b := next.Add(1) - 1
				if b >= first.Load() {
					return
				}
				lo, hi := int(b)*size, min(int(b+1)*size, n)
				err := Each(fromRow(ctx, lo), p.f, rows(points, lo, hi), values[lo:hi], later(lo, tell))
				done[b], spent[b] = progress(hi-lo, err)
				if err != nil {
					failed[b] = err
					lower(&first, b)
				}
			}
		})
	}
	wait.Wait()
	if b := int(first.Load()); b < blocks {
		all := 0
		for _, s := range spent {
			all += s
		}
		return partial(b*size+done[b], all, failed[b])
	}
	return nil
}

// lower sets a to v if v is less.
func lower(a *atomic.Int64, v int64) {
	for old := a.Load(); v < old; old = a.Load() {
		if a.CompareAndSwap(old, v) {
			return
		}
	}
}
