package outer

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
)

// Number returns c = −ψ″/ψ′ at a value of f, of the power law.
func (m *Map) Number(f float64) float64 {
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
		sc := s * n.C
		a := n.C * (n.Value - r)
		aa, ab, bb = aa+float64(a*a), ab+a, bb+1
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

// A law is a family of powers, given by parameters: the map, and nil if there is none.
type law struct {
	free  int // parameters
	start func(near *Map) []float64
	made  func(r, s float64, x []float64) *Map
}

// laws are the families that Fitted tries, the simplest first: the powers that have names
// of f itself, any power of f, e^{γt}, the powers that have names, and all powers.
func laws() []law {
	ofF := func(p float64) law {
		return law{0, func(near *Map) []float64 { return nil }, func(r, s float64, _ []float64) *Map {
			return fromPole(r, s, 0, p)
		}}
	}
	named := func(p float64) law {
		return law{1, kappaOf, func(r, s float64, x []float64) *Map { return power(r, s, (p-1)*bounded(x[0]), bounded(x[0])) }}
	}
	return []law{
		ofF(2), ofF(0.5), ofF(0),
		{1, func(near *Map) []float64 { return []float64{near.raisedTo()} }, func(r, s float64, x []float64) *Map {
			return fromPole(r, s, 0, x[0])
		}},
		{1, func(near *Map) []float64 { return []float64{near.gamma} }, func(r, s float64, x []float64) *Map { return power(r, s, x[0], 0) }},
		named(2), named(0.5), named(0),
		{2, func(near *Map) []float64 { return []float64{near.gamma, near.kappa} }, func(r, s float64, x []float64) *Map {
			return power(r, s, x[0], bounded(x[1]))
		}},
	}
}

func kappaOf(near *Map) []float64 { return []float64{near.kappa} }

// bounded keeps the pole away from the values.
func bounded(kappa float64) float64 { return min(max(kappa, -nearest), nearest) }

// raisedTo returns p = ω/κ, or 1 where that is not a number of ordinary size.
func (m *Map) raisedTo() float64 {
	if p := (m.kappa + m.gamma) / m.kappa; math.Abs(p) < 10 {
		return p
	}
	return 1
}

// fromPole returns the power p of f − pole; nil if values of f are on both sides of it.
func fromPole(r, s, pole, p float64) *Map {
	kappa := s / (r - pole)
	if !(math.Abs(kappa) <= 1) {
		return nil
	}
	return power(r, s, (p-1)*kappa, kappa)
}

// Fitted returns the map for which the mixed differences of ψ(f) at some corners are least, and
// which agrees with numbers, in least squares: of all families of powers the first, beginning
// with the simplest, that does as well as the richest. The unit of the mixed differences is
// what the best map by them alone leaves. It returns nil if the values are no
// numbers, or all the same.
func Fitted(corners []Corners, numbers []Number) *Map {
	e := evidence{corners: corners, unit: 1}
	if !e.placed() {
		return nil
	}
	near := FromNumbers(numbers)
	_, alone := e.best(near)
	e.numbers, e.unit = numbers, max(alone, smallest)
	m, _ := e.best(near)
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
	e.corners = nil
	m, _ := e.best(near)
	return m
}

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
	var values []float64
	for _, c := range e.corners {
		values = append(values, c[:]...)
	}
	if len(values) == 0 {
		return false
	}
	e.r, e.s = middle(values)
	return e.s > 0 && kernel.Finite(e.s)
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
		out = crossed(out, squares, m.Of)
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

// fitted returns the best map of a family that is reached from several starts, that of a
// near map and some others, and what it leaves; nil: there is none.
func (l law) fitted(e *evidence, near *Map) (best *Map, least float64) {
	starts := []*Map{power(e.r, e.s, 1, 0), power(e.r, e.s, -1, 0), power(e.r, e.s, 0.5, 0.5), power(e.r, e.s, -0.25, 0.5), power(e.r, e.s, 0.9, 0.9), power(e.r, e.s, -0.45, 0.9), power(e.r, e.s, -0.9, 0.9)}
	if near != nil {
		starts = append(starts, near.around(e.r, e.s))
	}
	least = math.Inf(1)
	for _, start := range starts {
		if m, left := l.descend(e, l.start(start)); left < least {
			best, least = m, left
		}
		if l.free == 0 {
			break
		}
	}
	return best, least
}

// around returns the same power law, by values around r that differ by s.
func (m *Map) around(r, s float64) *Map {
	k := 1 + float64(m.kappa*(r-m.r)/m.s) // 1 + κt at r
	if !(k > 0) {
		return power(r, s, m.gamma, m.kappa)
	}
	return power(r, s, m.gamma*(s/m.s)/k, m.kappa*(s/m.s)/k)
}

const (
	mostSteps = 40
	slight    = 1e-6 // the change of a parameter for a derivative
)

// descend goes the way of Gauss and Newton, with damping, from some parameters to the map
// that leaves least, and returns what that is, per square and number.
func (l law) descend(e *evidence, x []float64) (*Map, float64) {
	now := e.residuals(l.made(e.r, e.s, x))
	if now == nil {
		return nil, math.Inf(1)
	}
	damping := 1e-3
	for step := 0; step < mostSteps && len(x) > 0; step++ {
		slopes := make([][]float64, len(x))
		for i := range x {
			moved := slices.Clone(x)
			moved[i] -= math.Copysign(slight, moved[i]) // away from the pole
			if slopes[i] = e.residuals(l.made(e.r, e.s, moved)); slopes[i] == nil {
				break
			}
			kernel.AddScaled(slopes[i], -1, now)
			floats.Scale(1/(moved[i]-x[i]), slopes[i])
		}
		if slopes[len(x)-1] == nil {
			break
		}
		before := kernel.Dot(now, now)
		for range halvings {
			next := slices.Clone(x)
			kernel.AddScaled(next, -1, damped(slopes, now, damping))
			if there := e.residuals(l.made(e.r, e.s, next)); there != nil && kernel.Dot(there, there) < before {
				x, now = next, there
				damping /= 4
				break
			}
			damping *= 4
		}
		if kernel.Dot(now, now) > before*(1-1e-9) {
			break
		}
	}
	return l.made(e.r, e.s, x), floats.Norm(now, 2) / math.Sqrt(float64(len(now)))
}

// damped returns the solution of (JᵀJ + λ diag JᵀJ)y = Jᵀr for one or two columns of J.
func damped(columns [][]float64, r []float64, lambda float64) []float64 {
	if len(columns) == 1 {
		x, _ := least(columns[0], make([]float64, len(r)), r, lambda)
		return []float64{x}
	}
	x, y := least(columns[0], columns[1], r, lambda)
	return []float64{x, y}
}
