package powermethod

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// The two propositions of section 2.2 in terms of what is here. The first:
//
//	‖P_𝒲 − P_𝒲̂‖ ≤ 2C_Ĥmε/(√((1−s)α_H) − C_Ĥmε)
//
// with probability at least 1 − m exp(−s²N_Hα_H/2C̄²m²), for any 0 < s < 1 that leaves the
// denominator above 0. The second: if ‖P_𝒲 − P_𝒲̂‖ < (1/6 − 10ρ₂)/(22/3 − 20ρ₂), each
// local maximiser of ‖P_𝒲̂(u⊗u)‖² on the sphere whose value is not too small is at most
// √‖P_𝒲 − P_𝒲̂‖ away from one of the ±w_j. Tests hold both against numbers, the second for 𝒲̂ = 𝒲 and
// for others. For the paper's own W, whose ρ₂ is 1.7 to 3, it says nothing: it needs ρ₂ < 1/60.

// Distance returns ‖P_𝒱 − P_𝒲‖_(F→F), the sine of the largest angle between
// two subspaces of the same rank; 1 if the ranks differ. Both must be of matrices of
// the same size.
func (s *Subspace) Distance(other *Subspace) float64 {
	if s.Rank() != other.Rank() {
		return 1
	}
	// cos of the angles: the singular values of V·Wᵀ.
	m := s.Rank()
	c := mat.NewDense(m, m, nil)
	kernel.MulT(c.RawMatrix(), 1, s.basis.RawMatrix(), other.basis.RawMatrix(), 0)
	// What V has beyond W, V − (VWᵀ)W, has the sines: better for small angles.
	beyond := mat.DenseCopyOf(s.basis)
	kernel.Mul(beyond.RawMatrix(), -1, c.RawMatrix(), other.basis.RawMatrix(), 1)
	gram := mat.NewDense(m, m, nil)
	kernel.MulT(gram.RawMatrix(), 1, beyond.RawMatrix(), beyond.RawMatrix(), 0)
	var eigen mat.EigenSym
	eigen.Factorize(mat.NewSymDense(m, gram.RawMatrix().Data), false)
	return math.Sqrt(max(eigen.Values(nil)[m-1], 0))
}

// Ridges returns the span of w_j⊗w_j for the rows w_j of w: 𝒲 itself, for
// comparison.
func Ridges(w *mat.Dense) *Subspace {
	m, d := w.Dims()
	s := &Subspace{d: d, basis: mat.NewDense(m, d*d, nil)}
	for j := range m {
		row, out := w.RawRowView(j), s.basis.RawRowView(j)
		for i, a := range row {
			for k, b := range row {
				out[i*d+k] = a * b
			}
		}
	}
	kernel.Orthonormalise(s.basis.RawMatrix())
	return s
}

// Coherence returns ρ₂ = sup_{‖x‖=1} Σ_j ⟨x, w_j⟩² − 1 of the rows of w, each
// of length 1: 0 if they are orthonormal. The second proposition of section 2.2
// needs ρ₂ < 1/60.
func Coherence(w *mat.Dense) float64 {
	m, _ := w.Dims()
	gram := mat.NewDense(m, m, nil)
	kernel.MulT(gram.RawMatrix(), 1, w.RawMatrix(), w.RawMatrix(), 0)
	var eigen mat.EigenSym
	eigen.Factorize(mat.NewSymDense(m, gram.RawMatrix().Data), false)
	return eigen.Values(nil)[m-1] - 1
}

// Identifiability returns the estimate σ_m(Ŷ)²/N of α_H = σ_m(E[vec H⊗vec H]),
// the constant of equation "identifiabilityConditionHessianLinSep":
// how well the Hessians tell the components apart. It is NaN for a Subspace that is not
// from Hessians.
func (s *Subspace) Identifiability() float64 {
	if s.samples == 0 {
		return math.NaN()
	}
	sigma := s.Singular[s.Rank()-1]
	return sigma * sigma / float64(s.samples)
}
