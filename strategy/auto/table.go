package auto

import (
	"cmp"
	"math"
	"slices"
)

// A sample is a value of a function of one variable.
type sample struct{ y, value float64 }

// A table is a function of one variable, known where it was sampled and interpolated
// between samples.
type table struct {
	samples []sample // ascending in y
	lo      float64
	width   float64
	grid    []float64 // at lo, lo + width, …
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

// add adds the values that were wanted of a stretch. They are known up to a constant,
// which follows from a point that the stretch has in common with the table: the first time
// it always has one, if f did not fail there.
func (t *table) add(s *stretch, values []float64) {
	if !s.tied && len(t.samples) > 0 {
		s.shift = math.NaN()
		for i, y := range s.wanted {
			if v, ok := t.known(y); ok {
				s.shift = values[i] - v
			}
		}
	}
	s.tied = true
	for i, y := range s.wanted {
		if v := values[i] - s.shift; !math.IsInf(v, 0) && !math.IsNaN(v) {
			t.samples = append(t.samples, sample{y, v})
		}
	}
	slices.SortStableFunc(t.samples, func(a, b sample) int { return cmp.Compare(a.y, b.y) })
	t.samples = slices.CompactFunc(t.samples, func(a, b sample) bool { return a.y == b.y })
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
// than its neighbours, between two coordinates.
func (t *table) closer(lo, hi float64) []float64 {
	var middles []float64
	s := t.samples
	for i := 1; i+1 < len(s); i++ {
		if s[i].value > s[i-1].value || s[i].value >= s[i+1].value {
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

// fill computes the grid by cubic Hermite interpolation, with slopes from the
// parabola through three samples.
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
	t.steep = slices.Max(t.grid) - slices.Min(t.grid)
	t.wells = nil
	for k, v := range t.grid {
		if v <= t.grid[max(k-1, 0)] && v <= t.grid[min(k+1, points-1)] {
			t.wells = append(t.wells, sample{t.lo + float64(float64(k)*t.width), v})
		}
	}
}

// slopeAt returns the slope at sample i of the parabola through it and its
// neighbours.
func slopeAt(s []sample, i int) float64 {
	n := len(s)
	between := func(a, b int) float64 { return (s[b].value - s[a].value) / (s[b].y - s[a].y) }
	switch i {
	case 0:
		return between(0, 1)
	case n - 1:
		return between(n-2, n-1)
	}
	before, after := s[i].y-s[i-1].y, s[i+1].y-s[i].y
	return (float64(between(i-1, i)*after) + float64(between(i, i+1)*before)) / (before + after)
}

// at returns the value at y. Beyond what is known it rises steeply, so that a
// search stays where it knows something.
func (t *table) at(y float64) float64 {
	v, _, _ := t.jet(y)
	return v
}

// jet returns the value, the slope and the second derivative at y.
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
