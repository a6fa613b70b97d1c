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
	t := three[2].steps
	var h, g [3]*mat.Dense
	var z [3]float64
	for k, l := range three {
		a := l.toSteps(t)
		if a == nil {
			return nil
		}
		q := l.measure(b.s, Theta{})
		h[k] = congruent(q.m, a)
		size := norm(h[k])
		slope := kernel.Times(mat.NewDense(1, b.m, q.g), a)
		slope.Scale(1/math.Sqrt(max(size, tiny)), slope)
		h[k].Scale(1/max(size, tiny), h[k])
		g[k], z[k] = kernel.Times(transposed(slope), slope), l.z[0][0]
	}
	inv := inverse(h[0])
	if inv == nil {
		return nil
	}
	q := mat.Trace(kernel.Times(inv, g[0])) // gᵀH⁻¹g
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
func symmetry(h, g [3]*mat.Dense, c0 float64) (float64, [3]float64) {
	m, _ := h[0].Dims()
	inv := inverse(each(m, func(i, j int) float64 { return h[0].At(i, j) - float64(c0*g[0].At(i, j)) }))
	if inv == nil {
		return math.Inf(1), [3]float64{}
	}
	skew := func(x, y *mat.Dense) []float64 {
		p := kernel.Times(kernel.Times(x, inv), y)
		var all []float64
		eachPair(m, func(i, j, _ int) { all = append(all, p.At(i, j)-p.At(j, i)) })
		return all
	}
	columns := [][]float64{skew(g[1], h[2]), skew(h[1], g[2]), skew(g[1], g[2])}
	right := skew(h[1], h[2])
	n := len(right)
	if n <= len(columns) {
		return math.Inf(1), [3]float64{}
	}
	x, y := mat.NewDense(n, len(columns), nil), mat.NewDense(n, 1, right)
	for k, s := range []float64{1, 1, -1} {
		for p, v := range columns[k] {
			x.Set(p, k, s*v)
		}
	}
	var c mat.Dense
	if err := c.Solve(x, y); err != nil || !kernel.AllFinite(&c) {
		return math.Inf(1), [3]float64{}
	}
	left := kernel.Times(x, mat.DenseCopyOf(&c))
	left.Sub(left, y)
	return norm(left) / max(norm(y), tiny), [3]float64{c0, c.At(0, 0), c.At(1, 0)}
}

// solveMap finds what is known of θ, with E eliminated pair by pair,
//
//	Σ_p (T − AᵀKA) δθ = Σ_p (Σ uR/s² − AᵀK Σ vR/s²),
//
// where A is about.with and T is about.theta of a pair. If θ is free it sets δθ, and takes what that explains off the
// residuals.
func (s system) solveMap(out *solution, known []sym2) {
	by := [2]float64{-s.moved[0], -s.moved[1]}
	b, whole := by, 0.0
	eachPair(s.m, func(i, j, p int) {
		all := out.total[p]
		whole += all.theta.trace()
		out.ofTheta = out.ofTheta.plus(all.theta)
		x, y := known[p].of(s.right(out, i, j, p, by))
		k0, k1 := known[p].of(all.with[0][0], all.with[0][1])
		l0, l1 := known[p].of(all.with[1][0], all.with[1][1])
		dot := func(t int, x, y float64) float64 { return float64(all.with[t][0]*x) + float64(all.with[t][1]*y) }
		out.ofTheta = out.ofTheta.plus(sym2{-dot(0, k0, k1), -dot(0, l0, l1), -dot(1, l0, l1)})
		pull := s.pull(out, i, j, p, by, 0, 0)
		b[0], b[1] = b[0]+pull[0]-dot(0, x, y), b[1]+pull[1]-dot(1, x, y)
	})
	out.ofTheta = out.ofTheta.mapped(func(l float64) float64 { return max(l, rounded*whole) })
	if !s.free {
		return
	}
	out.theta[0], out.theta[1] = out.ofTheta.inverse().of(b[0], b[1])
	out.gain = float64(out.theta[0]*b[0]) + float64(out.theta[1]*b[1])
	eachPair(s.m, func(i, j, p int) {
		for k := range s.eq {
			out.residual[k][p] -= float64(s.slopes[k][0].At(i, j)*out.theta[0]) + float64(s.slopes[k][1].At(i, j)*out.theta[1])
		}
	})
}

// rounded is the part of a sum of information that its rounding may be: where E explains nearly all that T says, less than that is
// left, of either sign.
const rounded = 0x1p-50

// inverse returns the covariance of θ, whose standard deviations are 1 before anything is known.
func (s sym2) inverse() sym2 {
	return s.plus(sym2{1, 0, 1}).mapped(func(l float64) float64 { return 1 / l })
}

// pull returns Σ u(R − …)/s² of a pair for the residuals of new equations, and for what was known before by a θ
// that has moved since by so much, where E is (x, y).
func (s system) pull(out *solution, i, j, p int, by [2]float64, x, y float64) (sum [2]float64) {
	if s.before != nil {
		b := s.before[p]
		t0, t1 := b.theta.of(by[0], by[1])
		for k, t := range [2]float64{t0, t1} {
			sum[k] = b.pull[k] - t - float64(b.with[k][0]*x) - float64(b.with[k][1]*y)
		}
	}
	if s.slopes == nil {
		return sum
	}
	for k, r := range out.residual {
		t := out.weight[k][p] * r[p]
		if t != 0 {
			sum[0], sum[1] = sum[0]+float64(t*s.slopes[k][0].At(i, j)), sum[1]+float64(t*s.slopes[k][1].At(i, j))
		}
	}
	return sum
}
