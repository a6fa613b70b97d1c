package model

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A posterior is what equations say of E_ij and E_ji, for each pair i < j.
type posterior struct {
	info     []sym2    // Σ (v_ij, v_ji)ᵀ(v_ij, v_ji)/s²
	spurious []float64 // the trace of what errors of the v add to it
	seen     []sym2    // Σ of the directions (v_ij, v_ji) that were seen, of length 1 or less
}

func newPosterior(pairs int) posterior {
	return posterior{make([]sym2, pairs), make([]float64, pairs), make([]sym2, pairs)}
}

// plus returns the sum of two posteriors.
func (p posterior) plus(q posterior) posterior {
	sum := newPosterior(len(p.info))
	for k := range sum.info {
		sum.info[k], sum.spurious[k], sum.seen[k] = p.info[k].plus(q.info[k]), p.spurious[k]+q.spurious[k], p.seen[k].plus(q.seen[k])
	}
	return sum
}

// divided returns the posterior with the information of each pair divided by t_p.
func (p posterior) divided(t func(pair int) float64) posterior {
	q := newPosterior(len(p.info))
	for k := range q.info {
		q.info[k], q.spurious[k], q.seen[k] = p.info[k].times(1/t(k)), p.spurious[k]/t(k), p.seen[k]
	}
	return q
}

const (
	// prior is the standard deviation of E before anything is known.
	prior = 0.3
	// telling is how many times the information must be what errors of its coefficients make.
	// Where two curvatures are in the same proportion everywhere, as those of a quadratic, one
	// combination of E_ij and E_ji is not determined, and need not be.
	telling = 6
	// certainly is how many times the information must be that of the prior: less is chance.
	certainly = 30
	// inProportion is the least ratio of the curvatures of two components that may be in proportion: rows are
	// scaled so that it is about 1.
	inProportion = 0.1
	// blurred is how many variances of (v_ij, v_ji) count against its length, where it is asked
	// which direction it has.
	blurred = 10
)

// covariance returns the covariance of (E_ij, E_ji), and the same without the directions about
// which there is less information than so many times the prior's.
func (p posterior) covariance(k int, least float64) (whole, known sym2) {
	least = max(telling*p.spurious[k], least/square(prior))
	whole = p.info[k].mapped(func(l float64) float64 {
		if l <= least {
			l = 0
		}
		return 1 / (l + 1/square(prior))
	})
	known = p.info[k].mapped(func(l float64) float64 {
		if l <= least {
			return 0
		}
		return 1 / (l + 1/square(prior))
	})
	return whole, known
}

// errors returns the standard deviations of all E_ij (sd), and in the direction in which mixed
// differences depend on them (eff). A combination of E_ij and E_ji of which next to nothing is
// known, although both components are curved, does not count: their curvatures are in proportion
// (alike).
func (p posterior) errors(m int) (u uncertainty) {
	sd, eff := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	u.sd, u.eff, u.alike = sd, eff, make([]bool, len(p.info))
	eachPair(m, func(i, j, k int) {
		whole, known := p.covariance(k, 1)
		balanced := min(p.info[k].a, p.info[k].c) > inProportion*max(p.info[k].a, p.info[k].c)
		if balanced {
			_, known = p.covariance(k, certainly)
		}
		e := prior
		if size := p.seen[k].trace(); size > 0 {
			e = math.Sqrt(max(0, whole.dot(p.seen[k])) / size)
		}
		eff.Set(i, j, e)
		eff.Set(j, i, e)
		of := func(variance, seen float64) float64 {
			if seen <= max(telling*p.spurious[k], 1/square(prior)) { // the component is flat wherever it was seen
				return prior
			}
			return max(e, math.Sqrt(max(0, variance)))
		}
		sd.Set(i, j, of(known.a, p.info[k].a))
		sd.Set(j, i, of(known.c, p.info[k].c))
		u.alike[k] = balanced && float64(known.a*known.c)-square(known.b) <= square(1e-6)*known.a*known.c && max(sd.At(i, j), sd.At(j, i)) < prior
	})
	return u
}

// eachPair calls f for all pairs i < j < m, k counting them.
func eachPair(m int, f func(i, j, k int)) {
	k := 0
	for i := range m {
		for j := i + 1; j < m; j++ {
			f(i, j, k)
			k++
		}
	}
}

// A system is the equations of some looks, with κ of each.
type system struct {
	m     int
	eq    []equation
	kappa []float64
	// slopes are −∂R/∂γ and −∂R/∂β of each look; nil: θ is known.
	slopes [][2]*mat.Dense
	// before is what was known of E, around 0; nil: nothing. The R belong to a frame that is
	// already corrected by e.
	before *posterior
	e      *mat.Dense
	// What was known of θ, and by how much it has moved.
	theta sym2
	moved [2]float64
}

// A solution is the E and δθ that fit a system.
type solution struct {
	e        *mat.Dense
	theta    [2]float64
	gain     float64     // how much of Σ(R/s)² the map explains
	residual [][]float64 // of each look and pair
	weight   [][]float64 // 1/s²
	scale    [][]float64 // |v_ij v_ji|
	own      posterior   // what these looks say
	total    posterior   // and with what was known before
	ofTheta  sym2        // the information of θ
}

// solve returns the E (and δθ) of one Gauss–Newton step.
func (s system) solve() solution {
	n, looks := s.m*(s.m-1)/2, len(s.eq)
	out := solution{own: newPosterior(n), e: mat.NewDense(s.m, s.m, nil)}
	for range looks {
		out.residual, out.weight, out.scale = append(out.residual, make([]float64, n)), append(out.weight, make([]float64, n)), append(out.scale, make([]float64, n))
	}
	eachPair(s.m, func(i, j, p int) { s.learn(&out, i, j, p) })
	out.total = out.own
	if s.before != nil {
		out.total = out.total.plus(*s.before)
	}
	known := make([]sym2, n)
	for p := range known {
		_, known[p] = out.total.covariance(p, 0)
	}
	if s.slopes != nil {
		s.solveMap(&out, known)
	}
	eachPair(s.m, func(i, j, p int) {
		x, y := s.fit(&out, known[p], i, j, p, func(k int) float64 { return out.residual[k][p] })
		for k, q := range s.eq {
			out.residual[k][p] -= float64(q.v.At(i, j)*x) + float64(q.v.At(j, i)*y)
		}
		out.e.Set(i, j, x)
		out.e.Set(j, i, y)
	})
	return out
}

// learn adds the information about a pair, and sets its residuals to R, and what R was before
// the frame was corrected.
func (s system) learn(out *solution, i, j, p int) {
	for k, q := range s.eq {
		v, u := q.v.At(i, j), q.v.At(j, i)
		scale := math.Abs(v * u)
		w := 1 / (q.s2.At(i, j) + float64(square(s.kappa[k])*scale))
		errors := q.vv.At(i, j) + q.vv.At(j, i)
		if math.IsInf(errors, 1) || w == 0 { // there is no value
			v, u, w, errors = 0, 0, 0, 0
		}
		out.weight[k][p], out.scale[k][p] = w, scale
		out.own.info[p] = out.own.info[p].plus(outer(v, u, w))
		out.own.spurious[p] += float64(errors * w)
		out.own.seen[p] = out.own.seen[p].plus(outer(v, u, 1/(square(v)+square(u)+float64(blurred*errors)+tiny)))
		r := q.r.At(i, j)
		if s.e != nil {
			r += float64(v*s.e.At(i, j)) + float64(u*s.e.At(j, i))
		}
		out.residual[k][p] = r
	}
}

// fit returns the E_ij and E_ji that fit numbers y_k best.
func (s system) fit(out *solution, known sym2, i, j, p int, y func(k int) float64) (float64, float64) {
	var a, b float64
	for k, q := range s.eq {
		t := out.weight[k][p] * y(k)
		a, b = a+float64(q.v.At(i, j)*t), b+float64(q.v.At(j, i)*t)
	}
	return known.of(a, b)
}

// solveMap sets δθ, with E eliminated pair by pair, and takes what it explains off the
// residuals.
func (s system) solveMap(out *solution, known []sym2) {
	rest := func(i, j, p int, y func(k int) float64) []float64 {
		a, b := s.fit(out, known[p], i, j, p, y)
		left := make([]float64, len(s.eq))
		for k, q := range s.eq {
			left[k] = y(k) - float64(q.v.At(i, j)*a) - float64(q.v.At(j, i)*b)
		}
		return left
	}
	var b [2]float64
	eachPair(s.m, func(i, j, p int) {
		g := rest(i, j, p, func(k int) float64 { return s.slopes[k][0].At(i, j) })
		h := rest(i, j, p, func(k int) float64 { return s.slopes[k][1].At(i, j) })
		y := rest(i, j, p, func(k int) float64 { return out.residual[k][p] })
		for k := range s.eq {
			w := out.weight[k][p]
			out.ofTheta = out.ofTheta.plus(outer(g[k], h[k], w))
			b[0], b[1] = b[0]+float64(g[k]*w*y[k]), b[1]+float64(h[k]*w*y[k])
		}
	})
	q := s.theta
	if q == (sym2{}) {
		q = sym2{1, 0, 1}
	}
	x, y := q.of(s.moved[0], s.moved[1])
	out.theta[0], out.theta[1] = out.ofTheta.plus(q).mapped(func(l float64) float64 { return 1 / l }).of(b[0]+x, b[1]+y)
	out.gain = float64(out.theta[0]*b[0]) + float64(out.theta[1]*b[1])
	eachPair(s.m, func(i, j, p int) {
		for k := range s.eq {
			out.residual[k][p] -= float64(s.slopes[k][0].At(i, j)*out.theta[0]) + float64(s.slopes[k][1].At(i, j)*out.theta[1])
		}
	})
}
