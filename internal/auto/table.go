package auto

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// A sample is a value of a function of one variable.
type sample struct {
	y, value float64
	off      bool // a table was wrong here before
}

// A table is a function of one variable, known where it was sampled and interpolated between samples.
type table struct {
	samples []sample // ascending in y
	lo      float64
	width   float64
	grid    []float64 // at lo, lo + width, …, above the least of them
	least   float64   // of the grid, as samples count
	wells   []sample  // the minima of the grid
	steep   float64   // how much it rises with every width beyond the ends
}

// fine is how many points of the grid there are to the scale of a component: twice as
// many as there are samples beside a well. tableMost is how many points there are in all:
// 48 kilobytes, so that a hundred tables fit into a processor's larger caches.
const fine, tableMost = 32, 6000

// samePlace is how far apart, relative to 1 + |y|, two coordinates are the same: what
// rounding makes of a point that two stretches have in common.
const samePlace = 1e-9

// add adds what a stretch has seen. It is known up to a constant, which follows from a
// point that the stretch has in common with the table. It waits if f failed there.
func (t *table) add(s *stretch) {
	for _, seen := range s.seen {
		if v, ok := t.known(seen.y); ok && !s.tied && kernel.Finite(seen.value) {
			s.shift, s.tied = seen.value-v, true
		}
	}
	if !s.tied && len(t.samples) > 0 {
		return
	}
	for _, seen := range s.seen {
		if v := seen.value - s.shift; kernel.Finite(v) {
			t.samples = append(t.samples, sample{seen.y, v, t.misses(seen.y, v)})
			s.tied = true
		}
	}
	s.seen = nil
	slices.SortStableFunc(t.samples, func(a, b sample) int { return cmp.Compare(a.y, b.y) })
	t.samples = slices.CompactFunc(t.samples, func(a, b sample) bool { return math.Abs(a.y-b.y) <= samePlace*(1+math.Abs(a.y)) })
}

// missPart is by how much a table is wrong between two samples, as a part of their difference.
const missPart = 0.02

// misses reports whether the table, as it was filled, is wrong at y, where the value is v.
func (t *table) misses(y, v float64) bool {
	if len(t.grid) == 0 || y < t.lo || y > t.lo+float64(t.width*float64(len(t.grid)-1)) {
		return false
	}
	v -= t.least
	part := float64(t.width * fine / 2)
	return math.Abs(t.at(y)-v) > missPart*max(math.Abs(t.at(y+part)-v), math.Abs(t.at(y-part)-v))
}

// known returns the value sampled at y, to rounding.
func (t *table) known(y float64) (float64, bool) {
	for _, s := range t.samples {
		if math.Abs(s.y-y) <= samePlace*(1+math.Abs(y)) {
			return s.value, true
		}
	}
	return 0, false
}

// closer returns the middles of the gaps on both sides of every sample that is lower
// than its neighbours, between two coordinates, if which says so.
func (t *table) closer(lo, hi float64, which func(i int) bool) []float64 {
	var middles []float64
	s := t.samples
	for i := 1; i+1 < len(s); i++ {
		if s[i].value > s[i-1].value || s[i].value >= s[i+1].value || !which(i) {
			continue
		}
		for _, y := range [2]float64{(s[i-1].y + s[i].y) / 2, (s[i].y + s[i+1].y) / 2} {
			if y > lo && y < hi && y > s[i-1].y && y < s[i+1].y {
				middles = append(middles, y)
			}
		}
	}
	return slices.Compact(middles)
}

// mayBeLowest reports whether the well at sample i may be the deepest: whether it would be
// if it were twice as deep as a parabola through the sample and its neighbours can be.
func (t *table) mayBeLowest(i int) bool {
	s := t.samples
	depth := ((s[i-1].value - s[i].value) + (s[i+1].value - s[i].value)) / 8
	return t.lowest().value-s[i].value >= -2*depth
}

// wrong reports whether the table was wrong at sample i or beside it.
func (t *table) wrong(i int) bool {
	return t.samples[i-1].off || t.samples[i].off || t.samples[i+1].off
}

// first and last return where samples begin and end.
func (t *table) first() float64 { return t.samples[0].y }
func (t *table) last() float64  { return t.samples[len(t.samples)-1].y }

// lowest returns the lowest sample, and well the deepest well of the grid.
func (t *table) lowest() sample { return deepest(t.samples) }
func (t *table) well() sample   { return deepest(t.wells) }

func deepest(all []sample) sample {
	return slices.MinFunc(all, func(a, b sample) int { return cmp.Compare(a.value, b.value) })
}

// convex reports whether no sample is above the chord of its neighbours, to rounding and to
// the part of their differences that a certificate lets pass.
func (t *table) convex(grain objective.Grain) bool {
	s := t.samples
	for i := 1; i+1 < len(s); i++ {
		part := (s[i].y - s[i-1].y) / (s[i+1].y - s[i-1].y)
		before, after := s[i].value-s[i-1].value, s[i+1].value-s[i].value
		error := max(grains.OfSum*grain.Of(s[i].value), letPass*(math.Abs(before)+math.Abs(after)))
		if before-float64(part*(before+after)) > error {
			return false
		}
	}
	return true
}

// fill computes the grid by cubic Hermite interpolation, with slopes from the parabola through three samples.
func (t *table) fill(width float64) {
	s := t.samples
	n := len(s)
	t.lo = s[0].y
	length := s[n-1].y - t.lo
	points := min(tableMost, max(2, int(math.Ceil(length/width))+1))
	t.width = length / float64(points-1)
	t.grid = make([]float64, points)
	for i, k := 0, 0; k < points; k++ {
		y := t.lo + float64(float64(k)*t.width)
		for i < n-2 && s[i+1].y <= y {
			i++
		}
		h := s[i+1].y - s[i].y
		u := min(max((y-s[i].y)/h, 0), 1)
		// v₀ + u(h s₀ + u(3Δ − 2h s₀ − h s₁ + u(h s₀ + h s₁ − 2Δ))), Δ = v₁ − v₀
		delta, from, to := s[i+1].value-s[i].value, h*slopeAt(s, i), h*slopeAt(s, i+1)
		t.grid[k] = math.FMA(u, math.FMA(u, math.FMA(u, from+to-float64(2*delta), float64(3*delta)-float64(2*from)-to), from), s[i].value)
	}
	t.least = slices.Min(t.grid)
	for k := range t.grid {
		t.grid[k] -= t.least
	}
	t.steep = slices.Max(t.grid)
	t.wells = nil
	for k, v := range t.grid {
		if v <= t.grid[max(k-1, 0)] && v <= t.grid[min(k+1, points-1)] {
			t.wells = append(t.wells, sample{y: t.lo + float64(float64(k)*t.width), value: v})
		}
	}
}

// slopeAt returns the slope at sample i of the polynomial through it and up to two
// neighbours on either side, Σ_k v_k ℓ_k′(y_i) with Lagrange's polynomials ℓ_k.
func slopeAt(s []sample, i int) float64 {
	near := s[max(i-2, 0):min(i+3, len(s))]
	y := s[i].y
	sum := 0.0
	for k, p := range near {
		if p.y == y {
			continue
		}
		// ℓ_k′(y_i) = Π_{l≠k,i} (y_i − y_l) / Π_{l≠k} (y_k − y_l)
		weight := 1 / (p.y - y)
		for l, q := range near {
			if l != k && q.y != y {
				weight *= (y - q.y) / (p.y - q.y)
			}
		}
		sum += float64(weight * (p.value - s[i].value))
	}
	return sum
}

// at returns how much higher than its least the function is at y. Beyond what is known it rises steeply, so that a
// search stays where it knows something.
func (t *table) at(y float64) float64 {
	v, _, _ := t.jet(y)
	return v
}

// jet returns that value, the slope and the second derivative at y.
func (t *table) jet(y float64) (v, slope, bend float64) {
	p := (y - t.lo) / t.width
	last := len(t.grid) - 1
	if math.IsNaN(p) { // f overflows along this component
		return math.Inf(1), 0, 0
	}
	if p <= 0 || p >= float64(last) {
		if p <= 0 {
			return t.grid[0] - float64(p*t.steep), -t.steep / t.width, 0
		}
		return t.grid[last] + float64((p-float64(last))*t.steep), t.steep / t.width, 0
	}
	k := int(p)
	u := p - float64(k)
	a, b, c, d := t.grid[max(k-1, 0)], t.grid[k], t.grid[k+1], t.grid[min(k+2, last)]
	// Catmull and Rom's cubic b + c₁u + c₂u² + c₃u³
	c1, c2, c3 := (c-a)/2, a-float64(2.5*b)+float64(2*c)-float64(d/2), float64(1.5*(b-c))+float64((d-a)/2)
	v = math.FMA(u, math.FMA(u, math.FMA(u, c3, c2), c1), b)
	slope = math.FMA(u, math.FMA(u, 3*c3, 2*c2), c1) / t.width
	bend = math.FMA(u, 6*c3, 2*c2) / (t.width * t.width)
	return v, slope, bend
}
