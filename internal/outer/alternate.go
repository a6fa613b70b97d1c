package outer

import (
	"cmp"
	"math"
	"slices"

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
	var out []Number
	for k, s := range inCoordinates(samples, inverse) {
		var up, down, rest, n float64
		s.pairs(block, func(m, p float64) { up, down, n = up+float64(m*p), down+square(p), n+1 })
		down = max(down, math.SmallestNonzeroFloat64)
		c := up / down
		s.pairs(block, func(m, p float64) { rest += square(m - float64(c*p)) })
		out = append(out, Number{samples[k].Value, c, math.Sqrt(rest / max(n-1, 1) / down)})
	}
	return out
}

// GivenMost is Given where blocks are not known: most pairs of components are of different
// blocks, and Σ|M_ij − c p_i p_j| is least for the c that fits most of them. That is the median of
// M_ij/(p_i p_j) with weights |p_i p_j|.
func GivenMost(samples []Sample, inverse *mat.Dense) []Number {
	var out []Number
	for k, s := range inCoordinates(samples, inverse) {
		type ratio struct{ c, weight float64 }
		var all []ratio
		total, down := 0.0, 0.0
		s.pairs(nil, func(m, p float64) {
			if p != 0 {
				all, total, down = append(all, ratio{m / p, math.Abs(p)}), total+math.Abs(p), down+square(p)
			}
		})
		slices.SortFunc(all, func(a, b ratio) int { return cmp.Compare(a.c, b.c) })
		c := 0.0
		for below := 0.0; len(all) > 0 && below <= total/2; all = all[1:] {
			c, below = all[0].c, below+all[0].weight
		}
		var rest []float64
		s.pairs(nil, func(m, p float64) { rest = append(rest, math.Abs(m-float64(c*p))) })
		slices.Sort(rest)
		out = append(out, Number{samples[k].Value, c, rest[len(rest)/2] / math.Sqrt(max(down, math.SmallestNonzeroFloat64))})
	}
	return out
}

// A turned sample is M and p in coordinates, scaled.
type turned struct {
	m    *mat.Dense
	p    []float64
	size []float64
}

// inCoordinates turns samples, scaled so that the diagonals of all M have mean square 1.
func inCoordinates(samples []Sample, inverse *mat.Dense) []turned {
	d := inverse.RawMatrix().Cols
	all, size := make([]turned, len(samples)), make([]float64, d)
	for k, s := range samples {
		all[k] = turned{&mat.Dense{}, make([]float64, d), size}
		all[k].m.Product(inverse.T(), s.Hessian, inverse)
		kernel.MulVecT(all[k].p, inverse.RawMatrix(), s.Gradient)
		for i := range size {
			size[i] += square(all[k].m.At(i, i)) / float64(len(samples))
		}
	}
	for i, v := range size {
		size[i] = max(math.Sqrt(v), math.SmallestNonzeroFloat64)
	}
	return all
}

// pairs visits M_ij and p_i p_j for all pairs of components of different blocks.
func (t turned) pairs(block []int, visit func(m, p float64)) {
	for i := range t.p {
		for j := range i {
			if unit := math.Sqrt(t.size[i]) * math.Sqrt(t.size[j]); block == nil || block[i] != block[j] {
				visit(t.m.At(i, j)/unit, t.p[i]*t.p[j]/unit)
			}
		}
	}
}

func square(x float64) float64 { return float64(x * x) }
