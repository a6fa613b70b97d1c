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
	info     sym2    // Σ (v_ij, v_ji)ᵀ(v_ij, v_ji)/s²
	spurious float64 // the trace of what errors of the v add to it
	seen     sym2    // Σ of the directions (v_ij, v_ji) that were seen, of length 1 or less
	with     [2]vec2 // Σ u_k(v_ij, v_ji)/s² with γ and with β
	theta    sym2    // Σ uᵀu/s²
	pull     vec2    // Σ u(R − v_ijE_ij − v_jiE_ji)/s², where E is best by what was seen
}

func (a about) plus(b about) about {
	with := [2]vec2{a.with[0].plus(b.with[0]), a.with[1].plus(b.with[1])}
	return about{a.info.plus(b.info), a.spurious + b.spurious, a.seen.plus(b.seen), with, a.theta.plus(b.theta), a.pull.plus(b.pull)}
}

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
		p[k].info = vec2{ratio, 1 / ratio}.dyad(1 / square(negligible))
	})
	return p
}

// divided returns the posterior with the information of each pair divided by t_p.
func (p posterior) divided(t func(pair int) float64) posterior {
	q := slices.Clone(p)
	for k, a := range q {
		f := 1 / t(k)
		with := [2]vec2{a.with[0].times(f), a.with[1].times(f)}
		q[k] = about{a.info.times(f), a.spurious * f, a.seen, with, a.theta.times(f), a.pull.times(f)}
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
		setPair(sd, i, j, vec2{of(known.a+by.a, p[k].info.a), of(known.c+by.c, p[k].info.c)})
		u.alike[k] = balanced && float64(known.a*known.c)-square(known.b) <= square(negligible)*known.a*known.c && max(sd.At(i, j), sd.At(j, i)) < prior
	})
	return u
}

// moved returns the covariance that E has because of that of θ, where K is its covariance if θ is known:
// E moves by −K·with·δθ.
func (a about) moved(known, theta sym2) sym2 {
	g, h := known.of(a.with[0]), known.of(a.with[1])
	x, y := vec2{g[0], h[0]}, vec2{g[1], h[1]}
	between := float64(theta.a*x[0]*y[0]) + float64(theta.b*(float64(x[0]*y[1])+float64(x[1]*y[0]))) + float64(theta.c*x[1]*y[1])
	return sym2{theta.form(x), between, theta.form(y)}
}

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
