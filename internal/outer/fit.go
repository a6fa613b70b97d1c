package outer

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
)

// Number returns c = −ψ″/ψ′ at a value of f.
func (m *Map) Number(f float64) float64 {
	if m.bend != nil {
		power := *m
		power.bend = nil
		v, slope := m.law(f)
		return power.Number(f) - float64(slope*m.bend.curve(v))
	}
	if m.gamma == 0 {
		return 0
	}
	if m.kappa == 0 {
		return -m.gamma / m.s
	}
	return -m.gamma / (m.kappa * (f - m.Pole()))
}

// FromNumbers returns the map whose c is nearest to some numbers: with t_k = (f_k − r)/s, r and s
// the middle and half the range of the values, (1 + κt_k)s c_k + γ is as small as can be, in
// least squares over κ and γ. It takes two different values at least, and returns nil if
// there are not so many or if some number is not finite.
func FromNumbers(numbers []Number) *Map {
	var values []float64
	for _, n := range numbers {
		values = append(values, n.Value)
	}
	if len(values) < 2 {
		return nil
	}
	r, s := middle(values)
	var aa, ab, bb, ra, rb float64 // of [s c_k t_k, 1]·[κ, γ] = −s c_k
	for _, n := range numbers {
		sc := float64(s * n.C)
		a := float64(n.C * (n.Value - r))
		aa, ab, bb = aa+square(a), ab+a, bb+1
		ra, rb = ra-float64(a*sc), rb-sc
	}
	det := float64(aa*bb) - float64(ab*ab)
	kappa, gamma := (float64(bb*ra)-float64(ab*rb))/det, (float64(aa*rb)-float64(ab*ra))/det
	if !(s > 0) || !kernel.Finite(kappa) || !kernel.Finite(gamma) {
		return nil
	}
	return power(r, s, gamma, bounded(kappa))
}

// nearest is the largest |κ|: the pole of a power must not be among the values, for which
// |t| ≤ 1.
const nearest = 1 - 1e-12

// middle returns the middle of values and half their range.
func middle(values []float64) (r, s float64) {
	lo, hi := slices.Min(values), slices.Max(values)
	s = float64(hi/2) - float64(lo/2)
	return lo + s, s
}

// Corners are values of f at the corners of a square: at x, x+a, x+b and x+a+b, where a and b are steps along
// different blocks.
type Corners [4]float64

// mixed returns the mixed difference of four values, divided by the root of the sum of
// squares of the four single ones: 0 if the values are sums.
func (c Corners) mixed(of func(float64) float64) float64 {
	v := [4]float64{of(c[0]), of(c[1]), of(c[2]), of(c[3])}
	a, b, aThere, bThere := v[1]-v[0], v[2]-v[0], v[3]-v[2], v[3]-v[1]
	size := math.Hypot(math.Hypot(a, b), math.Hypot(aThere, bThere))
	if size == 0 {
		return 0
	}
	return (aThere - a) / size
}

// Coupling returns the root of the mean square of the mixed differences of ψ(f) at some
// corners, each as a part of its single differences; of f itself if the map is nil.
func Coupling(m *Map, corners []Corners) float64 {
	of := func(f float64) float64 { return f }
	if m != nil {
		of = m.Of
	}
	sum := 0.0
	for _, c := range corners {
		r := c.mixed(of)
		sum += float64(r * r)
	}
	return math.Sqrt(sum / float64(len(corners)))
}

// Fitted returns the map for which the mixed differences of ψ(f) at some corners are least, and
// which agrees with numbers, in least squares: of all families of powers the first, beginning
// with the simplest, that does as well as the richest. The unit of the mixed differences is
// what the best map by them alone leaves. It returns nil if the values are no
// numbers, or all the same.
func Fitted(corners []Corners, numbers []Number) *Map {
	return FittedWithin(corners, numbers, math.Inf(1))
}

// FittedWithin is Fitted, and nil if no map makes the coupling at the corners so small.
func FittedWithin(corners []Corners, numbers []Number, most float64) *Map {
	e := evidence{corners: corners, numbers: numbers, unit: 1}
	if !e.placed() {
		return nil
	}
	near := FromNumbers(numbers)
	if len(corners) > 0 {
		e.numbers = nil
		_, alone := e.best(near)
		if alone > asGood*most {
			return nil
		}
		e.numbers, e.unit = numbers, max(alone, smallest)
	}
	m, _ := e.best(near)
	if m == nil || len(corners) > 0 && Coupling(m, corners) > most {
		return nil
	}
	return m
}

// FittedBeside is Fitted to squares along some pairs of components, three or more along each,
// which are right whatever the error of the frame.
func FittedBeside(pairs [][]Cross, near *Map) *Map {
	e := evidence{pairs: pairs, unit: 1}
	for _, squares := range pairs {
		for _, c := range squares {
			e.corners = append(e.corners, c.Corners)
		}
	}
	if !e.placed() {
		return nil
	}
	values := e.values()
	e.corners = nil
	m, left := e.best(near)
	if m == nil || left <= goodEnough {
		return m
	}
	if l, ok := bent(m, values); ok && len(e.residuals(m)) >= 2*knots {
		if curved, there := l.descend(&e, make([]float64, l.free)); there < bends*left {
			return curved
		}
	}
	return m
}

// bends is the part of what a power leaves that another map may leave to be taken.
const bends = 0.3

// goodEnough is what a power may leave, as a part of single differences, to be taken as it is:
// far less than any certificate sees.
const goodEnough = 1e-5

// Left returns the root of the mean square of what squares along pairs of components leave
// of their equations under a map.
func Left(m *Map, pairs [][]Cross) float64 {
	r := (&evidence{pairs: pairs, unit: 1}).residuals(m)
	return floats.Norm(r, 2) / math.Sqrt(float64(max(len(r), 1)))
}

// smallest is the rounding of mixed differences.
const smallest = 1e-13

// evidence is what a map is fitted to.
type evidence struct {
	corners []Corners
	numbers []Number
	pairs   [][]Cross
	unit    float64 // of mixed differences
	r, s    float64 // the middle of all values, and half their range
}

// placed sets r and s and reports whether there are different values.
func (e *evidence) placed() bool {
	values := e.values()
	if len(values) == 0 {
		return false
	}
	e.r, e.s = middle(values)
	return e.s > 0 && kernel.Finite(e.s)
}

// values returns all values of f.
func (e *evidence) values() []float64 {
	var all []float64
	for _, c := range e.corners {
		all = append(all, c[:]...)
	}
	for _, n := range e.numbers {
		all = append(all, n.Value)
	}
	return all
}

// best returns the simplest map that does as well as the best, and what it leaves, per
// square and number.
func (e *evidence) best(near *Map) (*Map, float64) {
	var found []*Map
	var left []float64
	for _, l := range laws() {
		if m, there := l.fitted(e, near); m != nil {
			m.free = l.free
			found, left = append(found, m), append(left, there)
		}
	}
	if len(found) == 0 {
		return nil, 0
	}
	least := slices.Min(left)
	for k, m := range found {
		if left[k] <= least*asGood {
			return m, left[k]
		}
	}
	return nil, 0
}

// residuals returns the mixed differences under a map and how far its c is from the numbers,
// each in its unit; nil: they are not finite.
func (e *evidence) residuals(m *Map) []float64 {
	if m == nil {
		return nil
	}
	out := make([]float64, 0, len(e.corners)+len(e.numbers))
	for _, c := range e.corners {
		out = append(out, c.mixed(m.Of)/e.unit)
	}
	for _, n := range e.numbers {
		out = append(out, (n.C-m.Number(n.Value))/n.Error)
	}
	for _, squares := range e.pairs {
		from := len(out)
		out = crossed(out, squares, m)
		floats.Scale(1/e.unit, out[from:])
	}
	if !kernel.Finite(kernel.Dot(out, out)) {
		return nil
	}
	return out
}

// asGood is by what factor the mixed differences of a simple map may be larger than those of
// the best one: twenty squares and two parameters make a factor of √(20/18) by chance, and
// half as much again is rare.
const asGood = 1.25
