package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/mat"
)

// maps returns maps that three short looks suggest, without a frame. With H_k the Hessians of
// ψ(f), c_k = −ψ″/ψ′ and g_k the gradients, A_k = H_k − c_kg_kg_kᵀ are WᵀD_kW up to a factor,
// so that A_1A_0⁻¹A_2 is symmetric. For a given c_0 that is a least-squares problem for c_1,
// c_2 and c_1c_2.
func (b *belief) maps(three []*Look) []Theta {
	var h, g [3]*mat.Dense
	var z [3]float64
	for k, l := range three {
		one := l.hessian(b.s, Theta{}, three[2].steps)
		size, slope := norm(one.Dense), one.slopes()
		slope.Scale(1/math.Sqrt(max(size, tiny)), slope)
		one.Scale(1/max(size, tiny), one.Dense)
		h[k], g[k], z[k] = one.Dense, kernel.Times(transposed(slope), slope), l.z[0][0]
	}
	q := mat.Trace(kernel.Times(inverse(h[0]), g[0])) // gᵀH⁻¹g
	if q == 0 || !kernel.Finite(q) {
		return nil
	}
	misfit, c := math.Inf(1), [3]float64{}
	try := func(angle float64) float64 {
		m, found := symmetry(h, g, math.Tan(angle)/q)
		if m < misfit {
			misfit, c = m, found
		}
		return m
	}
	const grid, zooms, finer = 80, 4, 7
	width := math.Pi / grid
	best := scan(-math.Pi/2+width/2, width, grid, try)
	for range zooms {
		best = scan(best-width, width/finer, 2*finer+1, try)
		width /= finer - 1
	}
	if math.IsInf(misfit, 1) {
		return nil
	}
	return outer.OfBends(c[:], z[:], b.s.low)
}

// scan returns the place of n, a step apart, at which f is least.
func scan(from, step float64, n int, f func(float64) float64) float64 {
	best, at := math.Inf(1), from
	for k := range n {
		if x := from + float64(float64(k)*step); f(x) < best {
			best, at = f(x), x
		}
	}
	return at
}

// symmetry returns how far A_1A_0⁻¹A_2 is from symmetric with the best c_1 and c_2, as a part
// of what it is without.
func symmetry(h, g [3]*mat.Dense, c0 float64) (misfit float64, c [3]float64) {
	m, _ := h[0].Dims()
	inv := inverse(each(m, func(i, j int) float64 { return h[0].At(i, j) - float64(c0*g[0].At(i, j)) }))
	if !kernel.AllFinite(inv) || pairCount(m) <= len(c) {
		return math.Inf(1), c
	}
	skew := func(x, y *mat.Dense) []float64 {
		p := kernel.Times(kernel.Times(x, inv), y)
		var all []float64
		eachPair(m, func(i, j, _ int) { all = append(all, p.At(i, j)-p.At(j, i)) })
		return all
	}
	columns := [][]float64{skew(g[1], h[2]), skew(h[1], g[2]), skew(g[1], g[2])}
	right := skew(h[1], h[2])
	x, y := mat.NewDense(len(right), len(columns), nil), mat.NewDense(len(right), 1, right)
	for k, s := range []float64{1, 1, -1} {
		for p, v := range columns[k] {
			x.Set(p, k, s*v)
		}
	}
	var best mat.Dense
	if err := best.Solve(x, y); err != nil || !kernel.AllFinite(&best) {
		return math.Inf(1), c
	}
	left := kernel.Times(x, mat.DenseCopyOf(&best))
	left.Sub(left, y)
	return norm(left) / max(norm(y), tiny), [3]float64{c0, best.At(0, 0), best.At(1, 0)}
}
