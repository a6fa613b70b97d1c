package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
)

// lines minimise along single components, all at once.
type lines struct {
	f      *watched
	at     *coordinates
	budget int // of the whole run

	scanned []scan // what was seen of each single component
}

// A scan says where a component was looked along, and how well its wells can be compared.
type scan struct {
	lo, hi float64 // the range of ⟨w_j, x⟩
	step   float64 // the width of the grid
	// amiss is how far the gains along all lines were from adding up, for one of them:
	// wells whose depths differ by less cannot be told apart.
	amiss float64
}

func newLines(f *watched, at *coordinates, budget int) *lines {
	return &lines{f: f, at: at, budget: budget, scanned: make([]scan, len(at.singles))}
}

// firstWells is how many wells of a line are refined at most: with a coarse grid several may be the deepest.
const firstWells = 6

// wellTolerance is how well the minima of the first lines are known, in widths of the grid. Newton steps follow.
const wellTolerance = 3e-2

// explore minimises along every component over the whole range that it has in the start box, from a point, and asks for the
// point where all minima meet. It returns what it has seen, even if asking for that point fails.
func (l *lines) explore(ctx context.Context, from query.Best) ([]frame.Profile, error) {
	from = from.Clone() // the best one moves while f is asked
	ranges := make([]line.Range, len(l.at.singles))
	for k, j := range l.at.singles {
		ranges[k] = l.at.whole(from.Point, j)
	}
	open, err := l.felt(ctx, from, ranges)
	if err != nil {
		return nil, err
	}
	profiles, err := l.along(ctx, from, ranks.First(len(open)), open)
	if err != nil {
		return profiles, err
	}
	for k, j := range l.at.singles {
		profiles[k] = walled(profiles[k], l.at.y(j, from.Point), open[k], ranges[k])
	}
	return profiles, l.past(ctx, profiles)
}

// along minimises along components, at.singles[k] for each k, from a point over ranges, and
// asks for the point where all minima meet. A component may have several ranges.
func (l *lines) along(ctx context.Context, from query.Best, components []int, ranges []line.Range) ([]frame.Profile, error) {
	if len(components) == 0 {
		return nil, nil
	}
	x, fx := from.Point, from.Value
	l.afford(ranges)
	l.f.begin(alongLines, int(afterGrid*points(ranges)))
	of := make([]int, len(components))
	for i, k := range components {
		of[i] = l.at.singles[k]
	}
	seen, err := line.Minimize(ctx, l.f, x, fx, l.at.directions(of), ranges, line.Config{Wells: firstWells, Tolerance: wellTolerance, Noise: l.f.scatter(fx), Meet: l.at.bounds})
	if err != nil {
		return nil, err
	}
	var profiles []frame.Profile
	deepest := make([]shift, len(l.scanned)) // with how much lower f is
	for i, p := range seen {
		profiles = append(profiles, profileOf(of[i], l.at.y(of[i], x), p))
		if w, best := p.Wells[0], &deepest[components[i]]; w.Value-fx < best.value {
			*best = shift{components[i], w.Y, w.Value - fx}
		}
	}
	there, gain := slices.Clone(x), 0.0
	for k, w := range deepest {
		l.at.move(there, w.t, l.at.singles[k])
		gain -= w.value
	}
	clamp(there, l.at.bounds)
	values, err := l.f.ask(ctx, there)
	if err != nil {
		return profiles, err
	}
	amiss := math.Abs(fx-values[0]-gain) / math.Sqrt(float64(len(components)))
	if math.IsInf(values[0], 1) {
		if amiss, err = l.short(ctx, from, deepest); err != nil {
			return profiles, err
		}
	}
	for i, k := range components {
		y, s := profiles[i].Y, &l.scanned[k]
		*s = scan{lo: y[0], hi: y[len(y)-1], step: ranges[i].Step, amiss: amiss}
	}
	return profiles, nil
}

// What follows the grids of all lines: Brent's method asks for about three fifths as many points
// again, and a Newton step for two a line and one more.
const (
	afterGrid  = 1.6
	newtonStep = 3
)

// afford makes grids coarser, if need be, so that they and what follows them fit into what is left of the budget: a search
// along lines that ends before its minima are put together is worth little.
func (l *lines) afford(ranges []line.Range) {
	most, left := float64(afterGrid*points(ranges)), float64(l.budget-l.f.queries-newtonStep*len(ranges))
	if left <= 0 || most <= left {
		return
	}
	for k := range ranges {
		ranges[k].Step *= most / left
	}
}

// points is how many points the grids of ranges have.
func points(ranges []line.Range) (n float64) {
	for _, r := range ranges {
		n += 1 + math.Ceil((r.Hi-r.Lo)/r.Step)
	}
	return n
}

// profileOf is what was seen along component j from the coordinate y.
func profileOf(j int, y float64, p frame.Profile) frame.Profile {
	out := frame.Profile{Component: j, Open: p.Open}
	least := p.Wells[0].Value
	above := func(v float64) float64 {
		if v == least { // which may be −∞
			return 0
		}
		return v - least
	}
	for k, t := range p.Y {
		out.Y = append(out.Y, y+t)
		out.Value = append(out.Value, above(p.Value[k]))
	}
	for _, w := range p.Wells {
		out.Wells = append(out.Wells, frame.Well{Y: y + w.Y, Value: above(w.Value)})
	}
	return out
}

// A sight is what is seen of a component, from x: the rise of f at t along u_j, ascending in t, 0 at 0.
type sight []glimpse

// A glimpse is a point of a line and how much higher f is there.
type glimpse struct{ t, rise float64 }

// A hill is what is seen of the hills along a component: how high they are, the largest fall on the way outwards, and how far
// away the first of them is, where f begins to fall. A function of one well has none.
type hill struct{ height, away float64 }

// ripple returns the hills that are seen.
func (s sight) ripple(none float64) hill {
	h := hill{0, math.Inf(1)}
	middle := slices.IndexFunc(s, func(p glimpse) bool { return p.t == 0 })
	for _, way := range []int{-1, 1} {
		top, first := 0.0, true
		for i := middle; i >= 0 && i < len(s); i += way {
			fall := top - s[i].rise
			h.height = max(h.height, fall)
			if fall > none && first {
				top := cmp.Or(s[i-way].t, s[i].t) // something deeper may be the first that is seen
				h.away, first = min(h.away, math.Abs(top)), false
			}
			top = max(top, s[i].rise)
		}
	}
	return h
}

// within returns where f may be lower than at x if hills are that high: as far as samples
// are no higher than that, and to the next.
func (s sight) within(height float64) (lo, hi float64) {
	low := func(p glimpse) bool { return p.t == 0 || p.rise <= height }
	first, last := slices.IndexFunc(s, low), len(s)-1
	for !low(s[last]) {
		last--
	}
	return s[max(first-1, 0)].t, s[min(last+1, len(s)-1)].t
}

// deeper reports whether f is lower somewhere.
func (s sight) deeper(none float64) bool {
	return slices.ContainsFunc(s, func(p glimpse) bool { return p.rise < -none })
}

const (
	// nextHills is how many hills outside a scan are looked at.
	nextHills = 4
	// told is by which part of the hills' height gains may be amiss.
	told = 1. / 16
)

// unseen returns the ranges of t, from x, that a scan has not seen closely enough. If it was too coarse, or its gains were
// amiss, or something deeper has turned up, that is all where f may be lower than at x; otherwise what was not scanned of
// that in the start box, which is where |y + t| ≤ extent, and the next hills.
func (s *scan) unseen(h hill, seen sight, y, extent, none float64) [][2]float64 {
	if s.step > h.away || s.amiss > told*h.height || seen.deeper(none) {
		lo, hi := seen.within(2 * h.height)
		return [][2]float64{{lo, hi}}
	}
	lo, hi := seen.within(h.height)
	lo, hi = max(lo, min(-extent-y, -nextHills*h.away)), min(hi, max(extent-y, nextHills*h.away))
	return [][2]float64{{lo, min(hi, s.lo-y)}, {max(lo, s.hi-y), hi}}
}

// last returns how far out s goes, on the side that goes less far, and first how far in, on the side that goes less far in.
func (s sight) last() float64 { return min(-s[0].t, s[len(s)-1].t) }

func (s sight) first() float64 {
	least := math.Inf(1)
	for _, p := range s {
		if p.t != 0 {
			least = min(least, math.Abs(p.t))
		}
	}
	return least
}

// low reports whether an end of s is no higher than hills.
func (s sight) low(height float64) bool {
	return s[0].t < 0 && s[0].rise <= height || s[len(s)-1].t > 0 && s[len(s)-1].rise <= height
}

// bent reports whether f rises at the first points on both sides by far less than a parabola of the curvature at x.
func (s sight) bent(curvature float64) bool {
	middle := slices.IndexFunc(s, func(p glimpse) bool { return p.t == 0 })
	if middle < 1 || middle+1 >= len(s) {
		return false
	}
	left, right := s[middle-1], s[middle+1]
	parabola := float64(curvature*left.t*left.t/2) + float64(curvature*right.t*right.t/2)
	return left.rise+right.rise < bentPart*parabola
}

// bentPart is how much less that is.
const bentPart = 1. / 4
