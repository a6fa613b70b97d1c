package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A ladder is how much second differences along some directions miss, against the step t: the
// truncation τ(t) as a part of the curvature, measured at rungs a factor of four apart, from half
// of the box down to the noise.
type ladder struct {
	top       float64
	curvature float64
	odd       []rung // what forward differences miss, f‴t
	even      []rung // what symmetric ones miss, f⁗t²/12
}

// A rung is a step, what differences with it miss, and that in units of its noise.
type rung struct{ step, misses, clear float64 }

const (
	rungFactor = 4.
	mostRungs  = 14
	// significant is how many standard deviations of noise a difference of rungs must have.
	significant = 4
	// drowned is the noise of a second difference, as a part of it, from which on it says
	// nothing.
	drowned = 0.3
	// steady is the truncation of symmetric differences up to which a step is short: over
	// longer ones the curvature is another.
	steady = 0.3
)

// newLadder measures along the given number of lines. Their directions are rows of u if alone,
// otherwise (u_a ± u_b)/√2 for random a, b. curvature is what it is known to be at most; 0: not
// known.
func newLadder(s *sampler, f *Frame, theta Theta, curvature float64, lines int, alone bool) (*ladder, error) {
	m := s.dim()
	l := &ladder{top: median(s.widths(f.W)) / 2}
	x, v := s.points(lines, middle), mat.NewDense(lines, m, nil)
	for k := range lines {
		a, b := int(s.random.IntN(m)), int(s.random.IntN(m))
		sign := float64(2*s.random.IntN(2) - 1)
		copy(v.RawRowView(k), f.U.RawRowView(a))
		if !alone && a != b {
			kernel.AddScaled(v.RawRowView(k), sign, f.U.RawRowView(b))
			floats.Scale(1/math.Sqrt2, v.RawRowView(k))
		}
	}
	f0, sigma, err := l.values(s, theta, x, v, []float64{0})
	if err != nil {
		return nil, err
	}
	var second, odd [][]float64
	t := l.top
	for k := range mostRungs {
		f, _, err := l.values(s, theta, x, v, []float64{t, -t})
		if err != nil {
			return nil, err
		}
		d, o := make([]float64, lines), make([]float64, lines)
		for i := range d {
			d[i] = ((f[i] - f0[i]) + (f[lines+i] - f0[i])) / (t * t)
			o[i] = (f[i] - f[lines+i]) / 2 / t
		}
		second, odd = append(second, d), append(odd, o)
		if k > 0 && l.climb(second[k-1:], odd[k-1:], t*rungFactor, sigma) {
			break
		}
		t /= rungFactor
	}
	l.even, l.odd = clearest(l.even), clearest(l.odd)
	l.curvature = max(rootMean(second[max(0, len(second)-2)]), tiny)
	if curvature > 0 {
		l.curvature = min(l.curvature, curvature)
	}
	return l, nil
}

// values returns ψ(f) at x_k + tv_k for all k, for one t after another, and the noise.
func (l *ladder) values(s *sampler, theta Theta, x, v *mat.Dense, steps []float64) (f []float64, sigma float64, err error) {
	lines, m := x.Dims()
	points := mat.NewDense(lines*len(steps), m, nil)
	for a, t := range steps {
		for k := range lines {
			row := points.RawRowView(a*lines + k)
			copy(row, x.RawRowView(k))
			kernel.AddScaled(row, t, v.RawRowView(k))
		}
	}
	z, err := s.ask(points)
	sum := 0.0
	for _, v := range z {
		value, slope := theta.of(v)
		f = append(f, value)
		sum += square(slope * s.noise(v))
	}
	return f, math.Sqrt(sum / float64(max(len(z), 1))), err
}

// climb adds the rung t, from second differences and slopes with it and with a fourth of it,
// and reports whether shorter steps will show nothing.
func (l *ladder) climb(second, odd [][]float64, t, sigma float64) bool {
	short := t / rungFactor
	ds := rootMeanDifference(second[0], second[1]) * 16 / 15 // D(t) − D(t/4) is 15/16 of what D(t) misses
	do := rootMeanDifference(odd[0], odd[1]) * 6.4 / t       // and of slopes f‴t²/6·15/16
	ns, no := math.Sqrt(6)*sigma/square(short), 4.5*sigma/(short*t)
	seen := 0.0
	for _, r := range l.even {
		seen = max(seen, r.clear)
	}
	l.even = append(l.even, rung{t, ds, ds / ns})
	l.odd = append(l.odd, rung{t, do, do / no})
	quiet := ds < significant*ns && do < significant*no
	return quiet && (ns > drowned*rootMean(second[0]) || seen > significant)
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

// tau returns the truncation of second differences of a kind with step t, as a part of the
// curvature: between rungs, and below them by the power of t that Taylor's formula has.
func (l *ladder) tau(k *kind, t float64) float64 {
	rungs, power := l.even, 2.
	if k == forward {
		rungs, power = l.odd, 1
	}
	return interpolated(rungs, power, t) / l.curvature
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
			return math.Exp((1-s)*math.Log(a.misses) + s*math.Log(b.misses))
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
	e = math.Inf(1)
	longest := l.length()
	for t := range steps(l.top*1e-6, l.top, 121) {
		if t > longest {
			break
		}
		if v := math.Hypot(k.noise*sigma/(l.curvature*t*t), b*l.tau(k, t)); v < e {
			step, e = t, v
		}
	}
	return step, e
}

// length returns ℓ, the step over which the curvature changes by three tenths.
func (l *ladder) length() float64 {
	for t := range steps(l.top*1e-5, l.top, 101) {
		if l.tau(symmetric, t) > steady {
			return t
		}
	}
	return rungFactor * l.top
}

// steps yields n numbers from one to another, in equal ratios.
func steps(from, to float64, n int) func(func(float64) bool) {
	return func(yield func(float64) bool) {
		for k := range n {
			if !yield(from * math.Pow(to/from, float64(k)/float64(n-1))) {
				return
			}
		}
	}
}

// rootMean returns the root of the mean square of the finite numbers.
func rootMean(x []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range x {
		if kernel.Finite(v) {
			sum, n = sum+v*v, n+1
		}
	}
	return math.Sqrt(sum / float64(max(n, 1)))
}

func rootMeanDifference(x, y []float64) float64 {
	d := make([]float64, len(x))
	for k := range x {
		d[k] = x[k] - y[k]
	}
	return rootMean(d)
}
