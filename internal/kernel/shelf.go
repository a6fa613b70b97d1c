package kernel

import "sync/atomic"

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
