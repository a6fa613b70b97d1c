package outer

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Sample is what is known of f at a point, in any coordinates: its value, its gradient
// and its Hessian.
type Sample struct {
	Value    float64
	Gradient []float64
	Hessian  *mat.Dense
}

// Without returns H − c ggᵀ.
func (s Sample) Without(c float64) *mat.Dense {
	a := mat.DenseCopyOf(s.Hessian)
	for i, g := range s.Gradient {
		kernel.AddScaled(a.RawRowView(i), -c*g, s.Gradient)
	}
	return a
}

// Numbers returns the c_k of three samples for which the A_k = H_k − c_k g_k g_kᵀ are
// diagonal in the same coordinates, without knowing these. It needs five dimensions or
// more.
//
// A₁A₀⁻¹A₂ is symmetric then. With B = H₀⁻¹, u = Bg₀ and τ = c₀/(1 − c₀⟨g₀, u⟩) the inverse
// of A₀ is B + τuuᵀ, and with x∧y = xyᵀ − yxᵀ the antisymmetric part of the product is 0 if
//
//	H₁BH₂ − H₂BH₁ = c₁ g₁∧H₂Bg₁ + c₂ H₁Bg₂∧g₂ − c₁c₂(g₁ᵀBg₂ + τ a₁a₂) g₁∧g₂
//	                − τ H₁u∧H₂u + τc₁a₁ g₁∧H₂u + τc₂a₂ H₁u∧g₂,   a_k = ⟨g_k, u⟩.
//
// That is linear in six numbers, with d(d−1)/2 equations: least squares give all of them,
// and c₁, c₂ and τ are three. From there a few steps after Gauss and Newton lead to the
// c₁, c₂ and τ that fit best. Each sample is tried in the place of the first.
//
// Left is the part of the left side that stays: near 0 if there is an outer map. Without
// one the left side is the error of the Hessians, and most of it stays. With singular
// Hessians it is 1.
func Numbers(samples [3]Sample) (c [3]float64, left float64) {
	left = 1
	for first := range samples {
		var these [3]Sample
		for k := range these {
			these[k] = unitSize(samples[(first+k)%3])
		}
		if these, rest := triple(these); rest < left {
			for k := range c {
				c[(first+k)%3] = these[k]
			}
			left = rest
		}
	}
	return c, left
}

// unitSize returns a sample of f multiplied so that its Hessian has size 1; c is the same
// for g/√a and H/a.
func unitSize(s Sample) Sample {
	size := mat.Norm(s.Hessian, 2)
	if !(size > 0) || math.IsInf(size, 1) {
		return s
	}
	out := Sample{Gradient: make([]float64, len(s.Gradient)), Hessian: mat.DenseCopyOf(s.Hessian)}
	out.Hessian.Scale(1/size, out.Hessian)
	kernel.AddScaled(out.Gradient, 1/math.Sqrt(size), s.Gradient)
	return out
}

// triple returns c₀, c₁ and c₂, and what is left.
func triple(s [3]Sample) (c [3]float64, left float64) {
	q, ok := newEquations(s)
	if !ok {
		return c, 1
	}
	left = 1
	for _, start := range q.starts() {
		x := q.fitted(start)
		tau := x[2]
		numbers := [3]float64{tau / (1 + float64(tau*q.g0u)), x[0], x[1]}
		if rest := q.norm(x) / q.all; rest < left && kernel.Finite(numbers[0]) {
			c, left = numbers, rest
		}
	}
	return c, left
}

// equations are those of a triple for z = (c₁, c₂, c₁c₂(g₁ᵀBg₂ + τa₁a₂), τ, τc₁, τc₂), brought
// to six rows: |R z − y|² + rest² is least.
type equations struct {
	r                *mat.Dense // 6×6
	y                []float64
	rest, all        float64 // what no z explains, and what there is to explain
	g1bg2, a1a2, g0u float64
}

// newEquations reports whether there are any.
func newEquations(s [3]Sample) (*equations, bool) {
	d := len(s[0].Gradient)
	var b mat.Dense
	if err := b.Inverse(s[0].Hessian); err != nil && !kernel.AllFinite(&b) {
		return nil, false
	}
	times := func(m *mat.Dense, x []float64) []float64 {
		y := make([]float64, d)
		kernel.MulVec(y, m.RawMatrix(), x)
		return y
	}
	g0, g1, g2, h1, h2 := s[0].Gradient, s[1].Gradient, s[2].Gradient, s[1].Hessian, s[2].Hessian
	u, bg1, bg2 := times(&b, g0), times(&b, g1), times(&b, g2)
	h1u, h2u := times(h1, u), times(h2, u)
	a1, a2 := kernel.Dot(g1, u), kernel.Dot(g2, u)
	product := kernel.Times(h1, kernel.Times(&b, h2))
	q := &equations{g1bg2: kernel.Dot(g1, bg2), a1a2: a1 * a2, g0u: kernel.Dot(g0, u)}

	columns := mat.NewDense(d*(d-1)/2, 7, nil)
	wedges := [6]struct {
		factor float64
		x, y   []float64
	}{{1, g1, times(h2, bg1)}, {1, times(h1, bg2), g2}, {-1, g1, g2}, {-1, h1u, h2u}, {a1, g1, h2u}, {a2, h1u, g2}}
	n := 0
	for i := range d {
		for j := range i {
			row := columns.RawRowView(n)
			for k, w := range wedges {
				row[k] = w.factor * (float64(w.x[i]*w.y[j]) - float64(w.x[j]*w.y[i]))
			}
			row[6] = product.At(i, j) - product.At(j, i)
			n++
		}
	}
	if n < 7 || !kernel.AllFinite(columns) {
		return nil, false
	}
	var qr mat.QR
	qr.Factorize(columns)
	var r mat.Dense
	qr.RTo(&r)
	q.r, q.y = mat.DenseCopyOf(r.Slice(0, 6, 0, 6)), make([]float64, 6)
	for k := range q.y {
		q.y[k] = r.At(k, 6)
	}
	q.rest = r.At(6, 6)
	q.all = math.Hypot(floats.Norm(q.y, 2), q.rest)
	return q, q.all > 0
}

// monomials returns z at x = (c₁, c₂, τ), and its derivatives.
func (q *equations) monomials(x [3]float64) (z []float64, dz *mat.Dense) {
	c1, c2, tau := x[0], x[1], x[2]
	w := q.g1bg2 + float64(tau*q.a1a2)
	return []float64{c1, c2, c1 * c2 * w, tau, tau * c1, tau * c2}, mat.NewDense(6, 3, []float64{
		1, 0, 0,
		0, 1, 0,
		c2 * w, c1 * w, c1 * c2 * q.a1a2,
		0, 0, 1,
		tau, 0, c1,
		0, tau, c2,
	})
}

// residual returns R z − y.
func (q *equations) residual(x [3]float64) []float64 {
	z, _ := q.monomials(x)
	out := make([]float64, len(q.y))
	kernel.MulVec(out, q.r.RawMatrix(), z)
	kernel.AddScaled(out, -1, q.y)
	return out
}

// norm returns √(|R z − y|² + rest²).
func (q *equations) norm(x [3]float64) float64 {
	return math.Hypot(floats.Norm(q.residual(x), 2), q.rest)
}

// starts returns what the equations say about c₁, c₂ and τ if they are taken as linear, with
// τ from each of the three places where it stands; and no map at all.
func (q *equations) starts() [][3]float64 {
	all := [][3]float64{{}}
	var z mat.VecDense
	if err := z.SolveVec(q.r, mat.NewVecDense(6, q.y)); err != nil && !kernel.Finite(mat.Norm(&z, 2)) {
		return all
	}
	c1, c2 := z.AtVec(0), z.AtVec(1)
	for _, tau := range []float64{z.AtVec(3), z.AtVec(4) / c1, z.AtVec(5) / c2} {
		if kernel.Finite(tau) {
			all = append(all, [3]float64{c1, c2, tau})
		}
	}
	return all
}

const (
	newtons  = 50    // steps at most; some five are usual
	halvings = 20    // of a step that does not lead down
	enough   = 1e-12 // the part by which a step must lower the residual to go on
)

// fitted returns the x with the least residual that is reached from a start.
func (q *equations) fitted(x [3]float64) [3]float64 {
	now := q.norm(x)
	for range newtons {
		_, dz := q.monomials(x)
		var step mat.VecDense
		jacobian, down := kernel.Times(q.r, dz), q.residual(x)
		if err := step.SolveVec(jacobian, mat.NewVecDense(len(down), down)); err != nil && !kernel.Finite(mat.Norm(&step, 2)) {
			return x
		}
		before := now
		for t, k := 1.0, 0; k < halvings; t, k = t/2, k+1 {
			next := x
			for i := range next {
				next[i] -= float64(t * step.AtVec(i))
			}
			if there := q.norm(next); there < now {
				x, now = next, there
				break
			}
		}
		if !(now < before*(1-enough)) {
			return x
		}
	}
	return x
}
