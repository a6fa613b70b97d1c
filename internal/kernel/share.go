package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"
)

// workPerCore is how many multiply-adds are worth a goroutine. They take about 0.1 ms.
const workPerCore = 2_000_000

// share computes C = A·B. If it is large, share uses several cores, each of which takes
// a range of the rows or columns of C. An element does not depend on which core
// computes it.
func share(c, a blas64.General, b factor) {
	if a.Cols == 0 { // an empty sum
		for i := range c.Rows {
			clear(row(c, i))
		}
		return
	}
	work := float64(c.Rows) * float64(c.Cols) * float64(a.Cols)
	if work < 2*workPerCore {
		multiply(c, a, b)
		return
	}
	workers := int(min(work/workPerCore, float64(runtime.GOMAXPROCS(0))))
	byColumns := c.Cols > c.Rows
	size, unit := c.Rows, 8 // rows of the largest tile
	if byColumns {
		size, unit = c.Cols, panelVectors*active.lanes()
	}
	var wait sync.WaitGroup
	for _, r := range ranges(size, unit, workers) {
		cw, aw, bw := c, a, b
		if byColumns {
			cw.Cols, cw.Data, bw = r.hi-r.lo, c.Data[r.lo:], b.columns(r.lo)
		} else {
			cw.Rows, cw.Data = r.hi-r.lo, c.Data[r.lo*c.Stride:]
			aw.Rows, aw.Data = r.hi-r.lo, a.Data[r.lo*a.Stride:]
		}
		wait.Go(func() { multiply(cw, aw, bw) })
	}
	wait.Wait()
}

// A span is the indices lo ≤ i < hi.
type span struct{ lo, hi int }

// ranges cuts the indices below size into at most n spans of about equal length. All
// but the last are multiples of unit long.
func ranges(size, unit, n int) []span {
	var all []span
	units := (size + unit - 1) / unit
	for w := range n {
		if s := (span{units * w / n * unit, min(units*(w+1)/n*unit, size)}); s.lo < s.hi {
			all = append(all, s)
		}
	}
	return all
}

// A shelf keeps a few buffers for reuse, so that products allocate nothing.
// (A sync.Pool would do, but under the race detector it drops buffers at random, and
// tests that count allocations run there too.)
type shelf struct{ buffers [16]atomic.Pointer[[]float64] }

// panels has buffers for packed panels. sums has buffers for products that still have
// to be added to something.
var panels, sums shelf

// borrow returns n numbers that nobody else uses. Their values are undefined.
func (s *shelf) borrow(n int) *[]float64 {
	for i := range s.buffers {
		if b := s.buffers[i].Swap(nil); b != nil && cap(*b) >= n {
			*b = (*b)[:n]
			return b
		}
	}
	return new(make([]float64, n))
}

// largest is the most numbers in a buffer that is kept: 8 MB.
const largest = 1 << 20

// giveBack returns a buffer to the shelf.
func (s *shelf) giveBack(b *[]float64) {
	for i := range s.buffers {
		if cap(*b) <= largest && s.buffers[i].CompareAndSwap(nil, b) {
			return
		}
	}
}
