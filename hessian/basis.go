package hessian

import (
	"errors"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Basis is m directions T_1, …, T_m, their duals, ⟨T_i, T*_j⟩ = δ_ij, and Hessians
// that were seen along these directions. It does not change once it is made.
type Basis struct {
	T, Dual *mat.Dense   // m×d, a direction in each row
	Seen    []*mat.Dense // T_iᵀHT_j
}

// Orthonormal returns the basis whose directions, and duals, are the rows of q.
func Orthonormal(q *mat.Dense) Basis { return Basis{T: q, Dual: q} }

// Why directions cannot be whitened.
var (
	ErrFlat      = errors.New("hessian: no Hessian that was seen has any curvature")
	ErrNotFinite = errors.New("hessian: a Hessian is not finite")
)

// steepest is the part of the largest λ to which smaller ones are raised before a
// direction is stretched by λ^-½. Below it, an eigenvalue of a Hessian by finite
// differences is rounding.
const steepest = 1e-9

// Whitened returns directions T = VΛ^-½, S = VΛVᵀ, along which the Hessians
// seen have the same size on average,
//
//	S² = mean_k H_k²,
//
// scaled so that this size is the median of Λ.
func (b Basis) Whitened() (Basis, error) {
	if len(b.Seen) == 0 {
		return b, ErrFlat
	}
	m, _ := b.T.Dims()
	square := mat.NewDense(m, m, nil)
	for _, h := range b.Seen {
		kernel.MulT(square.RawMatrix(), 1, h.RawMatrix(), h.RawMatrix(), 1)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(kernel.Symmetrised(square, 1/float64(len(b.Seen))), true) {
		return b, ErrNotFinite
	}
	lambda := eigen.Values(nil) // Λ², ascending
	for i, v := range lambda {
		if lambda[i] = math.Sqrt(max(v, 0)); !kernel.Finite(lambda[i]) { // H² overflows
			return b, ErrNotFinite
		}
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	median := lambda[m/2]
	if median == 0 {
		median = lambda[m-1]
	}
	if median == 0 {
		return b, ErrFlat
	}
	a, dual := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil) // Λ^-½Vᵀ, Λ^½Vᵀ
	for i := range m {
		scale := math.Sqrt(max(lambda[i], steepest*lambda[m-1]) / median)
		for k := range m {
			a.Set(i, k, v.At(k, i)/scale)
			dual.Set(i, k, v.At(k, i)*scale)
		}
	}
	next := Basis{T: kernel.Times(a, b.T), Dual: kernel.Times(dual, b.Dual)}
	for _, h := range b.Seen {
		turned := mat.NewDense(m, m, nil)
		kernel.MulT(turned.RawMatrix(), 1, kernel.Times(a, h).RawMatrix(), a.RawMatrix(), 0)
		next.Seen = append(next.Seen, turned)
	}
	return next, nil
}

// InFrame returns the couplings of the Hessians seen, in the coordinates of a
// frame, nil if none were: walking along u_j is walking along Σ_i a_ij T_i, a = T*W̃†.
func (b Basis) InFrame(f *frame.Frame) *mat.Dense { return Couplings(b.InCoordinates(f)) }

// InCoordinates returns the Hessians seen, in the coordinates of a frame.
func (b Basis) InCoordinates(f *frame.Frame) []*mat.Dense {
	a := kernel.Times(b.Dual, f.Inverse())
	var turned []*mat.Dense
	for _, h := range b.Seen {
		m := &mat.Dense{}
		m.Product(a.T(), h, a)
		turned = append(turned, m)
	}
	return turned
}

// Couplings returns rms_k |H_ij|/√|H_ii H_jj| of some Hessians, 0 on the diagonal; nil if
// there are none.
func Couplings(hessians []*mat.Dense) *mat.Dense {
	if len(hessians) == 0 {
		return nil
	}
	m, _ := hessians[0].Dims()
	c := mat.NewDense(m, m, nil)
	for _, h := range hessians {
		for i := range m {
			for j := range m {
				if unit := math.Abs(h.At(i, i) * h.At(j, j)); i != j && unit > 0 {
					c.Set(i, j, c.At(i, j)+float64(h.At(i, j)*h.At(i, j))/unit)
				}
			}
		}
	}
	c.Apply(func(_, _ int, v float64) float64 { return math.Sqrt(v / float64(len(hessians))) }, c)
	return c
}

// OffDiagonal returns what part of each of some Hessians is off the diagonal,
//
//	ρ(H_k) = Σ_{i≠j} H_k,ij²/σ_iσ_j / Σ_ij H_k,ij²/σ_iσ_j,   σ_i² = Σ_k H_k,ii²,
//
// which does not depend on the units of the components. It is NaN where a σ_i is 0.
func OffDiagonal(hessians []*mat.Dense) []float64 {
	m, _ := hessians[0].Dims()
	sigma := make([]float64, m)
	for i := range m {
		for _, h := range hessians {
			sigma[i] += float64(h.At(i, i) * h.At(i, i))
		}
		sigma[i] = math.Sqrt(sigma[i])
	}
	rho := make([]float64, len(hessians))
	for k, h := range hessians {
		off, whole := 0.0, 0.0
		for i := range m {
			for j := range m {
				v := float64(h.At(i, j)*h.At(i, j)) / (sigma[i] * sigma[j])
				if whole += v; i != j {
					off += v
				}
			}
		}
		rho[k] = off / whole
	}
	return rho
}
