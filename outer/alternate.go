package outer

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Number is c = φ″/φ′² at a value of f, with its standard error.
type Number struct{ Value, C, Error float64 }

// Given returns, for each sample, the c that leaves the least outside the blocks of
// W⁻ᵀ(H − c ggᵀ)W⁻¹, given coordinates W. block is the block of each component; nil: each is
// by itself.
//
// It is a least-squares problem with one unknown: with M = W⁻ᵀHW⁻¹ and p = W⁻ᵀg, both scaled
// so that the diagonals of all M have mean square 1, over n pairs of different blocks,
//
//	c = Σ M_ij p_i p_j/Σ p_i²p_j²,   error² = Σ (M_ij − c p_i p_j)²/(n − 1)/Σ p_i²p_j².
func Given(samples []Sample, inverse *mat.Dense, block []int) []Number {
	d := inverse.RawMatrix().Cols
	all, size := make([]*mat.Dense, len(samples)), make([]float64, d)
	for k, s := range samples {
		all[k] = &mat.Dense{}
		all[k].Product(inverse.T(), s.Hessian, inverse)
		for i := range size {
			size[i] += square(all[k].At(i, i)) / float64(len(samples))
		}
	}
	for i, v := range size {
		size[i] = max(math.Sqrt(v), math.SmallestNonzeroFloat64)
	}
	var out []Number
	for k, s := range samples {
		p := make([]float64, d)
		kernel.MulVecT(p, inverse.RawMatrix(), s.Gradient)
		apart := func(visit func(m, p float64)) {
			for i := range p {
				for j := range i {
					if unit := math.Sqrt(size[i]) * math.Sqrt(size[j]); block == nil || block[i] != block[j] {
						visit(all[k].At(i, j)/unit, p[i]*p[j]/unit)
					}
				}
			}
		}
		var up, down, rest, n float64
		apart(func(m, p float64) { up, down, n = up+float64(m*p), down+square(p), n+1 })
		down = max(down, math.SmallestNonzeroFloat64)
		c := up / down
		apart(func(m, p float64) { rest += square(m - float64(c*p)) })
		out = append(out, Number{s.Value, c, math.Sqrt(rest / max(n-1, 1) / down)})
	}
	return out
}

func square(x float64) float64 { return float64(x * x) }
