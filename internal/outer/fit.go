package outer

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
)

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

// Fitted returns the map for which the mixed differences of ψ(f) at some corners are least, in least squares: of all
// families of powers the first, beginning with the simplest, that does as well as the richest. It returns nil if the
// values are no numbers, or all the same.
func Fitted(corners []Corners) *Map {
	var values []float64
	for _, c := range corners {
		values = append(values, c[:]...)
	}
	if len(values) == 0 {
		return nil
	}
	e := evidence{corners: corners}
	if e.r, e.s = middle(values); !(e.s > 0 && kernel.Finite(e.s)) {
		return nil
	}
	var found []*Map
	var left []float64
	for _, l := range laws() {
		if m, there := l.fitted(&e); m != nil {
			found, left = append(found, m), append(left, there)
		}
	}
	for k, m := range found {
		if left[k] <= max(slices.Min(left)*asGood, rounding) {
			return m
		}
	}
	return nil
}

// evidence is what a map is fitted to.
type evidence struct {
	corners []Corners
	r, s    float64 // the middle of all values, and half their range
}

// residuals returns the mixed differences under a map; nil: they are not finite.
func (e *evidence) residuals(m *Map) []float64 {
	if m == nil {
		return nil
	}
	var out []float64
	for _, c := range e.corners {
		out = append(out, c.mixed(m.Of))
	}
	if !kernel.Finite(kernel.Dot(out, out)) {
		return nil
	}
	return out
}

// rounding is what it makes of mixed differences.
const rounding = 1e-14

// asGood is by what factor the mixed differences of a simple map may be larger than those of
// the best one: twenty squares and two parameters make a factor of √(20/18) by chance, and
// half as much again is rare.
const asGood = 1.25
