package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

const (
	// octaves is how many steps are compared along every component where there is noise, each
	// twice as long as the one before; the last is the spread.
	octaves = 9
	// agreement is how many standard deviations of noise second differences may be apart to
	// be the same.
	agreement = 2.5
)

// noisySteps returns the candidate with its steps h_i and ε_i, chosen by second differences
// along u_i at some points, and with the curvatures seen there. After Lepski, ε_i is the
// longest step at which they agree with those at all shorter steps, up to noise; h_i is the
// longest up to which they change by less than three tenths. That costs 18m + 1 queries at a
// point.
func noisySteps(g *ground, c *candidate, points int) (*candidate, error) {
	xs, _, err := c.places(g, points)
	if err != nil {
		return nil, err
	}
	m := len(c.spread)
	each := 1 + 2*m*octaves
	most := make([][]float64, len(xs))
	for k, x := range xs {
		most[k] = mostAt(g, c, x)
	}
	values, err := g.ask(len(xs)*each, func(k int, row []float64) {
		at := k / each
		copy(row, xs[at])
		if k %= each; k > 0 {
			i, r := (k-1)/2/octaves, (k-1)/2%octaves
			kernel.AddScaled(row, [2]float64{-1, 1}[k%2]*math.Ldexp(most[at][i], r+1-octaves), c.u.RawRowView(i))
		}
	})
	if err != nil {
		return nil, err
	}
	next := *c
	next.h, next.eps, next.curvature, next.measured = make([]float64, m), make([]float64, m), make([]float64, m), true
	for i := range m {
		var l noisyLadder
		variance := 0.0
		for at := range xs {
			v := values[at*each : (at+1)*each]
			noise := square(sigmaOf(g, v[0]))
			variance += noise
			l.add(most[at][i], v[0], v[1+2*i*octaves:1+2*(i+1)*octaves], noise)
		}
		eps, h := l.choose()
		next.eps[i], next.h[i] = math.Ldexp(c.spread[i], eps+1-octaves), math.Ldexp(c.spread[i], h+1-octaves)
		next.curvature[i] = max(l.size(eps), leastUnit)
		next.eps[i] = min(next.eps[i], forSlopes(next.h[i], next.curvature[i], math.Sqrt(variance/float64(len(xs)))))
	}
	least := flattest * slices.Max(next.curvature)
	for i, c := range next.curvature {
		next.curvature[i] = max(c, least)
	}
	return &next, nil
}

// flattest is the least curvature of a component, as a part of the largest. Of an f with few
// digits there may be none to be seen, and numbers of the fourth power of its ratio to others
// must not overflow.
const flattest = 1e-30

// forSlopes returns the step ε that is best for the change Δ of a slope over a step of h or more,
// where second differences over h miss three tenths of the curvature c. Those over ε miss
// 0.3(ε/h)² then, and slopes twice as much of themselves; noise is σ/ε beside Δ ≈ ch. The sum
// of both squares,
//
//	(0.6 ε²/h²)² + (σ/εch)²,
//
// is least for ε⁶ = σ²h²/0.72c².
func forSlopes(h, c, sigma float64) float64 { return math.Cbrt(sigma * h / (math.Sqrt(0.72) * c)) }

// A noisyLadder is second differences along a component at some points, each over all octaves,
// with the variance that noise has in each.
type noisyLadder struct{ second, noise [][octaves]float64 }

// add adds the second differences at a point, up to the longest step.
func (l *noisyLadder) add(longest, middle float64, values []float64, variance float64) {
	var d, n [octaves]float64
	for k := range octaves {
		t := math.Ldexp(longest, k+1-octaves)
		d[k], n[k] = second(values[2*k:], middle, t), 6*variance/square(square(t))
	}
	l.second, l.noise = append(l.second, d), append(l.noise, n)
}

// apart returns the sum of the squared differences between rungs k and j over the points, and
// what noise makes of it.
func (l *noisyLadder) apart(k, j int) (sum, noise float64) {
	for p := range l.second {
		if d := l.second[p][k] - l.second[p][j]; kernel.Finite(d) {
			sum += square(d)
			noise += l.noise[p][k] + l.noise[p][j]
		}
	}
	return sum, noise
}

// choose returns the rungs of ε and h.
func (l *noisyLadder) choose() (eps, h int) {
	agrees := func(k int) bool {
		for j := range k {
			if sum, noise := l.apart(k, j); !(sum <= square(agreement)*noise) {
				return false
			}
		}
		return true
	}
	for eps+1 < octaves && agrees(eps+1) {
		eps++
	}
	size := square(l.size(eps)) * float64(len(l.second))
	for h = eps; h+1 < octaves; h++ {
		if sum, noise := l.apart(h+1, eps); !(sum-noise <= square(steady)*size) {
			break
		}
	}
	return eps, h
}

// size returns the curvature at a rung, in the mean square over the points, without noise.
func (l *noisyLadder) size(k int) float64 {
	sum, n := 0.0, 0.0
	for p := range l.second {
		if d := l.second[p][k]; kernel.Finite(d) {
			sum += square(d) - l.noise[p][k]
			n++
		}
	}
	return math.Sqrt(max(0, sum) / max(1, n))
}
