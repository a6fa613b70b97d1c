package powermethod

import (
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Subspace is 𝒲̂, the span of symmetric matrices B_1, …, B_m that are
// orthonormal in the Frobenius product.
type Subspace struct {
	d     int
	basis *mat.Dense // m×d²: row k is vec B_k

	samples int // N

	// Singular are the singular values of Ŷ, all of them, descending.
	Singular []float64
}

// ErrFlat says that no Hessian had any curvature in it.
var ErrFlat = errors.New("powermethod: no Hessian has curvature that counts: f is linear, constant or not finite where it was sampled")

// errRank is what is wrong with a rank: with 0, that there is no curvature that counts.
func errRank(m int) error {
	if m == 0 {
		return ErrFlat
	}
	return errors.New("powermethod: there are not so many singular values")
}

// Span returns the span of the leading left singular vectors of
//
//	Ŷ = (vec Ĥ(x⁽¹⁾) … vec Ĥ(x⁽ᴺ⁾)) ∈ ℝ^(d²×N)
//
// (section 2.2, equation "hatY"). How many is m, which rank decides; nil: WidestGap, as
// the section says. Hessians that are not finite are left out. It panics if Hessians are
// not square and of one size.
//
// The singular values are computed from ŶᵀŶ: below 1e-8 of the largest they
// are rounding.
func Span(hessians []*mat.Dense, rank Rank) (*Subspace, error) {
	y, d := stack(hessians)
	if y == nil {
		return nil, ErrFlat
	}
	s := &Subspace{d: d}
	s.samples, _ = y.Dims()
	vectors, err := s.decompose(y)
	if err != nil {
		return nil, err
	}
	if s.Singular[0] == 0 {
		return nil, ErrFlat
	}
	if rank == nil {
		rank = WidestGap{}
	}
	m := rank.Of(s.Singular)
	if m < 1 || m > len(s.Singular) {
		return nil, fmt.Errorf("%w: of %d singular values %d count (%v); the largest is %.3g", errRank(m), len(s.Singular), m, rank, s.Singular[0])
	}
	s.basis = mat.NewDense(m, d*d, nil)
	if s.samples > d*d { // vec B_k = u_k
		s.basis.Copy(vectors)
	} else { // vec B_k = Ŷv_k/σ_k
		for k := range m {
			v := vectors.RawRowView(k)
			for i := range v {
				v[i] /= s.Singular[k]
			}
		}
		leading := vectors.RawMatrix()
		leading.Rows = m
		kernel.Mul(s.basis.RawMatrix(), 1, leading, y.RawMatrix(), 0)
	}
	kernel.Orthonormalise(s.basis.RawMatrix())
	return s, nil
}

// decompose sets the singular values of Ŷᵀ = y (N×d²), and returns its left
// singular vectors or its right ones, whichever are shorter, a row each.
func (s *Subspace) decompose(y *mat.Dense) (*mat.Dense, error) {
	side := y
	if n, dd := y.Dims(); n > dd {
		side = mat.DenseCopyOf(y.T())
	}
	n, _ := side.Dims()
	gram := mat.NewDense(n, n, nil)
	kernel.MulT(gram.RawMatrix(), 1, side.RawMatrix(), side.RawMatrix(), 0)
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, gram.RawMatrix().Data), true) {
		return nil, errors.New("powermethod: the singular values of the Hessians could not be found")
	}
	values := eigen.Values(nil) // ascending
	var columns mat.Dense
	eigen.VectorsTo(&columns)
	s.Singular = make([]float64, n)
	vectors := mat.NewDense(n, n, nil)
	for k := range n {
		s.Singular[k] = math.Sqrt(max(values[n-1-k], 0))
		mat.Col(vectors.RawRowView(k), n-1-k, &columns)
	}
	return vectors, nil
}

// stack returns the finite Hessians as rows, and d; nil if there are none.
func stack(hessians []*mat.Dense) (*mat.Dense, int) {
	var rows []float64
	n, d := 0, 0
	for k, h := range hessians {
		height, columns := h.Dims()
		if k == 0 {
			d = height
		}
		if height != d || columns != d {
			panic(fmt.Sprintf("powermethod: matrix %d is %d×%d, need %d×%d", k+1, height, columns, d, d))
		}
		if !kernel.AllFinite(h) {
			continue
		}
		for i := range d {
			rows = append(rows, h.RawRowView(i)...)
		}
		n++
	}
	if n == 0 {
		return nil, 0
	}
	return mat.NewDense(n, d*d, rows), d
}

// Rank returns m.
func (s *Subspace) Rank() int { m, _ := s.basis.Dims(); return m }

// Dim returns d.
func (s *Subspace) Dim() int { return s.d }

// Value returns ‖P_𝒲̂(u⊗u)‖_F² = Σ_k ⟨B_k, u⊗u⟩², which is 1 for u = ±w_j if
// 𝒲̂ = 𝒲, and at most 1 for any u of length 1.
func (s *Subspace) Value(u []float64) float64 {
	value, z := 0.0, make([]float64, s.d)
	for k := range s.Rank() {
		b := mat.NewDense(s.d, s.d, s.basis.RawRowView(k)).RawMatrix()
		kernel.MulVec(z, b, u)
		c := kernel.Dot(z, u)
		value = math.FMA(c, c, value)
	}
	return value
}
