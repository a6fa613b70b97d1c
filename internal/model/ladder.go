package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A ladder is how much second differences along some directions miss, against the step t: the
// truncation τ(t) as a part of the curvature, measured at rungs a factor of four apart, from half
// of the box down to the noise.
type ladder struct {
	top       float64
	caution   float64 // by which truncation is multiplied
	curvature float64
	odd       []rung // what forward differences miss, f‴t
	even      []rung // what symmetric ones miss, f⁗t²/12
}

// A rung is a step, what differences with it miss, and that in units of its noise.
type rung struct{ step, misses, clear float64 }

const (
	// ladderLines are along how many lines steps are chosen.
	ladderLines = 5
	rungFactor  = 4.
	mostRungs   = 15
	// rungsAtOnce are asked in one batch.
	rungsAtOnce = 3
	// significant is how many standard deviations of noise a difference of rungs must have.
	significant = 4
	// drowned is the noise of differences, as a part of them, from which on they say nothing.
	drowned = 0.3
	// steady is the truncation of symmetric differences up to which a step is short: over
	// longer ones the curvature is another.
	steady = 0.3
	// shortest is the least step, as a part of the longest.
	shortest = 1e-6
)

// newLadder measures along some lines, one more than there are components at most. Their directions are rows of u if alone, otherwise (u_a ± u_b)/√2 for
// random a, b. curvature is what it is known to be at most.
func newLadder(s *sampler, f *Frame, theta Theta, curvature float64, lines int, alone bool) (*ladder, error) {
	m := s.dim()
	l := &ladder{top: median(s.widths(f.W)) / 2, caution: 1}
	x, z, err := s.finite(min(lines, m+1))
	if err != nil {
		return nil, err
	}
	lines = len(z)
	v := mat.NewDense(lines, m, nil)
	for k := range lines {
		a, b := s.random.IntN(m), s.random.IntN(m)
		sign := float64(2*s.random.IntN(2) - 1)
		copy(v.RawRowView(k), f.U.RawRowView(a))
		if !alone && a != b {
			kernel.AddScaled(v.RawRowView(k), sign, f.U.RawRowView(b))
			floats.Scale(1/math.Sqrt2, v.RawRowView(k))
		}
		l.top *= s.around(x.RawRowView(k), beside(make([]float64, m), l.top, v.RawRowView(k)))
	}
	f0, sigma := s.mapped(z, theta)
	var second, odd [][]float64
	t := l.top
	for done := false; !done && len(second) < mostRungs; {
		var points [][]float64
		for k := range rungsAtOnce {
			step := t * math.Pow(rungFactor, -float64(k))
			for _, step := range []float64{step, -step} {
				for i := range lines {
					points = append(points, beside(x.RawRowView(i), step, v.RawRowView(i)))
				}
			}
		}
		z, err := s.at(points)
		if err != nil {
			return nil, err
		}
		for k := range rungsAtOnce {
			f, _ := s.mapped(z[2*lines*k:2*lines*(k+1)], theta)
			d, o := make([]float64, lines), make([]float64, lines)
			for i := range d {
				d[i] = ((f[i] - f0[i]) + (f[lines+i] - f0[i])) / (t * t)
				o[i] = (f[i] - f[lines+i]) / 2 / t
			}
			second, odd = append(second, d), append(odd, o)
			if n := len(second); n > 1 && l.climb(second[n-2:], odd[n-2:], t*rungFactor, sigma) {
				done = true
				break
			}
			t /= rungFactor
		}
	}
	l.even, l.odd = clearest(l.even), clearest(l.odd)
	l.curvature = min(max(rootMean(second[max(0, len(second)-2)]), tiny), curvature)
	return l, nil
}

// mapped returns ψ of some values, NaN where f failed, and the root of the mean square of their
// noise.
func (s *sampler) mapped(z []float64, theta Theta) (f []float64, noise float64) {
	sum, n := 0.0, 0
	for _, v := range z {
		if !kernel.Finite(v) {
			f = append(f, math.NaN())
			continue
		}
		value, slope := theta.Of(v)
		f = append(f, value)
		sum, n = sum+square(slope*s.noise(v)), n+1
	}
	return f, math.Sqrt(sum / float64(max(n, 1)))
}

// climb adds the rung t, from second differences and slopes with it and with a fourth of it,
// and reports whether shorter steps will show nothing.
func (l *ladder) climb(second, odd [][]float64, t, sigma float64) bool {
	short := t / rungFactor
	ds := rootMeanDifference(second[0], second[1]) * (rungFactor * rungFactor) / (rungFactor*rungFactor - 1) // D(t) − D(t/4) is 15/16 of what D(t) misses
	do := rootMeanDifference(odd[0], odd[1]) * 6.4 / t                                                       // and of slopes f‴t²/6·15/16
	ns, no := math.Sqrt(6)*sigma/square(short), 4.5*sigma/(short*t)
	seen := 0.0
	for _, r := range l.even {
		seen = max(seen, r.clear)
	}
	l.even = append(l.even, rung{t, ds, ds / ns})
	l.odd = append(l.odd, rung{t, do, do / no})
	quiet := ds < significant*ns && do < significant*no
	return quiet && (ns > drowned*rootMean(second[0]) || seen > significant || len(l.even) > 2) || l.lawful(rootMean(second[0]))
}

// lawful reports whether what the last rungs miss falls as Taylor's formula has it, by 16 and by 4
// from rung to rung, so that shorter steps need not be measured.
func (l *ladder) lawful(curvature float64) bool {
	n := len(l.even)
	if n <= 2 || l.even[n-2].misses > steady*curvature {
		return false
	}
	const about = 1.5
	follows := func(r []rung, factor float64) bool {
		for k := n - 2; k < n; k++ {
			if q := r[k-1].misses / r[k].misses; !(q > factor/about && q < factor*about) || r[k].clear < significant {
				return false
			}
		}
		return true
	}
	return follows(l.even, rungFactor*rungFactor) && follows(l.odd, rungFactor)
}

// clearest returns the rungs around the most significant one that are significant, too; what
// longer steps miss adds up.
func clearest(all []rung) []rung {
	best := -1
	for k, r := range all {
		if kernel.Finite(r.clear) && r.clear > significant && (best < 0 || r.clear > all[best].clear) {
			best = k
		}
	}
	if best < 0 {
		return nil
	}
	lo, hi := best, best
	for lo > 0 && all[lo-1].clear > significant && kernel.Finite(all[lo-1].clear) {
		lo--
	}
	for hi+1 < len(all) && all[hi+1].clear > significant {
		hi++
	}
	some, sum := append([]rung{}, all[lo:hi+1]...), 0.0
	for k := len(some) - 1; k >= 0; k-- {
		sum += square(some[k].misses)
		some[k].misses = math.Sqrt(sum)
	}
	return some
}

// tau returns the truncation of a kind of look with step t, as a part of what it sees: between
// rungs, and below them by the power of t that Taylor's formula has.
func (l *ladder) tau(k *kind, t float64) float64 {
	rungs, power := l.even, 2.
	if k == forward {
		rungs, power = l.odd, 1
	}
	return l.caution * k.misses * interpolated(rungs, power, t) / l.curvature
}

// interpolated returns what a step t misses.
func interpolated(rungs []rung, power, t float64) float64 {
	if len(rungs) == 0 {
		return 0
	}
	last := rungs[len(rungs)-1]
	if t <= last.step {
		return last.misses * math.Pow(t/last.step, power)
	}
	for k := len(rungs) - 1; k > 0; k-- {
		a, b := rungs[k], rungs[k-1]
		if t <= b.step {
			s := math.Log(t/a.step) / math.Log(b.step/a.step)
			return math.Exp(float64((1-s)*math.Log(a.misses)) + float64(s*math.Log(b.misses)))
		}
	}
	return rungs[0].misses
}

// best returns the step of a kind of short look with the least error of E,
//
//	e² = (kσ/(ct²))² + (bτ(t))²,
//
// where b is the part of the truncation that counts: 1 while the frame is unknown.
func (l *ladder) best(k *kind, sigma, b float64) (step, e float64) {
	longest := l.length()
	return leastOver(l.top*shortest, l.top, func(t float64) float64 {
		if t > longest {
			return math.Inf(1)
		}
		return math.Hypot(k.noise*sigma/(l.curvature*t*t), b*l.tau(k, t))
	})
}

// length returns ℓ, the step over which the curvature changes by three tenths.
func (l *ladder) length() float64 {
	for t := range steps(l.top*shortest, l.top) {
		if l.tau(symmetric, t) > steady {
			return t
		}
	}
	return rungFactor * l.top
}

// steps yields numbers from one to another, in equal ratios.
func steps(from, to float64) func(func(float64) bool) {
	const n = 100
	return func(yield func(float64) bool) {
		for k := range n + 1 {
			if !yield(from * math.Pow(to/from, float64(k)/n)) {
				return
			}
		}
	}
}

// leastOver returns the step from one to another at which f is least, and f there.
func leastOver(from, to float64, f func(float64) float64) (at, least float64) {
	least = math.Inf(1)
	for t := range steps(from, to) {
		if v := f(t); v < least {
			at, least = t, v
		}
	}
	return at, least
}

// rootMean returns the root of the mean square of the finite numbers.
func rootMean(x []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range x {
		if kernel.Finite(v) {
			sum, n = sum+square(v), n+1
		}
	}
	return math.Sqrt(sum / float64(max(n, 1)))
}

// rootMeanDifference returns that of x − y; NaN: f failed on all lines.
func rootMeanDifference(x, y []float64) float64 {
	d := make([]float64, len(x))
	for k := range x {
		d[k] = x[k] - y[k]
	}
	if !slices.ContainsFunc(d, kernel.Finite) {
		return math.NaN()
	}
	return rootMean(d)
}
