package page

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
)

// coordinates are the combinations that were found, with what is known of each.
type coordinates struct {
	space parameter.Space
	start objective.Box // of the parameters that are searched, on their scales; zero: not known
	all   []combination // in the order of importance
	most  float64       // the largest rise; 0: none is known
}

// A combination is a coordinate that was found.
type combination struct {
	index int // from 0
	row   []float64
	shown
	block   int              // from 0
	profile *untwist.Profile // nil: there is none
	span    float64          // how far it goes over the start box; NaN: not known
	rise    float64          // how much f changes along it; NaN: not known
	lo, hi  float64          // where f is within a hundredth of the largest rise; NaN: not known
}

// flatPart is the part of the largest change of f below which a combination counts as flat, and
// weakPart that below which it matters little.
const flatPart, weakPart = 1e-3, 1e-2

// flat says that f hardly changes along a combination, and weak that it changes little.
func (c coordinates) flat(k combination) bool { return k.rise < flatPart*c.most }
func (c coordinates) weak(k combination) bool { return !c.flat(k) && k.rise < weakPart*c.most }

// newCoordinates returns the combinations that were found and certified; none if there are
// none.
func newCoordinates(p Page) coordinates {
	c := coordinates{space: p.space()}
	s := p.Run.Result.Structure
	if !report.Certified(s) || s.Frame.Dim() != c.space.Dim() {
		return c
	}
	if start := c.space.Start(); start.CheckFinite() == nil {
		c.start = start
	}
	rows := s.Frame.Matrix()
	for j := range s.Frame.Components() {
		k := combination{index: j, row: rows.RawRowView(j), shown: c.show(rows.RawRowView(j)), span: math.NaN(), rise: math.NaN(), lo: math.NaN(), hi: math.NaN()}
		k.block = slices.IndexFunc(s.Blocks, func(b []int) bool { return slices.Contains(b, j) })
		if !c.start.IsZero() {
			k.span = 0
			for i, w := range k.row {
				k.span += math.Abs(float64(w * (c.start.Hi[i] - c.start.Lo[i])))
			}
		}
		c.all = append(c.all, k)
	}
	for i, q := range p.Run.Result.Profiles {
		if q.Component < len(c.all) && len(q.Value) > 1 {
			k := &c.all[q.Component]
			k.profile = &p.Run.Result.Profiles[i]
			k.rise = c.riseAlong(*k)
			c.most = max(c.most, k.rise)
		}
	}
	for i := range c.all {
		c.all[i].lo, c.all[i].hi = c.all[i].within(c.most / 100)
	}
	slices.SortStableFunc(c.all, func(a, b combination) int { return cmp.Compare(b.rise, a.rise) }) // NaN last
	return c
}

// told returns the most important combinations, at most so many: products of powers first, and of
// these dimensionless groups.
func (c coordinates) told(most int) []combination {
	all := slices.Clone(c.all[:min(len(c.all), most)])
	slices.SortStableFunc(all, func(a, b combination) int { return a.kind() - b.kind() })
	return all
}

// kind is 0 for dimensionless groups, 1 for other products of powers, and 2 for the rest.
func (s shown) kind() int {
	switch {
	case s.group:
		return 0
	case s.product:
		return 1
	}
	return 2
}

// middle returns where along a combination the middle of the start box is.
func (c coordinates) middle(k combination) float64 {
	y := 0.0
	for i, w := range k.row {
		y += float64(w * (c.start.Lo[i] + float64((c.start.Hi[i]-c.start.Lo[i])/2)))
	}
	return y
}

// riseAlong returns how much f changes along a combination: within the start box, if there are
// at least three values in it, and otherwise wherever it was asked.
func (c coordinates) riseAlong(k combination) float64 {
	var inside, everywhere []float64
	for i, v := range k.profile.Value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		everywhere = append(everywhere, v)
		if !c.start.IsZero() && math.Abs(k.profile.Y[i]-c.middle(k)) <= k.span/2 {
			inside = append(inside, v)
		}
	}
	switch {
	case len(everywhere) == 0:
		return 0
	case len(inside) < 3:
		inside = everywhere
	}
	return slices.Max(inside) - slices.Min(inside)
}

// within returns between which values f rises by no more than this, around its lowest value; NaN
// if that is not known. Between two values f is taken to be straight.
func (k combination) within(rise float64) (lo, hi float64) {
	if k.profile == nil {
		return math.NaN(), math.NaN()
	}
	y, f := k.profile.Y, k.profile.Value
	best := 0
	for i, v := range f {
		if v < f[best] {
			best = i
		}
	}
	end := func(step int) float64 {
		i := best
		for ; i+step >= 0 && i+step < len(f); i += step {
			if v := f[i+step]; !(v-f[best] <= rise) {
				part := (rise - (f[i] - f[best])) / (v - f[i])
				if math.IsNaN(part) {
					part = 0
				}
				return y[i] + float64(part*(y[i+step]-y[i]))
			}
		}
		return y[i]
	}
	return end(-1), end(1)
}
