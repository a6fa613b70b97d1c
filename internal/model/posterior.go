package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A posterior is what equations say of E_ij and E_ji, for each pair i < j, and of θ.
type posterior []about

// What equations say about a pair, and about θ, which all pairs share.
type about struct {
	info     sym2          // Σ (v_ij, v_ji)ᵀ(v_ij, v_ji)/s²
	spurious float64       // the trace of what errors of the v add to it
	seen     sym2          // Σ of the directions (v_ij, v_ji) that were seen, of length 1 or less
	with     [2][2]float64 // Σ u_k(v_ij, v_ji)/s² with γ and with β
	theta    sym2          // Σ uᵀu/s²
	pull     [2]float64    // Σ u(R − v_ijE_ij − v_jiE_ji)/s², where E is best by what was seen
}

func (a about) plus(b about) about {
	for k := range a.with {
		a.with[k][0], a.with[k][1], a.pull[k] = a.with[k][0]+b.with[k][0], a.with[k][1]+b.with[k][1], a.pull[k]+b.pull[k]
	}
	return about{a.info.plus(b.info), a.spurious + b.spurious, a.seen.plus(b.seen), a.with, a.theta.plus(b.theta), a.pull}
}

// along returns Σ_k with_k θ_k.
func (a about) along(theta [2]float64) (x, y float64) {
	return float64(a.with[0][0]*theta[0]) + float64(a.with[1][0]*theta[1]), float64(a.with[0][1]*theta[0]) + float64(a.with[1][1]*theta[1])
}

// plus returns the sum of two posteriors.
func (p posterior) plus(q posterior) posterior {
	sum := make(posterior, len(p))
	for k := range sum {
		sum[k] = p[k].plus(q[k])
	}
	return sum
}

// orthogonal returns what is known of E where the rows of the frame are orthogonal, and the true ones are:
// E_ij|w_j|² + E_ji|w_i|² = 0.
func (b *belief) orthogonal() posterior {
	p := make(posterior, pairCount(b.m))
	eachPair(b.m, func(i, j, k int) {
		ratio := length(b.frame.W.RawRowView(j)) / length(b.frame.W.RawRowView(i))
		p[k].info = dyad(ratio, 1/ratio, 1/square(negligible))
	})
	return p
}

// divided returns the posterior with the information of each pair divided by t_p.
func (p posterior) divided(t func(pair int) float64) posterior {
	q := slices.Clone(p)
	for k := range q {
		a, f := &q[k], 1/t(k)
		for i := range a.with {
			a.with[i][0], a.with[i][1], a.pull[i] = a.with[i][0]*f, a.with[i][1]*f, a.pull[i]*f
		}
		a.info, a.spurious, a.theta = a.info.times(f), a.spurious*f, a.theta.times(f)
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
func (a about) covariance(least float64) (whole, known sym2) {
	least = max(telling*a.spurious, least/square(prior))
	of := func(unknown float64) sym2 {
		return a.info.mapped(func(l float64) float64 {
			if l <= least {
				return unknown
			}
			return 1 / (l + 1/square(prior))
		})
	}
	return of(1 / (1 / square(prior))), of(0)
}

// errors returns the standard deviations of all E_ij (sd), and in the direction in which mixed
// differences depend on them (eff). A combination of E_ij and E_ji of which next to nothing is
// known, although both components are curved, does not count: their curvatures are in proportion
// (alike). θ has the given covariance.
func (p posterior) errors(m int, theta sym2) (u uncertainty) {
	sd, eff := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	u.sd, u.eff, u.alike = sd, eff, make([]bool, len(p))
	eachPair(m, func(i, j, k int) {
		whole, known := p[k].covariance(1)
		balanced := min(p[k].info.a, p[k].info.c) > inProportion*max(p[k].info.a, p[k].info.c)
		if balanced {
			_, known = p[k].covariance(certainly)
		}
		by := p[k].moved(known, theta)
		e := prior
		if size := p[k].seen.trace(); size > 0 {
			e = math.Sqrt(max(0, whole.plus(by).dot(p[k].seen)) / size)
		}
		both(eff, i, j, e)
		of := func(variance, seen float64) float64 {
			if seen <= max(telling*p[k].spurious, 1/square(prior)) { // the component is flat wherever it was seen
				return prior
			}
			return max(e, math.Sqrt(max(0, variance)))
		}
		sd.Set(i, j, of(known.a+by.a, p[k].info.a))
		sd.Set(j, i, of(known.c+by.c, p[k].info.c))
		u.alike[k] = balanced && float64(known.a*known.c)-square(known.b) <= square(negligible)*known.a*known.c && max(sd.At(i, j), sd.At(j, i)) < prior
	})
	return u
}

// moved returns the covariance that E has because of that of θ, where K is its covariance if θ is known:
// E moves by −K·with·δθ.
func (a about) moved(known, theta sym2) sym2 {
	x, y := known.of(a.with[0][0], a.with[0][1])
	u, v := known.of(a.with[1][0], a.with[1][1])
	return sym2{theta.form(x, u), float64(theta.a*x*y) + float64(theta.b*(float64(x*v)+float64(y*u))) + float64(theta.c*u*v), theta.form(y, v)}
}

// pairCount returns how many pairs m components have.
func pairCount(m int) int { return m * (m - 1) / 2 }

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
	// slopes are u, −∂R/∂γ and −∂R/∂β of each look; nil: θ is known. free says that it may move.
	slopes [][2]*mat.Dense
	free   bool
	// before is what was known of E and θ, around 0 and moved; nil: nothing. The R belong to a frame
	// that is already corrected by e.
	before posterior
	e      *mat.Dense
	moved  [2]float64
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
	ofTheta  sym2        // the information about θ, whatever E is
}

// solve returns the E (and δθ) of one Gauss–Newton step.
func (s system) solve() solution {
	n, looks := pairCount(s.m), len(s.eq)
	out := solution{own: make(posterior, n), e: mat.NewDense(s.m, s.m, nil)}
	for range looks {
		out.residual, out.weight, out.scale = append(out.residual, make([]float64, n)), append(out.weight, make([]float64, n)), append(out.scale, make([]float64, n))
	}
	eachPair(s.m, func(i, j, p int) { s.learn(&out, i, j, p) })
	out.total = out.own
	if s.before != nil {
		out.total = out.total.plus(s.before)
	}
	known := make([]sym2, n)
	for p := range known {
		_, known[p] = out.total[p].covariance(0)
	}
	if s.slopes != nil {
		s.solveMap(&out, known)
	}
	by := [2]float64{out.theta[0] - s.moved[0], out.theta[1] - s.moved[1]}
	eachPair(s.m, func(i, j, p int) {
		x, y := known[p].of(s.right(&out, i, j, p, by))
		for k, q := range s.eq {
			out.residual[k][p] -= float64(q.v.At(i, j)*x) + float64(q.v.At(j, i)*y)
		}
		out.e.Set(i, j, x)
		out.e.Set(j, i, y)
		out.total[p].pull = s.pull(&out, i, j, p, by, x, y)
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
		one := about{info: dyad(v, u, w), spurious: float64(errors * w), seen: dyad(v, u, 1/(square(v)+square(u)+float64(blurred*errors)+tiny))}
		if s.slopes != nil && w > 0 {
			g, h := s.slopes[k][0].At(i, j), s.slopes[k][1].At(i, j)
			one.with = [2][2]float64{{w * v * g, w * u * g}, {w * v * h, w * u * h}}
			one.theta = dyad(g, h, w)
		}
		out.own[p] = out.own[p].plus(one)
		r := q.r.At(i, j)
		if s.e != nil {
			r += float64(v*s.e.At(i, j)) + float64(u*s.e.At(j, i))
		}
		out.residual[k][p] = r
	}
}

// right returns the right side of the equations of a pair for E, Σ(v_ij, v_ji)R/s², less what was known of
// it by a θ that has moved since by so much.
func (s system) right(out *solution, i, j, p int, by [2]float64) (a, b float64) {
	for k, q := range s.eq {
		t := out.weight[k][p] * out.residual[k][p]
		a, b = a+float64(q.v.At(i, j)*t), b+float64(q.v.At(j, i)*t)
	}
	if s.before != nil {
		x, y := s.before[p].along(by)
		a, b = a-x, b-y
	}
	return a, b
}
