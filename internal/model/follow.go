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
			kappa = system{eq: eq}.solve().excesses()
		}
		eq = coupled(eq, kappa)
		if pass == 0 {
			before = b.discounted(eq, before)
		}
		b.slopes(f, theta, looks, eq)
		sys := system{eq: eq, before: before, e: e, free: true, moved: b.theta.Less(theta)}
		out = sys.solve()
		var ok bool
		if theta, ok = b.turned(theta, out, 0.1); !ok {
			sys.free = false
			out = sys.solve()
		}
		e = clipped(out.e)
		if f = b.frame.corrected(e); !f.regular() {
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

// clipped returns E by which a frame is corrected at once.
func clipped(e *mat.Dense) *mat.Dense {
	m, _ := e.Dims()
	return off(m, func(i, j int) float64 { return max(-furthest, min(furthest, e.At(i, j))) })
}

// discounted returns what was known, less of it where new equations surprise: of each pair by its
// own surprise, and of all by the mean.
func (b *belief) discounted(eq []equation, before posterior) posterior {
	sum, count := math.Ln2*float64(b.m), b.m // few pairs say little
	most := make([]float64, len(before))
	eachPair(b.m, func(i, j, p int) {
		whole := before[p].info.plus(scalar(1 / square(prior))).inverse(0)
		for _, q := range eq {
			if math.IsInf(q.s2.At(i, j), 1) {
				continue
			}
			v := pairOf(q.v, i, j)
			expected := q.s2.At(i, j) + float64(square(q.kappa)*math.Abs(v[0]*v[1])) + whole.form(v)
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
	eachPair(m, func(i, j, k int) { all[k] = p[k].info.form(pairOf(e, i, j)) })
	return all
}

// contradiction returns the mean over pairs of what the correction costs by what was known, and
// of what it leaves.
func contradiction(out solution, costs []float64) float64 {
	sum := 0.0
	for _, chi := range out.chi(costs) {
		sum += min(chi, mostSurprise)
	}
	return sum / float64(max(len(costs), 1))
}

// meanSquare returns the mean of (R/s)² that a solution leaves.
func meanSquare(out solution) float64 {
	sum, all := 0.0, out.squares()
	for _, v := range all {
		sum += v
	}
	return sum / float64(max(len(all), 1))
}
