package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// What is measured by a look, after ψ: the mixed differences M_ij, and D_i on the diagonal, the
// second difference along S_i, for long looks h_iΔ_i with the change Δ_i of the slope over the
// step. vm and vd are the variances that noise gives them.
type measured struct {
	m, vm *mat.Dense
	vd    []float64
	g     []float64 // the slope along S_i
	// without says which pairs have no value; nil: all have one.
	without []bool
	// Of long looks: f_i″h_i² at x and at x+S_i.
	c0, c1 []float64
}

// values are those of a look after ψ, and their variances; a value where f failed is 0 and has
// an infinite variance.
type values struct {
	*Look
	f, n [][]float64
}

// measure returns what a look measures if the map is θ.
func (l *Look) measure(s *sampler, theta Theta) measured {
	q := l.seen(s, theta)
	q.fill(l.expected)
	return q
}

// seen is measure without fill: where f failed variances are infinite.
func (l *Look) seen(s *sampler, theta Theta) measured {
	v := values{Look: l}
	for _, part := range l.z {
		f, n := make([]float64, len(part)), make([]float64, len(part))
		for k, z := range part {
			if !kernel.Finite(z) {
				n[k] = math.Inf(1)
				continue
			}
			var slope float64
			f[k], slope = theta.Of(z)
			n[k] = square(slope * s.noise(z))
		}
		v.f, v.n = append(v.f, f), append(v.n, n)
	}
	return l.kind.measure(v)
}

// fill sets differences about which nothing is known, because f failed or was not asked, to 0, with
// the variance that is expected of them: expected_ij²D_i² + expected_ji²D_j², or as the D have it
// where nothing is expected.
func (q *measured) fill(expected *mat.Dense) {
	sum, n := 0.0, 0
	for i, v := range q.vd {
		if kernel.Finite(v) {
			sum, n = sum+square(q.m.At(i, i)), n+1
		}
	}
	if n == len(q.vd) && kernel.AllFinite(q.vm) {
		return
	}
	typical := sum / float64(max(n, 1))
	for i, v := range q.vd {
		if !kernel.Finite(v) {
			q.m.Set(i, i, 0)
			q.vd[i], q.g[i] = typical, 0
			q.c0[i], q.c1[i] = 0, 0
		}
	}
	m := len(q.vd)
	q.without = make([]bool, pairCount(m))
	eachPair(m, func(i, j, p int) {
		if q.without[p] = !kernel.Finite(q.vm.At(i, j)); !q.without[p] {
			return
		}
		v := typical
		if expected != nil {
			v = square(expected.At(i, j)*q.m.At(i, i)) + square(expected.At(j, i)*q.m.At(j, j))
		}
		both(q.m, i, j, 0)
		both(q.vm, i, j, v)
	})
}

// A hessian is that of ψ(f) along some directions, by a short look: those of its steps are AᵀS.
type hessian struct {
	*mat.Dense
	a    *mat.Dense
	from measured
}

// hessian returns that along some directions, as rows.
func (l *Look) hessian(s *sampler, theta Theta, directions *mat.Dense) hessian {
	a, q := transposed(kernel.Times(directions, inverse(l.steps))), l.measure(s, theta)
	return hessian{congruent(q.m, a), a, q}
}

// slopes returns the slopes along the directions, in a row.
func (h hessian) slopes() *mat.Dense {
	return kernel.Times(mat.NewDense(1, len(h.from.g), h.from.g), h.a)
}

// variance returns that of entries, at most.
func (h hessian) variance() float64 {
	values, _ := eigen(kernel.Times(transposed(h.a), h.a))
	if values == nil {
		return math.Inf(1)
	}
	noise, _ := h.from.noise()
	most := math.Sqrt(max(0, values[len(values)-1])) // the largest singular value
	return float64(noise * square(square(most)))
}

// each sets M_ij and its variance for every pair, p counting pairs, and D_i, its variance and
// the slope for every step.
func (v values) each(pair func(i, j, p int) (m, variance float64), single func(i int) (d, variance, slope float64)) measured {
	m := len(v.f[1])
	q := measured{m: mat.NewDense(m, m, nil), vm: mat.NewDense(m, m, nil), vd: make([]float64, m), g: make([]float64, m), c0: make([]float64, m), c1: make([]float64, m)}
	for i := range m {
		d, variance, slope := single(i)
		q.m.Set(i, i, d)
		q.vd[i], q.g[i] = variance, slope
	}
	eachPair(m, func(i, j, p int) {
		v, variance := pair(i, j, p)
		both(q.m, i, j, v)
		both(q.vm, i, j, variance)
	})
	return q
}

// mixed returns f(x+S_i+S_j) − f(x+S_i) − f(x+S_j) + f(x) and its variance, from the values of single steps and of pairs, and
// their variances.
func (v values) mixed(single, pairs, ns, np []float64) func(i, j, p int) (m, variance float64) {
	return func(i, j, p int) (float64, float64) {
		return (pairs[p] - single[i]) - (single[j] - v.f[0][0]), np[p] + ns[i] + ns[j] + v.n[0][0]
	}
}

func (v values) forward() measured {
	f, n := v.f, v.n
	return v.each(v.mixed(f[1], f[3], n[1], n[3]), func(i int) (d, variance, slope float64) {
		return (f[2][i] - f[1][i]) - (f[1][i] - f[0][0]), n[2][i] + float64(4*n[1][i]) + n[0][0], float64(2*f[1][i]) - float64(0.5*f[2][i]) - float64(1.5*f[0][0])
	})
}

// around returns the second difference from x on both sides, its variance, and the slope.
func (v values) around(i int) (d, variance, slope float64) {
	f, n := v.f, v.n
	return (f[1][i] - f[0][0]) + (f[2][i] - f[0][0]), n[1][i] + n[2][i] + float64(4*n[0][0]), (f[1][i] - f[2][i]) / 2
}

func (v values) symmetric() measured {
	f, n := v.f, v.n
	plus, minus := v.mixed(f[1], f[3], n[1], n[3]), v.mixed(f[2], f[4], n[2], n[4])
	return v.each(func(i, j, p int) (float64, float64) {
		a, va := plus(i, j, p)
		b, vb := minus(i, j, p)
		return (a + b) / 2, (va + vb + 2*n[0][0]) / square(2)
	}, v.around)
}

func (v values) fourPoint() measured {
	f, n := v.f, v.n
	const area = 4 // of two steps of 2S, in those of S
	return v.each(func(_, _, p int) (float64, float64) {
		return ((f[3][p] - f[5][p]) + (f[4][p] - f[6][p])) / area, (n[3][p] + n[4][p] + n[5][p] + n[6][p]) / square(area)
	}, func(i int) (d, variance, slope float64) {
		d, variance, slope = v.around(i)
		return d / area, variance / square(area), slope / 2
	})
}

func (v values) long() measured {
	f, n := v.f, v.n
	q := v.each(v.mixed(f[1], f[6], n[1], n[6]), func(i int) (d, variance, slope float64) {
		r := v.h[i] / v.eps[i]
		slope = float64(r * (f[2][i] - f[3][i]) / 2)
		return float64(r*(f[4][i]-f[5][i])/2) - slope, r * r * (n[2][i] + n[3][i] + n[4][i] + n[5][i]) / 4, slope
	})
	for i := range q.g {
		r2 := square(v.h[i] / v.eps[i])
		q.c0[i] = r2 * ((f[2][i] - f[0][0]) + (f[3][i] - f[0][0]))
		q.c1[i] = r2 * ((f[4][i] - f[1][i]) + (f[5][i] - f[1][i]))
	}
	return q
}
