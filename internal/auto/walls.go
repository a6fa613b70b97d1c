package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
)

// short goes as far towards the point where all minima meet as f does not fail, since it fails there: the lowest of the
// deepest wells of all components come first. It returns by how much their gains do not add up, for one of
// those taken.
func (l *lines) short(ctx context.Context, from query.Best, deepest []shift) (amiss float64, err error) {
	moves := slices.DeleteFunc(slices.Clone(deepest), func(s shift) bool { return !(s.value < 0) })
	slices.SortStableFunc(moves, func(a, b shift) int { return cmp.Compare(a.value, b.value) })
	best, n, err := l.at.take(ctx, l.f, query.Best{Point: from.Point, Value: math.Inf(1)}, moves[:max(0, len(moves)-1)])
	if n == 0 {
		return 0, err
	}
	gain := 0.0
	for _, s := range moves[:n] {
		gain -= s.value
	}
	return math.Abs(from.Value-best.Value-gain) / math.Sqrt(float64(n)), err
}

// A gap is a part of a component's range at which f failed: from lo to hi.
type gap struct {
	k      int // the component is at.singles[k]
	lo, hi float64
}

// past looks again from the best point at parts of lines at which f failed, for as long as that leads to better ones: a wall
// that cuts a line off need not be there from elsewhere. It adds what it sees to the profiles. Where f separates and fails
// beyond a plane with the minimum before it, it leads there: components whose minima are away from the plane come first, and
// then there is room for the others.
func (l *lines) past(ctx context.Context, profiles []frame.Profile) error {
	for range mostTurns {
		from := l.f.best.Clone()
		components, ranges, err := l.opened(ctx, from, gaps(profiles))
		if len(components) == 0 || err != nil {
			return err
		}
		scanned := slices.Clone(l.scanned)
		seen, err := l.along(ctx, from, components, ranges)
		for _, k := range components {
			l.scanned[k].lo, l.scanned[k].hi = scanned[k].lo, scanned[k].hi
		}
		for i, k := range components[:len(seen)] {
			profiles[k] = joined(profiles[k], seen[i], l.at.y(l.at.singles[k], from.Point))
		}
		if err != nil || !(l.f.best.Value < from.Value) {
			return err
		}
	}
	return nil
}

// feelers is how many points of a gap are asked for to see how far it is open: the last is its end, each at half of the way
// to the next.
const feelers = 7

func feeler(i int) float64 { return math.Ldexp(1, min(i+1-feelers, 0)) }

// opened returns the gaps, as far as f does not fail any more from a point, as ranges along components.
func (l *lines) opened(ctx context.Context, from query.Best, gaps []gap) (components []int, ranges []line.Range, err error) {
	ends := make([][2]float64, len(gaps)) // from the nearer end to the other, along the line
	var all []shift
	for i, g := range gaps {
		y := l.at.y(l.at.singles[g.k], from.Point)
		near, far := g.lo-y, g.hi-y
		if math.Abs(near) > math.Abs(far) {
			near, far = far, near
		}
		least, most := l.at.room(from.Point, l.at.singles[g.k])
		near, far = min(max(near, least), most), min(max(far, least), most)
		ends[i] = [2]float64{near, far}
		for n := range feelers {
			all = append(all, shift{k: g.k, t: near + float64(feeler(n)*(far-near))})
		}
	}
	if err := l.at.ask(ctx, l.f, from.Point, all); err != nil {
		return nil, nil, err
	}
	for i, g := range gaps {
		seen, near, far := 0, ends[i][0], ends[i][1]
		for seen < feelers && !math.IsInf(all[i*feelers+seen].value, 1) {
			seen++
		}
		if seen == 0 || near == far {
			continue
		}
		to := near + float64(feeler(seen)*(far-near))
		r := l.at.span(from.Point, l.at.singles[g.k], min(near, to), max(near, to))
		r.Least, r.Most = r.Lo, r.Hi
		components, ranges = append(components, g.k), append(ranges, r)
	}
	return components, ranges, nil
}

// felt returns the parts of ranges, one for each single component, that a point sees. Where
// f has walls it feels how far that is, so that lines do not ask far behind them.
func (l *lines) felt(ctx context.Context, from query.Best, ranges []line.Range) ([]line.Range, error) {
	if !l.f.walls {
		return ranges, nil
	}
	l.f.stage(alongLines)
	out := slices.Clone(ranges)
	var sides []gap
	for k, r := range ranges {
		y := l.at.y(l.at.singles[k], from.Point)
		sides = append(sides, gap{k, y + r.Lo, y}, gap{k, y, y + r.Hi})
		step := r.Step / 2
		out[k].Lo, out[k].Hi = max(r.Lo, -step), min(r.Hi, step)
	}
	components, open, err := l.opened(ctx, from, sides)
	for i, k := range components {
		out[k].Lo, out[k].Hi = min(out[k].Lo, open[i].Lo), max(out[k].Hi, open[i].Hi)
	}
	for k, r := range ranges {
		if out[k].Lo > r.Lo {
			out[k].Least = out[k].Lo
		}
		if out[k].Hi < r.Hi {
			out[k].Most = out[k].Hi
		}
	}
	return out, err
}

// walled returns a profile, seen from the coordinate y, with failures at the ends of the
// range where only a part of it was open.
func walled(p frame.Profile, y float64, open, all line.Range) frame.Profile {
	if open.Lo > all.Lo {
		p.Y, p.Value = slices.Insert(p.Y, 0, y+all.Lo), slices.Insert(p.Value, 0, math.Inf(1))
	}
	if open.Hi < all.Hi {
		p.Y, p.Value = append(p.Y, y+all.Hi), append(p.Value, math.Inf(1))
	}
	return p
}

// gaps returns the parts of lines at which f failed, with the points beside them.
func gaps(profiles []frame.Profile) []gap {
	var gaps []gap
	for k, p := range profiles {
		last := len(p.Y) - 1
		for n := 0; n <= last; n++ {
			if !math.IsInf(p.Value[n], 1) {
				continue
			}
			first := n
			for n < last && math.IsInf(p.Value[n+1], 1) {
				n++
			}
			gaps = append(gaps, gap{k, p.Y[max(0, first-1)], p.Y[min(last, n+1)]})
		}
	}
	return gaps
}

// joined returns a profile with what was seen of the same component from another point, at
// the coordinate y, where both are the same but for a constant.
func joined(p, more frame.Profile, y float64) frame.Profile {
	shift := valueNear(p, y) - valueNear(more, y)
	if notFinite(shift) {
		return p
	}
	var points []frame.Well
	for k, at := range p.Y {
		if again := at >= more.Y[0] && at <= more.Y[len(more.Y)-1]; !again || !math.IsInf(p.Value[k], 1) {
			points = append(points, frame.Well{Y: at, Value: p.Value[k]})
		}
	}
	for k, at := range more.Y {
		if at != y {
			points = append(points, frame.Well{Y: at, Value: more.Value[k] + shift})
		}
	}
	slices.SortFunc(points, func(a, b frame.Well) int { return cmp.Compare(a.Y, b.Y) })
	out := frame.Profile{Component: p.Component, Open: p.Open, Wells: slices.Clone(p.Wells)}
	for _, w := range more.Wells {
		if w.Y != y {
			out.Wells = append(out.Wells, frame.Well{Y: w.Y, Value: w.Value + shift})
		}
	}
	slices.SortStableFunc(out.Wells, func(a, b frame.Well) int { return cmp.Compare(a.Value, b.Value) })
	least := out.Wells[0].Value
	for k := range out.Wells {
		out.Wells[k].Value -= least
	}
	for _, q := range points {
		out.Y, out.Value = append(out.Y, q.Y), append(out.Value, q.Value-least)
	}
	return out
}

// valueNear returns the value of the point of a profile that is nearest to y.
func valueNear(p frame.Profile, y float64) float64 {
	nearest := 0
	for k := range p.Y {
		if math.Abs(p.Y[k]-y) < math.Abs(p.Y[nearest]-y) {
			nearest = k
		}
	}
	return p.Value[nearest]
}
