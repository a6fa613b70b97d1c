package outer

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

// FromLine returns the map under which values of f along a line are a parabola: if
// f = φ(q) with a quadratic q, then q(x+tv) = a + bt + et² for any x and v, so that
//
//	ψ(f_k) = a + bt_k + et_k²,   e > 0,
//
// and values along one line tell ψ over their whole range. It returns how far ψ(f_k) is from
// the parabola that is nearest in least squares, as a part of what it varies by, and how far
// f_k itself is. It takes seven values at least, and returns nil if there are not so many, or
// no parabola that opens upwards fits at all.
//
// The two numbers κ and γ of the map are found by Gauss–Newton steps from the best places of
// a grid; a, b and e follow from them.
func FromLine(t, values []float64) (m *Map, residual, without float64) {
	l, ok := newLine(t, values)
	if !ok {
		return nil, math.Inf(1), math.Inf(1)
	}
	without = l.size(point{})
	best, residual := point{}, math.Inf(1)
	for _, p := range l.starts() {
		if p, r := l.descend(p, true); r < residual {
			best, residual = p, r
		}
	}
	m = best.mapOf(l)
	if !(residual < 1) || !l.opens(m) {
		return nil, math.Inf(1), without
	}
	return m, residual, without
}

// leastValues is from how many values a map is fitted: five numbers are to be found.
const leastValues = 7

// A line is the values to which a map is fitted.
type line struct {
	r, s   float64     // the middle of the values, and half their range
	values []float64   //
	q      [][]float64 // orthonormal polynomials of degree 0, 1 and 2 at the places t_k
}

// newLine prepares a fit. It returns false if there is too little to fit.
func newLine(t, values []float64) (*line, bool) {
	n := len(t)
	lo, hi := math.Inf(1), math.Inf(-1)
	first, last := math.Inf(1), math.Inf(-1)
	for k, v := range values {
		lo, hi = min(lo, v), max(hi, v)
		first, last = min(first, t[k]), max(last, t[k])
	}
	s := float64(hi/2) - float64(lo/2)
	if n < leastValues || !(s > 0) || math.IsInf(s, 1) || !(last > first) {
		return nil, false
	}
	l := &line{r: lo + s, s: s, values: values}
	for degree := range 3 {
		row := make([]float64, n)
		for k := range row {
			u := (t[k] - first) / (last - first)
			row[k] = [3]float64{1, u, u * u}[degree]
		}
		for range 2 { // once more, for rounding
			for _, earlier := range l.q {
				kernel.AddScaled(row, -kernel.Dot(row, earlier), earlier)
			}
		}
		kernel.Normalise(row)
		l.q = append(l.q, row)
	}
	return l, true
}

// A point is a map of the family: κ = tanh u, so that no pole is among the values, and γ.
type point struct{ u, gamma float64 }

// mapOf returns the map.
func (p point) mapOf(l *line) *Map {
	e := expm1(2 * min(max(p.u, -farU), farU))
	return power(l.r, l.s, p.gamma, e/(e+2))
}

// farU is the largest |u|: 1 − |κ| is 2e^-2u.
const farU = 17

// leftover returns what the nearest parabola leaves of ψ(f_k), as parts of what it varies by.
func (l *line) leftover(p point) []float64 {
	m := p.mapOf(l)
	psi := make([]float64, len(l.values))
	for k, f := range l.values {
		psi[k] = m.Of(f)
	}
	kernel.AddScaled(psi, -kernel.Dot(psi, l.q[0]), l.q[0])
	spread := math.Sqrt(kernel.Dot(psi, psi))
	for range 2 {
		for _, q := range l.q {
			kernel.AddScaled(psi, -kernel.Dot(psi, q), q)
		}
	}
	for k := range psi {
		psi[k] /= spread
	}
	return psi
}

// size returns the norm of what is left, +∞ if it is not a number.
func (l *line) size(p point) float64 {
	left := l.leftover(p)
	if r := math.Sqrt(kernel.Dot(left, left)); r >= 0 {
		return r
	}
	return math.Inf(1)
}

// opens reports whether ψ(f) is a parabola that opens upwards.
func (l *line) opens(m *Map) bool {
	sum := 0.0
	for k, f := range l.values {
		sum += float64(m.Of(f) * l.q[2][k])
	}
	return sum > 0
}

// mostStarts is from how many places a descent begins.
const mostStarts = 3

// starts returns the places at which descents begin: the best γ for each of many u, and the
// best of these. The pole of a power may be very near to the values, so that κ is very near to
// 1, and the residual has a narrow valley there. And the pole is often at f = 0.
func (l *line) starts() []point {
	var grid []float64
	for u := -4.0; u <= farU; u++ {
		grid = append(grid, u)
	}
	if at0 := l.s / l.r; math.Abs(at0) < 1 {
		grid = append(grid, (log1p(at0)-log1p(-at0))/2) // artanh
	}
	type start struct {
		point
		size float64
	}
	var all []start
	for _, u := range grid {
		best := start{size: math.Inf(1)}
		for _, gamma := range []float64{-6, -3, -1.5, -0.75, -0.3, -0.1, 0.1, 0.3, 0.75, 1.5, 3, 6} {
			if p := (point{u, gamma}); l.size(p) < best.size {
				best = start{p, l.size(p)}
			}
		}
		best.point, best.size = l.descend(best.point, false)
		all = append(all, best)
	}
	slices.SortStableFunc(all, func(a, b start) int { return cmp.Compare(a.size, b.size) })
	var out []point
	for _, s := range all[:mostStarts] {
		out = append(out, s.point)
	}
	return out
}

// mostDescents is how many steps a descent takes, and fewDescents how many one of γ alone;
// tinyStep is the change of a number for a derivative.
const (
	mostDescents = 200
	fewDescents  = 15
	tinyStep     = 1e-6
)

// descend takes damped Gauss–Newton steps, of γ alone or of both numbers.
func (l *line) descend(p point, both bool) (point, float64) {
	r, damping, most := l.size(p), 1e-3, fewDescents
	if both {
		most = mostDescents
	}
	for range most {
		left := l.leftover(p)
		du, dg := l.leftover(point{p.u + tinyStep, p.gamma}), l.leftover(point{p.u, p.gamma + tinyStep})
		for k, v := range left {
			du[k], dg[k] = (du[k]-v)/tinyStep, (dg[k]-v)/tinyStep
			if !both {
				du[k] = 0
			}
		}
		uu, ug, gg := kernel.Dot(du, du), kernel.Dot(du, dg), kernel.Dot(dg, dg)
		ru, rg := -kernel.Dot(du, left), -kernel.Dot(dg, left)
		better := false
		for range 12 {
			a, b := uu+float64(damping*(uu+gg)), gg+float64(damping*(uu+gg)) // u says nothing where γ = 0
			det := float64(a*b) - float64(ug*ug)
			next := point{p.u + (float64(b*ru)-float64(ug*rg))/det, p.gamma + (float64(a*rg)-float64(ug*ru))/det}
			if size := l.size(next); size < r {
				better = size < (1-1e-6)*r
				p, r, damping = next, size, damping/10
				break
			}
			damping *= 10
		}
		if !better {
			break
		}
	}
	return p, r
}
