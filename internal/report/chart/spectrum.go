package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/words"
)

// mostDots is how many values of a spectrum have a dot each. More are drawn as a line.
const mostDots = 100

// Spectrum draws values in their order, on a logarithmic scale. label says what they are.
// Values below 10⁻¹⁶ of the largest are drawn at that height.
func Spectrum(label string, values []float64) template.HTML {
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
	marks, room := y.left(plot)
	c := &canvas{}
	y.above(c, 13, label)
	y.to, y.from = 24, 24+plot
	x := axis{lo: 0.5, hi: float64(len(values)) + 0.5, from: 2 + room, to: wide - 10, step: 1}
	y.beside(c, marks, x.from, x.to)
	order := "number"
	if slices.IsSortedFunc(all, func(a, b point) int { return cmp.Compare(b.y, a.y) }) {
		order = "number, the largest first"
	}
	x.below(c, y.from, 8, order)
	c.path("c-line", polyline(thinned(all), x, y), "")
	if len(values) <= mostDots {
		for _, p := range all {
			c.dot("c-dot", point{x.at(p.x), y.at(p.y)}, 2.2, words.Thousands(int(p.x))+": "+words.Number(values[int(p.x)-1], 3))
		}
	}
	return c.done(y.from+beneath, fmt.Sprintf("%s: %s from %s to %s", label, words.Count(len(values), "value", "values"),
		words.Number(values[0], 3), words.Number(values[len(values)-1], 3)))
}
