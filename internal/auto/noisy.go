package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// How often f is looked at along lines under noise: from the first point slopes times the
// frame's error mislead, from the second hardly.
const mostScans = 6

// noisily minimises along the single components of a noisy f: lines over their whole range,
// in whose wells parabolas are fitted, and Newton steps from many differences. Lines look
// again from the point found until all components stay in their wells.
func (r *run) noisily(ctx context.Context, at *coordinates) (objective.Status, error) {
	l := newLines(r.f, at, r.task.Budget)
	x, took := slices.Clone(r.f.best.Point), 0
	for scan := range mostScans {
		before := r.f.queries
		if scan > 0 && r.task.Budget-before < 2*took {
			break
		}
		from, err := r.f.repeat(ctx, [][]float64{x}, atScan)
		if err != nil {
			return objective.Running, err
		}
		profiles, err := l.explore(ctx, query.Best{Point: x, Value: from[0].mean()})
		if profiles != nil {
			r.learnt.Profiles = profiles
		}
		if err != nil {
			return objective.Running, err
		}
		if r.open(profiles) {
			return objective.Unbounded, nil
		}
		there, moved, err := r.meet(ctx, at, x, from[0], profiles)
		if err != nil {
			return objective.Running, err
		}
		s := newNewton(r.f, at, there, false)
		if err := s.descend(ctx, roughly, r.f.queries/2); err != nil {
			return objective.Running, err
		}
		x, took = s.x, r.f.queries-before
		r.f.noise.end(x)
		if !moved {
			break
		}
	}
	return r.toMinimum(ctx, at, x, false)
}

const (
	// atScan is how often f is asked where lines begin.
	atScan = 8
	// roughly is what may be left above the minimum between two looks along lines, in σ.
	roughly = 1
)

// toMinimum goes to the minimum of the well that x is in, until what is left is expected to be
// less than the error with which f is known there in the end. Where f has less noise there it
// goes on. Running: it does not get there, so that the coordinates do not hold.
func (r *run) toMinimum(ctx context.Context, at *coordinates, x []float64, bowl bool) (objective.Status, error) {
	for range mostTurns {
		s := newNewton(r.f, at, x, bowl)
		err := s.descend(ctx, r.small(), r.f.queries/2)
		r.f.noise.end(s.x)
		if !s.done || err != nil {
			return objective.Running, err
		}
		if again, err := r.quieter(ctx, s.x); !again || err != nil {
			return objective.Converged, err
		}
		x = s.x
	}
	return objective.Converged, nil
}

// mostTurns is how often a loop goes on at most that comes to its end by itself as a rule.
const mostTurns = 40

// asQuiet is how much less the noise at the point found is than where it was measured,
// to be another: that of sixteen values is right to a factor of two.
const asQuiet = 3

// quieter reports whether f has less noise at x than where it was measured, and takes notice of that.
func (r *run) quieter(ctx context.Context, x []float64) (bool, error) {
	seen, err := r.f.repeat(ctx, [][]float64{x}, 2*atScan)
	if err != nil {
		return false, err
	}
	now, before := math.Sqrt(seen[0].variance()), r.f.sigma(seen[0].mean())
	if r.f.noise.kind == objective.Raster || !(asQuiet*now < before) || !(before > noProgress*math.Abs(r.f.first-seen[0].mean())) {
		return false, nil
	}
	r.f.grain.Absolute = now
	if mean := seen[0].mean(); mean != 0 {
		r.f.grain.Relative = min(r.f.grain.Relative, now/math.Abs(mean))
	}
	return true, nil
}

// small is what may be left above the minimum in the end, in σ: the error with which f is known there.
func (r *run) small() float64 {
	return 1 / math.Sqrt(max(atScan, report*float64(reserve(r.task.Budget))))
}

// meet returns where the deepest wells of all components meet, and whether a component has another well there than at x. If f
// is higher there, gains do not add up, and only the components with the largest gains move.
func (r *run) meet(ctx context.Context, at *coordinates, x []float64, fx average, profiles []frame.Profile) ([]float64, bool, error) {
	var gains []shift // with the height of x above the well
	moved := false
	for k, p := range profiles {
		y := at.y(p.Component, x)
		g := shift{k, p.Wells[0].Y - y, valueNear(p, y)}
		gains, moved = append(gains, g), moved || math.Abs(g.t) > at.scale[p.Component]
	}
	slices.SortStableFunc(gains, func(a, b shift) int { return int(math.Copysign(1, b.value-a.value)) })
	var points [][]float64
	for n := len(gains); n > 0; n /= 2 {
		there := slices.Clone(x)
		for _, g := range gains[:n] {
			at.move(there, g.t, at.singles[g.k])
		}
		clamp(there, at.bounds)
		points = append(points, there)
	}
	means, err := r.f.repeat(ctx, points, atScan)
	if err != nil {
		return nil, false, err
	}
	best := 0
	for i, m := range means {
		if m.mean() < means[best].mean()-float64(2*r.f.sigma(m.mean())) { // half a hundredth by chance
			best = i
		}
	}
	if means[best].mean() > fx.mean()+float64(2*r.f.sigma(fx.mean())) {
		return x, false, nil
	}
	return points[best], moved, nil
}

// An average has the mean and the variance of values (B. Welford's sums). Queries that have
// failed are counted and left out: a simulator may crash by chance.
type average struct {
	n, failed int     // values, and queries that have failed
	first     float64 // the first value,
	before    int     // before which so many queries have failed
	middle    float64 // the mean of the values
	residual  float64 // Σ(v − middle)²
}

// add takes notice of a value; an infinite one has failed.
func (s *average) add(v float64) {
	if math.IsInf(v, 0) {
		s.failed++
		return
	}
	if s.n++; s.n == 1 {
		s.first, s.before = v, s.failed
	}
	delta := v - s.middle
	s.middle += delta / float64(s.n)
	s.residual += float64(delta * (v - s.middle))
}

// join takes notice of all values of another (T. Chan, G. Golub and R. LeVeque, 1979).
func (s *average) join(t average) {
	if s.n == 0 || t.n == 0 {
		if s.n == 0 {
			t.before += s.failed
			t, *s = *s, t
		}
		s.failed += t.failed
		return
	}
	delta, n := t.middle-s.middle, float64(s.n+t.n)
	s.residual += t.residual + float64(delta*delta*float64(s.n)*float64(t.n)/n)
	s.middle += float64(delta * float64(t.n) / n)
	s.n, s.failed = s.n+t.n, s.failed+t.failed
}

// mean is that of the values; +∞ if more than half of the queries have failed.
func (s *average) mean() float64 {
	if s.n == 0 || s.failed > s.n {
		return math.Inf(1)
	}
	return s.middle
}

// variance is that of one value; +∞: not known.
func (s *average) variance() float64 {
	if s.n < 2 {
		return math.Inf(1)
	}
	return s.residual / float64(s.n-1)
}

// halfWidth is half of the interval around the mean that has the true one with a
// probability of 95 %: t √(variance/n), with Student's t of n − 1 degrees of freedom.
func (s *average) halfWidth() float64 {
	return student(s.n-1) * math.Sqrt(s.variance()/float64(s.n))
}

// interval is the probability with which an interval that is given for a mean has the true one.
const interval = 0.95

// student returns the 97.5 % quantile t of Student's distribution with ν degrees of freedom, √ν tan θ, where
//
//	P(|T| < t) = sin θ (1 + ½ cos²θ + ½·¾ cos⁴θ + …)   for even ν, and
//	P(|T| < t) = 2/π (θ + sin θ (cos θ + ⅔ cos³θ + …)) for odd ν, the last power of cos θ being ν − 2,
//
// by bisection (M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4).
func student(nu int) float64 {
	if nu < 1 {
		return math.Inf(1)
	}
	within := func(theta float64) float64 {
		sin, cos := kernel.SinOf(theta), kernel.CosOf(theta)
		sum, term, odd := 0.0, 1.0, nu%2
		if odd == 1 {
			term = cos
		}
		for k := 2 + odd; k <= nu; k += 2 {
			sum += term
			term *= float64(cos*cos) * float64(k-1) / float64(k)
		}
		if odd == 1 {
			return (theta + float64(sin*sum)) * 2 / math.Pi
		}
		return sin * sum
	}
	lo, hi := 0.0, math.Pi/2
	for mid := hi / 2; mid > lo && mid < hi; mid = (lo + hi) / 2 {
		if within(mid) < interval {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Sqrt(float64(nu)) * kernel.SinOf(lo) / kernel.CosOf(lo)
}

// pairs are what was seen of one component beside x.
type pairs struct {
	h     float64 // their length, about
	n     int     // how many there are
	s2    float64 // Σh²
	s4    float64 // Σ(h²/2)²
	odd   float64 // Σ h (f₊ − f₋)/2
	even  float64 // Σ (h²/2) (f₊ + f₋)/2
	vOdd  float64 // the variance of odd, and of even
	vEven float64
	c     float64 // the curvature as it was found last; 0: not yet
	r     float64 // the scale, if it was not known; 0: not yet
}

// add takes notice of a pair. One at which f has failed says nothing. sigma is the standard deviation of a value.
func (p *pairs) add(h, up, down float64, sigma func(v float64) float64) {
	p.n++
	if math.IsInf(up, 0) || math.IsInf(down, 0) || !(h > 0) {
		return
	}
	half := float64(h * h / 2)
	p.s2 += float64(h * h)
	p.s4 += float64(half * half)
	p.odd += float64(h * (up - down) / 2)
	p.even += float64(half * (up + down) / 2)
	v := (square(sigma(up)) + square(sigma(down))) / 4
	p.vOdd += float64(h * h * v)
	p.vEven += float64(half * half * v)
}

func square(v float64) float64 { return float64(v * v) }

// parabola returns the slope and the curvature, and their variances. fx is f(x), and vx its variance.
func (p *pairs) parabola(fx, vx float64) (b, c, vb, vc float64) {
	b, vb = p.odd/p.s2, p.vOdd/square(p.s2)
	// Σ (h²/2)((f₊+f₋)/2 − f(x)) = c Σ(h²/2)²
	c = (p.even - float64(fx*p.s2/2)) / p.s4
	vc = (p.vEven + float64(vx*square(p.s2/2))) / square(p.s4)
	return b, c, vb, vc
}
