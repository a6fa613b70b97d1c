package strategy

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A model is f as lines have shown it: Σ_j φ_j(⟨w̃_j, x⟩), up to a constant. Asking
// it costs nothing.
type model struct {
	w   *mat.Dense
	phi []*table
}

// at returns the model at the coordinates y = W̃x.
func (m *model) at(y []float64) float64 {
	sum := 0.0
	for j, t := range m.phi {
		sum += t.at(y[j])
	}
	return sum
}

// coordinates returns W̃x.
func (m *model) coordinates(x []float64) []float64 {
	y := make([]float64, len(m.phi))
	kernel.MulVec(y, m.w.RawMatrix(), x)
	return y
}

// A sample is a value of a component.
type sample struct{ Y, Value float64 }

// A table is a function of one variable, known where it was sampled, and
// interpolated between.
type table struct {
	samples []sample // ascending in Y
	lo      float64
	width   float64
	grid    []float64 // at lo, lo + width, …
	wells   []Well    // the minima of the grid
	steep   float64   // how much it rises with every width beyond the ends
}

// fine is how many points of the grid there are to the scale of a component, and
// gridMost how many in all.
const fine, gridMost = 32, 6000

// add takes notice of what was wanted of a stretch. That is known up to a constant:
// the first time it has a point in common with what is known already.
func (t *table) add(s *stretch, values []float64) {
	if !s.tied && len(t.samples) > 0 {
		s.shift = math.NaN()
		for i, y := range s.wanted {
			if v, ok := t.sample(y); ok {
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
	slices.SortStableFunc(t.samples, func(a, b sample) int { return cmp.Compare(a.Y, b.Y) })
	t.samples = slices.CompactFunc(t.samples, func(a, b sample) bool { return a.Y == b.Y })
}

// sample returns the value sampled at y, to rounding.
func (t *table) sample(y float64) (float64, bool) {
	for _, s := range t.samples {
		if math.Abs(s.Y-y) <= 1e-9*(1+math.Abs(y)) {
			return s.Value, true
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
		if s[i].Value > s[i-1].Value || s[i].Value >= s[i+1].Value {
			continue
		}
		for _, y := range [2]float64{(s[i-1].Y + s[i].Y) / 2, (s[i].Y + s[i+1].Y) / 2} {
			if y > lo && y < hi && y > s[i-1].Y && y < s[i+1].Y {
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
	t.lo = s[0].Y
	length := s[n-1].Y - t.lo
	points := min(gridMost, max(2, int(math.Ceil(length/width))+1))
	t.width = length / float64(points-1)
	t.grid = make([]float64, points)
	for i, k := 0, 0; k < points; k++ {
		y := t.lo + float64(float64(k)*t.width)
		for i < n-2 && s[i+1].Y <= y {
			i++
		}
		h := s[i+1].Y - s[i].Y
		u := min(max((y-s[i].Y)/h, 0), 1)
		// v₀ + u(h s₀ + u(3Δ − 2h s₀ − h s₁ + u(h s₀ + h s₁ − 2Δ))), Δ = v₁ − v₀
		delta, from, to := s[i+1].Value-s[i].Value, h*slopeAt(s, i), h*slopeAt(s, i+1)
		t.grid[k] = math.FMA(u, math.FMA(u, math.FMA(u, from+to-float64(2*delta), float64(3*delta)-float64(2*from)-to), from), s[i].Value)
	}
	t.steep = slices.Max(t.grid) - slices.Min(t.grid)
	t.wells = nil
	for k, v := range t.grid {
		if v <= t.grid[max(k-1, 0)] && v <= t.grid[min(k+1, points-1)] {
			t.wells = append(t.wells, Well{Y: t.lo + float64(float64(k)*t.width), Value: v})
		}
	}
}

// slopeAt returns the slope at sample i of the parabola through it and its
// neighbours.
func slopeAt(s []sample, i int) float64 {
	n := len(s)
	between := func(a, b int) float64 { return (s[b].Value - s[a].Value) / (s[b].Y - s[a].Y) }
	switch i {
	case 0:
		return between(0, 1)
	case n - 1:
		return between(n-2, n-1)
	}
	before, after := s[i].Y-s[i-1].Y, s[i+1].Y-s[i].Y
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

// profiles returns what is known of each component.
func (m *model) profiles() []Profile {
	out := make([]Profile, len(m.phi))
	for j, t := range m.phi {
		p := &out[j]
		p.Component = j
		least := slices.MinFunc(t.samples, func(a, b sample) int { return cmp.Compare(a.Value, b.Value) }).Value
		for i, s := range t.samples {
			p.Y, p.Value = append(p.Y, s.Y), append(p.Value, s.Value-least)
			lower := func(k int) bool { return k >= 0 && k < len(t.samples) && t.samples[k].Value < s.Value }
			if !lower(i-1) && !lower(i+1) {
				p.Wells = append(p.Wells, Well{Y: s.Y, Value: s.Value - least})
			}
		}
		slices.SortStableFunc(p.Wells, func(a, b Well) int { return cmp.Compare(a.Value, b.Value) })
	}
	return out
}
