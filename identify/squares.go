package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// squares is a small least-squares problem, min ‖Ax − b‖, by its normal
// equations G = AᵀA, r = Aᵀb. Its memory is used again.
type squares struct {
	n      int
	normal []float64 // G, n×n, the lower triangle
	right  []float64 // r
	factor []float64 // L with LLᵀ = G, n×n, the lower triangle
	x      []float64
}

// reset begins a problem of n unknowns.
func (s *squares) reset(n int) {
	s.n = n
	for _, v := range []*[]float64{&s.normal, &s.factor} {
		*v = slices.Grow((*v)[:0], n*n)[:n*n]
		clear(*v)
	}
	for _, v := range []*[]float64{&s.right, &s.x} {
		*v = slices.Grow((*v)[:0], n)[:n]
		clear(*v)
	}
}

// add adds the equation ⟨row, x⟩ = b. One that is not finite is left out.
func (s *squares) add(row []float64, b float64) {
	length := 0.0
	for _, v := range row {
		length = math.FMA(v, v, length)
	}
	if !kernel.Finite(length) || !kernel.Finite(b) {
		return
	}
	for i, v := range row {
		if v == 0 {
			continue
		}
		s.right[i] = math.FMA(v, b, s.right[i])
		for j := 0; j <= i; j++ {
			s.normal[i*s.n+j] = math.FMA(v, row[j], s.normal[i*s.n+j])
		}
	}
}

// ridge is added to the diagonal of G, so that what is not determined stays 0: it is far
// below what counts as determined. Pivots are at least
// leastPivot, whatever rounding has made of them.
const (
	ridge      = 1e-9
	leastPivot = ridge * 1e-3
)

// decompose computes L.
func (s *squares) decompose() {
	for i := range s.n {
		for j := 0; j <= i; j++ {
			sum := s.normal[i*s.n+j]
			if i == j {
				sum += ridge
			}
			for k := range j {
				sum = math.FMA(-s.factor[i*s.n+k], s.factor[j*s.n+k], sum)
			}
			if i == j {
				s.factor[i*s.n+i] = math.Sqrt(max(sum, leastPivot))
			} else {
				s.factor[i*s.n+j] = sum / s.factor[j*s.n+j]
			}
		}
	}
}

// forward solves Lx = x, from the unknown first on.
func (s *squares) forward(first int) {
	for i := first; i < s.n; i++ {
		for k := first; k < i; k++ {
			s.x[i] = math.FMA(-s.factor[i*s.n+k], s.x[k], s.x[i])
		}
		s.x[i] /= s.factor[i*s.n+i]
	}
}

// solve returns x, valid until the next problem.
func (s *squares) solve() []float64 {
	s.decompose()
	copy(s.x, s.right)
	s.forward(0)
	for i := s.n - 1; i >= 0; i-- {
		for k := i + 1; k < s.n; k++ {
			s.x[i] = math.FMA(-s.factor[k*s.n+i], s.x[k], s.x[i])
		}
		s.x[i] /= s.factor[i*s.n+i]
	}
	return s.x
}

// information returns the least that the equations say about any unknown:
// 1/(G⁻¹)_ii, (G⁻¹)_ii = ‖L⁻¹e_i‖².
func (s *squares) information() float64 {
	s.decompose()
	most := 0.0
	for i := range s.n {
		clear(s.x)
		s.x[i] = 1
		s.forward(i)
		sum := 0.0
		for _, v := range s.x {
			sum = math.FMA(v, v, sum)
		}
		most = max(most, sum)
	}
	return 1 / most
}
