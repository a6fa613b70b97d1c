package outer

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// Given returns, for each sample, the c_k that leaves the least outside the blocks of
// W⁻ᵀ(H_k − c_k g_k g_kᵀ)W⁻¹, given coordinates W, and what it leaves: the root of the mean
// square over pairs of different blocks, where curvatures have mean square 1. block is the
// block of each component; nil: each is by itself. curvature has the size of each component's.
//
// It is a least-squares problem with one unknown: with M = W⁻ᵀHW⁻¹ and p = W⁻ᵀg,
//
//	c = Σ M_ij p_i p_j/(s_i s_j) / Σ p_i² p_j²/(s_i s_j).
func Given(samples []Sample, inverse *mat.Dense, curvature []float64, block []int) (c []float64, left float64) {
	d := len(curvature)
	sum, n := 0.0, 0
	for _, s := range samples {
		var m mat.Dense
		m.Product(inverse.T(), s.Hessian, inverse)
		p := make([]float64, d)
		kernel.MulVecT(p, inverse.RawMatrix(), s.Gradient)
		var up, down float64
		apart := func(visit func(mij, pij, sij float64)) {
			for i := range d {
				for j := range i {
					if block == nil || block[i] != block[j] {
						visit(m.At(i, j), p[i]*p[j], curvature[i]*curvature[j])
					}
				}
			}
		}
		apart(func(mij, pij, sij float64) { up, down = up+float64(mij*pij)/sij, down+float64(pij*pij)/sij })
		ck := 0.0
		if down > 0 {
			ck = up / down
		}
		c = append(c, ck)
		apart(func(mij, pij, sij float64) {
			rest := mij - float64(ck*pij)
			sum, n = sum+float64(rest*rest)/sij, n+1
		})
	}
	return c, math.Sqrt(sum / float64(max(n, 1)))
}
