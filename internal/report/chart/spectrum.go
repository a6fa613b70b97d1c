package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/words"
)

// mostDots is how many values of a spectrum have a dot each. More are drawn as a line.
const mostDots = 100

// Spectrum draws values in their order, on a logarithmic scale. label says what they are.
// Values below 10⁻¹⁶ of the largest are drawn at that height.
func Spectrum(label string, values []float64) Picture {
	largest := 0.
	for _, v := range values {
		if finite(v) {
			largest = max(largest, bounded(v))
		}
	}
	if largest < 1e-280 {
		return nothing(label, "There is no value above 0.")
	}
	least := largest
	var all []point
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		v = min(max(v, 1e-16*largest), largest)
		least = min(least, v)
		all = append(all, point{float64(i + 1), v})
	}
	y := axis{lo: least / 2, hi: 2 * largest, scale: Logarithmic}
	if y.hi < 10*y.lo {
		y.lo, y.hi = least/4, 4*largest
	}
	x := axis{lo: 0.5, hi: float64(len(values)) + 0.5, step: 1}
	order := "number"
	if slices.IsSortedFunc(all, func(a, b point) int { return cmp.Compare(b.y, a.y) }) {
		order = "number, the largest first"
	}
	c := &canvas{wide: wide}
	c.plot(&x, &y, 0, plot, 8, order, label)
	c.path("c-line", polyline(thinned(all), x, y))
	if len(values) <= mostDots {
		for _, p := range all {
			c.dot("c-dot", point{x.at(p.x), y.at(p.y)}, 2.2, words.Thousands(int(p.x))+": "+words.Number(values[int(p.x)-1], 3))
		}
	}
	return c.done(y.from+beneath, fmt.Sprintf("%s: %s from %s to %s", label, words.Count(len(values), "value", "values"),
		words.Number(values[0], 3), words.Number(values[len(values)-1], 3)))
}

// Residuals draws residuals in their order, on a linear scale, each as a dot, with a line at 0.
func Residuals(values []float64) Picture {
	const label = "residual"
	lo, hi := 0., 0.
	for _, v := range values {
		if finite(v) {
			lo, hi = min(lo, bounded(v)), max(hi, bounded(v))
		}
	}
	if lo == hi {
		return nothing(label, "All residuals are 0.")
	}
	room := (hi - lo) / 20
	y := axis{lo: lo - room, hi: hi + room}
	x := axis{lo: 0.5, hi: float64(len(values)) + 0.5, step: 1}
	c := &canvas{wide: wide}
	c.plot(&x, &y, 0, plot, 8, "number", label)
	c.path("c-line", joined([]point{{x.from, y.at(0)}, {x.to, y.at(0)}}))
	for i, v := range values {
		if finite(v) {
			c.dot("c-dot", point{x.at(float64(i + 1)), y.at(bounded(v))}, 1.6, words.Thousands(i+1)+": "+words.Number(v, 3))
		}
	}
	return c.done(y.from+beneath, fmt.Sprintf("%s, from %s to %s", words.Count(len(values), label, label+"s"), words.Number(lo, 3), words.Number(hi, 3)))
}

// Map draws f against the sum that is inside an outer map, over the values between which the
// map was found. The sum is known up to a constant and a factor: it is drawn from 0 to 1.
func Map(m identify.Map) Picture {
	lo, hi := m.Range()
	least, most := m.Of(lo), m.Of(hi)
	title := "outer map: " + m.Name()
	if !(most > least) || !finite(most-least) {
		return nothing(title, "It does not rise.")
	}
	all := make([]point, 200)
	x, y := axis{hi: 1}, axis{lo: math.Inf(1), hi: math.Inf(-1)}
	for k := range all {
		t := float64(k) / float64(len(all)-1)
		all[k] = point{t, bounded(m.Inverse(least + float64(t*(most-least))))}
		y.lo, y.hi = min(y.lo, all[k].y), max(y.hi, all[k].y)
	}
	y.lo, y.hi = widened(y.lo, y.hi)
	c, top := newCanvas(wide, title)
	c.plot(&x, &y, top, plot, 6, "sum of the components, from its least to its largest", "f")
	c.path("c-line", polyline(all, x, y))
	return c.done(y.from+beneath, title)
}
