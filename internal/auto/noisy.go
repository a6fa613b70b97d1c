package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
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
		s := newSettler(r.f, at, there, false)
		if err := s.settle(ctx, roughly, r.f.queries/2); err != nil {
			return objective.Running, err
		}
		x, took = s.x, r.f.queries-before
		r.f.noise.end(x)
		if !moved {
			break
		}
	}
	return r.settled(ctx, at, x, false)
}

const (
	// atScan is how often f is asked where lines begin.
	atScan = 8
	// roughly is what may be left above the minimum between two looks along lines, in σ.
	roughly = 1
)

// settled goes to the minimum of the well that x is in, until what is left is expected to be
// less than the error with which f is known there in the end. Where f has less noise there it
// goes on. Running: it does not get there, so that the coordinates do not hold.
func (r *run) settled(ctx context.Context, at *coordinates, x []float64, bowl bool) (objective.Status, error) {
	for range mostSettled {
		s := newSettler(r.f, at, x, bowl)
		err := s.settle(ctx, r.small(), r.f.queries/2)
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

const (
	// mostSettled is how often it settles at most where noise becomes less.
	mostSettled = 10
	// asQuiet is how much less the noise at the point found is than where it was measured,
	// to be another: that of sixteen values is right to a factor of two.
	asQuiet = 3
)

// quieter reports whether f has less noise at x than where it was measured, and takes notice
// of that.
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

// small is what may be left above the minimum in the end, in σ: the error with which f is
// known there.
func (r *run) small() float64 {
	return 1 / math.Sqrt(max(atScan, report*float64(reserve(r.task.Budget))))
}

// meet returns where the deepest wells of all components meet, and whether a component has
// another well there than at x. If f is higher there, gains do not add up, and only the
// components with the largest gains move.
func (r *run) meet(ctx context.Context, at *coordinates, x []float64, fx average, profiles []frame.Profile) ([]float64, bool, error) {
	type gain struct {
		j      int
		t      float64
		height float64 // of x above the well
	}
	var gains []gain
	for _, p := range profiles {
		y := at.y(p.Component, x)
		g := gain{p.Component, p.Wells[0].Y - y, valueNear(p, y)}
		gains = append(gains, g)
	}
	slices.SortStableFunc(gains, func(a, b gain) int { return int(math.Copysign(1, b.height-a.height)) })
	var points [][]float64
	for n := len(gains); n > 0; n /= 2 {
		there := slices.Clone(x)
		for _, g := range gains[:n] {
			at.move(there, g.t, g.j)
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
	moved := slices.ContainsFunc(gains, func(g gain) bool { return math.Abs(g.t) > at.scale[g.j] })
	return points[best], moved, nil
}

// end remembers where a search has come to.
func (n *noise) end(x []float64) {
	n.ends = append(n.ends, slices.Clone(x))
	n.ends = n.ends[max(0, len(n.ends)-endsKept):]
}

// endsKept is how many ends of searches are remembered.
const endsKept = 2

// sigma is the standard deviation of f's noise where it is v.
func (w *watched) sigma(v float64) float64 { return w.grain.Of(v) }

// scatter is sigma if f is noisy, and 0 otherwise.
func (w *watched) scatter(v float64) float64 {
	if w.noise == nil {
		return 0
	}
	return w.sigma(v)
}
