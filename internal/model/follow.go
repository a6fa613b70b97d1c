package model

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// passes are how often the newest looks are fitted: they depend on E by terms of second
	// order.
	passes = 6
	// furthest is the largest E by which a frame is corrected at once, and the furthest that a map moves.
	furthest = prior
	// mostSurprise is how much one equation may count in the mean of surprises.
	mostSurprise = 100
)

// follow learns the n newest looks, which are along the frame so far, given what the others
// have said: information is kept, and only the newest are fitted. Where they surprise, less is
// believed of what was known.
func (b *belief) follow(n int) bool {
	looks := b.looks[len(b.looks)-n:]
	before, kappa := b.known, make([]float64, n)
	f, theta, e := b.frame, b.theta, mat.NewDense(b.m, b.m, nil)
	var out solution
	for pass := range passes {
		eq := b.equations(f, theta, looks)
		if eq == nil {
			return false
		}
		if n > 2 && pass < passes-2 { // by themselves: what was known may be wrong
			own := system{m: b.m, eq: eq, kappa: make([]float64, n)}.solve()
			for k := range kappa {
				kappa[k] = excess(own, eq, k, freedom(n))
			}
		}
		if pass == 0 {
			before = b.discounted(eq, kappa, before)
		}
		sys := system{m: b.m, eq: eq, kappa: kappa, before: before, e: e, slopes: b.slopes(f, theta, looks, eq), free: true}
		sys.moved = b.theta.Less(theta)
		out = sys.solve()
		var ok bool
		if theta, ok = b.turned(theta, out, 0.1); !ok {
			sys.free = false
			out = sys.solve()
		}
		e = off(b.m, func(i, j int) float64 { return max(-furthest, min(furthest, out.e.At(i, j))) })
		if f = b.frame.corrected(e); f == nil {
			return false
		}
		b.ofTheta = out.ofTheta
		b.uncertain(out.total)
		if t := contradiction(out, before.costs(e)); t > 2 && (pass == 1 || pass == passes/2) {
			before = before.divided(func(int) float64 { return t })
		}
	}
	b.pair = max(b.pair, out.pair(before.costs(e), 1))
	b.frame, b.theta, b.known = f, theta, out.total
	if n > 1 {
		b.kappa = kappa
	}
	return true
}

// discounted returns what was known, less of it where new equations surprise: of each pair by its
// own surprise, and of all by the mean.
func (b *belief) discounted(eq []equation, kappa []float64, before posterior) posterior {
	sum, count := math.Ln2*float64(b.m), b.m // few pairs say little
	most := make([]float64, len(before))
	eachPair(b.m, func(i, j, p int) {
		whole := before[p].info.plus(sym2{1 / square(prior), 0, 1 / square(prior)}).mapped(func(l float64) float64 { return 1 / l })
		for k, q := range eq {
			if math.IsInf(q.s2.At(i, j), 1) {
				continue
			}
			v, u := q.v.At(i, j), q.v.At(j, i)
			expected := q.s2.At(i, j) + float64(square(kappa[k])*math.Abs(v*u)) + whole.form(v, u)
			chi := square(q.r.At(i, j)) / expected
			most[p] = max(most[p], chi)
			sum, count = sum+math.Log1p(chi), count+1
		}
	})
	b.surprise = math.Expm1(sum / float64(max(count, 1)))
	all := max(1, b.surprise/misfit)
	return before.divided(func(p int) float64 { return max(all, most[p]/8) })
}

// costs returns what E costs by what is known of each pair.
func (p posterior) costs(e *mat.Dense) []float64 {
	all := make([]float64, len(p))
	m, _ := e.Dims()
	eachPair(m, func(i, j, k int) { all[k] = p[k].info.form(e.At(i, j), e.At(j, i)) })
	return all
}

// contradiction returns the mean over pairs of what the correction costs by what was known, and
// of what it leaves.
func contradiction(out solution, costs []float64) float64 {
	sum := 0.0
	for p := range costs {
		q := costs[p]
		for k := range out.residual {
			q += float64(square(out.residual[k][p]) * out.weight[k][p])
		}
		sum += min(q, mostSurprise)
	}
	return sum / float64(max(len(costs), 1))
}

// squares returns the (R/s)² that a solution leaves.
func (out solution) squares() (all []float64) {
	for k, weights := range out.weight {
		for p, w := range weights {
			if w > 0 {
				all = append(all, float64(square(out.residual[k][p])*w))
			}
		}
	}
	return all
}

// meanSquare returns the mean of (R/s)² that a solution leaves.
func meanSquare(out solution) float64 {
	sum, all := 0.0, out.squares()
	for _, v := range all {
		sum += v
	}
	return sum / float64(max(len(all), 1))
}

// pair returns the largest κ that a single pair shows: what its residuals are as a part of its curvature,
// where they are not chance. costs are what E costs by what was known of pairs.
func (out solution) pair(costs []float64, freedom float64) float64 {
	most := 0.0
	for p := range out.own {
		chi, info := costs[p], 0.0
		for k := range out.residual {
			w := out.weight[k][p]
			chi += float64(square(out.residual[k][p]) * w)
			info = max(info, w*out.scale[k][p])
		}
		if chi *= freedom; chi > notChance && info > 0 {
			most = max(most, math.Sqrt(chi/info))
		}
	}
	return most
}

// notChance is χ² of a pair that chance does not make of many.
const notChance = 50

// excess returns κ of a look: what its residuals have beyond their variance, if that is
// significant. Pairs of little curvature say little.
func excess(out solution, eq []equation, k int, freedom float64) float64 {
	least := 0.05 * median(out.scale[k])
	var square2, variance, chi, n float64
	eachPair(dimOf(eq[k]), func(i, j, p int) {
		if scale := out.scale[k][p]; scale > least && out.weight[k][p] > 0 {
			r2, v := square(out.residual[k][p])*freedom, eq[k].s2.At(i, j)
			square2, variance, chi, n = square2+r2/scale, variance+v/scale, chi+r2/v, n+1
		}
	})
	rows := float64(dimOf(eq[k])) // values at the ends of single steps are shared by the pairs of a row
	if n == 0 || chi/n <= 1+float64(5*math.Sqrt(2/min(n, rows))) || square2 <= variance {
		return 0
	}
	return math.Sqrt((square2 - variance) / n)
}

// dimOf returns how many components an equation is about.
func dimOf(q equation) int {
	m, _ := q.r.Dims()
	return m
}
