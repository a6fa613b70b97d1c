package outer

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
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

// FromNumbers returns the map whose c at the values f_k is nearest to c_k: with
// t_k = (f_k − r)/s, r and s the middle and half the range of the values, (1 + κt_k)s c_k + γ
// is as small as can be, in least squares over κ and γ. It takes two different values at
// least, and returns nil if there are not so many or if some number is not finite.
func FromNumbers(values, c []float64) *Map {
	if len(values) < 2 {
		return nil
	}
	r, s := middle(values)
	var aa, ab, bb, ra, rb float64 // of [s c_k t_k, 1]·[κ, γ] = −s c_k
	for k, f := range values {
		sc := s * c[k]
		a := sc * (f - r) / s
		aa, ab, bb = aa+float64(a*a), ab+a, bb+1
		ra, rb = ra-float64(a*sc), rb-sc
	}
	det := float64(aa*bb) - float64(ab*ab)
	kappa, gamma := (float64(bb*ra)-float64(ab*rb))/det, (float64(aa*rb)-float64(ab*ra))/det
	if !(s > 0) || math.IsNaN(kappa+gamma) || math.IsInf(kappa, 0) || math.IsInf(gamma, 0) {
		return nil
	}
	return power(r, s, gamma, min(max(kappa, -nearest), nearest))
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

// A Square of values of f: at x, x+a, x+b and x+a+b, where a and b are steps along
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
	start func(r, s float64, near *Map) []float64
	made  func(r, s float64, x []float64) *Map
}

// laws are the families that Fitted tries, the simplest first: the powers that have names
// of f itself, any power of f, e^{γt}, the powers that have names, and all powers.
func laws() []law {
	ofF := func(p float64) law {
		return law{0, func(r, s float64, near *Map) []float64 { return nil }, func(r, s float64, _ []float64) *Map {
			return fromPole(r, s, 0, p)
		}}
	}
	named := func(p float64) law {
		return law{1, kappaOf, func(r, s float64, x []float64) *Map { return power(r, s, (p-1)*bounded(x[0]), bounded(x[0])) }}
	}
	return []law{
		ofF(2), ofF(0.5), ofF(0),
		{1, func(r, s float64, near *Map) []float64 { return []float64{near.raisedTo()} }, func(r, s float64, x []float64) *Map {
			return fromPole(r, s, 0, x[0])
		}},
		{1, func(r, s float64, near *Map) []float64 { return []float64{near.gamma} }, func(r, s float64, x []float64) *Map { return power(r, s, x[0], 0) }},
		named(2), named(0.5), named(0),
		{2, func(r, s float64, near *Map) []float64 { return []float64{near.gamma, near.kappa} }, func(r, s float64, x []float64) *Map {
			return power(r, s, x[0], bounded(x[1]))
		}},
	}
}

func kappaOf(_, _ float64, near *Map) []float64 { return []float64{near.kappa} }

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

// Fitted returns the map for which the mixed differences of ψ(f) at some corners are least,
// in least squares: of all simple families of powers the first that does as well as the
// richest. near is a map that is not far from it, for values in the same range; nil: none is
// known. It returns nil if the values are no numbers, or all the same.
func Fitted(near *Map, corners []Corners) *Map {
	var values []float64
	for _, c := range corners {
		values = append(values, c[:]...)
	}
	if len(values) == 0 {
		return nil
	}
	r, s := middle(values)
	if !(s > 0) || !kernel.Finite(s) {
		return nil
	}
	var found []*Map
	var left []float64
	var free []int
	for _, l := range laws() {
		m := l.fitted(r, s, near, corners)
		if m == nil {
			continue
		}
		found, left, free = append(found, m), append(left, Coupling(m, corners)), append(free, l.free)
	}
	if len(found) == 0 {
		return nil
	}
	best := slices.Min(left)
	for k, m := range found {
		if left[k] <= best*asGood {
			return m
		}
	}
	return nil
}

// asGood is by what factor the mixed differences of a simple map may be larger than those of
// the best one: twenty squares and two parameters make a factor of √(20/18) by chance, and
// half as much again is rare.
const asGood = 1.25

// fitted returns the best map of a family that is reached from several starts: that of a
// near map, and some others.
func (l law) fitted(r, s float64, near *Map, corners []Corners) *Map {
	var best *Map
	least := math.Inf(1)
	starts := []*Map{power(r, s, 1, 0), power(r, s, -1, 0), power(r, s, 0.5, 0.5), power(r, s, -0.25, 0.5), power(r, s, -0.9, 0.9), power(r, s, 0.9, 0.9), power(r, s, -0.45, 0.9)}
	if near != nil {
		starts = append([]*Map{near.around(r, s)}, starts...)
	}
	for _, start := range starts {
		m := l.descend(r, s, l.start(r, s, start), corners)
		if m == nil {
			continue
		}
		if there := Coupling(m, corners); there < least {
			best, least = m, there
		}
		if l.free == 0 {
			break
		}
	}
	return best
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

// descend goes the way of Gauss and Newton, with a little damping, from some parameters to
// the least mixed differences.
func (l law) descend(r, s float64, x []float64, corners []Corners) *Map {
	now := l.residuals(r, s, x, corners)
	if now == nil {
		return nil
	}
	damping := 1e-3
	for range mostSteps {
		if len(x) == 0 {
			break
		}
		slopes := make([][]float64, len(x))
		for i := range x {
			moved := slices.Clone(x)
			moved[i] += slight
			there := l.residuals(r, s, moved, corners)
			if there == nil {
				return l.made(r, s, x)
			}
			slopes[i] = make([]float64, len(now))
			for k := range now {
				slopes[i][k] = (there[k] - now[k]) / slight
			}
		}
		before, better := kernel.Dot(now, now), false
		for range halvings {
			next := slices.Clone(x)
			for i, v := range damped(slopes, now, damping) {
				next[i] -= v
			}
			if there := l.residuals(r, s, next, corners); there != nil && kernel.Dot(there, there) < before {
				x, now, better = next, there, true
				damping /= 4
				break
			}
			damping *= 4
		}
		if !better || kernel.Dot(now, now) > before*(1-1e-9) {
			break
		}
	}
	return l.made(r, s, x)
}

// residuals returns the mixed differences under a map; nil: there is none.
func (l law) residuals(r, s float64, x []float64, corners []Corners) []float64 {
	m := l.made(r, s, x)
	if m == nil {
		return nil
	}
	out := make([]float64, len(corners))
	for k, c := range corners {
		if out[k] = c.mixed(m.Of); !kernel.Finite(out[k]) {
			return nil
		}
	}
	return out
}

// damped returns the solution of (JᵀJ + λ diag JᵀJ)y = Jᵀr for one or two columns of J.
func damped(columns [][]float64, r []float64, lambda float64) []float64 {
	a, ra := kernel.Dot(columns[0], columns[0])*(1+lambda), kernel.Dot(columns[0], r)
	if len(columns) == 1 {
		return []float64{ra / max(a, math.SmallestNonzeroFloat64)}
	}
	b, rb := kernel.Dot(columns[1], columns[1])*(1+lambda), kernel.Dot(columns[1], r)
	ab := kernel.Dot(columns[0], columns[1])
	det := max(float64(a*b)-float64(ab*ab), math.SmallestNonzeroFloat64)
	return []float64{(float64(b*ra) - float64(ab*rb)) / det, (float64(a*rb) - float64(ab*ra)) / det}
}
