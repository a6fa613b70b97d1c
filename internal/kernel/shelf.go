package kernel

import "sync/atomic"

// A shelf keeps a few buffers for reuse, so that products allocate nothing.
// (A sync.Pool would do, but forgets at random under the race detector, where
// tests that count allocations run too.)
type shelf struct{ buffers [16]atomic.Pointer[[]float64] }

// panels has room for packed panels, sums for products that are yet to be
// added to something.
var panels, sums shelf

// borrow returns n numbers that nobody else uses, whatever they are.
func (s *shelf) borrow(n int) *[]float64 {
	for i := range s.buffers {
		if b := s.buffers[i].Swap(nil); b != nil && cap(*b) >= n {
			*b = (*b)[:n]
			return b
		}
	}
	return new(make([]float64, n))
}

// largest is how many numbers a buffer may have that is kept: 8 MB of them.
const largest = 1 << 20

// giveBack lets others use the numbers.
func (s *shelf) giveBack(b *[]float64) {
	for i := range s.buffers {
		if cap(*b) <= largest && s.buffers[i].CompareAndSwap(nil, b) {
			return
		}
	}
}
