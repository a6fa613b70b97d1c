package chart

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// plot is the height of the plots of curves, and beneath is the room for the numbers and
// the label below a plot.
const plot, beneath = 150., 38.

// Convergence draws the best value so far against the number of queries, which are on the
// given scale. It falls, rises where f is maximised, and may do both where limits come first. Shades and names above the plot show the stages of the run. label says what
// the values are.
//
// The values are on a logarithmic scale if none is below 0 and they span at least a factor
// of ten; 0 then has a mark of its own below the others. Otherwise they are on a linear
// scale. If it would hide how the run ended, the scale does not reach up to the first
// values, and the picture says so.
func Convergence(curve []objective.Sample, stages []untwist.Stage, queries Scale, label string) Picture {
	best := finites(curve)
	if len(best) == 0 {
		return nothing(label, "No query has given a finite value yet.")
	}
	first, last := best[0], best[len(best)-1]
	bands := ended(stages)
	y := heights(best).shifted()
	x := axis{lo: first.x, hi: last.x, scale: queries, to: wide - 10, step: 1}
	if n := len(bands); n > 0 {
		x.hi = max(x.hi, bands[n-1].to)
	}
	if x.lo = max(1, min(x.lo, x.hi/10)); queries != Logarithmic {
		x.lo = 0
	} else {
		x.hi = max(x.hi, 10*x.lo)
	}
	marks, room := y.left(plot)
	x.from = 2 + room
	bands, rows := arrange(bands, x)

	c := &canvas{wide: wide}
	note := "ends at " + words.Number(last.y, 6)
	if !y.has(first.y) {
		note = "begins at " + words.Number(first.y, 3) + ", " + note
	}
	c.text(place{at: point{4, 13}, class: "c-label", room: wide - 20 - widthOf(note), suffix: y.minus}, label)
	if p := (place{at: point{wide - 4, 13}, anchor: end, class: "c-note", room: wide}); c.free(p.box(note)) {
		c.text(p, note)
	}
	if y.to = 24; len(rows) > 0 {
		y.to += 5 + row*float64(1+slices.Max(rows))
	}
	y.from = y.to + plot
	flags(c, bands, rows, x, y)
	y.beside(c, marks, x.from, x.to)
	x.below(c, y.from, 6, "queries")
	way := stairs(best, x, y)
	c.path("c-line", joined(way))
	c.dot("c-dot", way[len(way)-1], 3, fmt.Sprintf("%s after %s", words.Number(last.y, 6), asked(last.x)))
	return c.done(y.from+beneath, fmt.Sprintf("%s against queries: %s after %s, %s after %s",
		label, words.Number(first.y, 3), asked(first.x), words.Number(last.y, 3), asked(last.x)))
}

// asked writes a number of queries.
func asked(n float64) string { return words.Count(int(n), "query", "queries") }

// finites returns the samples with a finite value.
func finites(curve []objective.Sample) []point {
	all := make([]point, 0, len(curve))
	for _, s := range curve {
		if finite(s.Value) && s.Queries >= 1 {
			all = append(all, point{float64(s.Queries), bounded(s.Value)})
		}
	}
	return all
}

// heights returns the axis for the best values so far. It is logarithmic if none is below
// 0 and they span a factor of ten; 0 then stands at a tenth of the least value above it. Otherwise
// it is linear, over all values, or, if the end of the curve could not be seen then, over those
// after the first quarter of the samples.
func heights(best []point) axis {
	first, last := best[0].y, best[len(best)-1].y
	least := first // above 0
	for _, b := range best {
		if b.y > 0 {
			least = b.y
		}
	}
	if last >= 0 && first > 0 && (last == 0 || first >= 10*last) {
		a := axis{scale: Logarithmic, lo: last / 2, hi: first * 2}
		if last == 0 {
			a.zero = max(least/10, 1e-300)
			a.first = a.zero * math.Sqrt(10)
			a.lo = a.zero / 2
		}
		a.lo = max(a.lo, 1e-300)
		a.hi = max(a.hi, 10*a.lo)
		return a
	}
	lo, hi := extent(best)
	if from, to := extent(best[len(best)/4:]); from < to && hi-lo > 10*(to-from) {
		lo, hi = from, to
	}
	lo, hi = widened(lo, hi)
	room := (hi - lo) / 20
	return axis{lo: lo - room, hi: hi + room}
}

func extent(all []point) (lo, hi float64) {
	lo, hi = all[0].y, all[0].y
	for _, p := range all {
		lo, hi = min(lo, p.y), max(hi, p.y)
	}
	return lo, hi
}

// has reports whether a value is drawn where it is.
func (a axis) has(v float64) bool { return v <= a.hi && (v >= a.lo || a.scale == Logarithmic) }

// up returns the place of a value, which is on the paper whatever it is.
func (a axis) up(v float64) float64 { return a.at(a.within(v)) }

// within returns the number on the axis at which a number is drawn.
func (a axis) within(v float64) float64 {
	switch {
	case v <= 0 && a.zero > 0:
		return a.zero
	case v < a.floor && a.floor > 0:
		return a.floor
	}
	return max(a.lo, min(v, a.hi))
}

// stairs returns the corners, on paper, of the steps from each sample to the next. Of the
// samples that share a column, which is half a unit wide, the last is drawn. What is beyond
// the axis is left out.
func stairs(best []point, x, y axis) []point {
	column := func(b point) float64 { return math.Round(2*x.at(b.x)) / 2 }
	all := []point{{column(best[0]), y.up(best[0].y)}}
	next := all[0].x
	for i, b := range best {
		to := point{next, y.up(b.y)}
		if i+1 < len(best) {
			if next = column(best[i+1]); next == to.x {
				continue
			}
		}
		if !y.has(b.y) {
			all[0] = to // it has not come to the plot yet
			continue
		}
		n := len(all)
		if before := all[n-1]; !y.has(best[0].y) && n == 1 {
			all[0] = point{to.x, y.to}
			if best[0].y < y.lo {
				all[0].y = y.from
			}
			all = append(all, to)
		} else if to.y != before.y {
			all = append(all, point{to.x, before.y}, to)
		} else if i+1 == len(best) {
			all = append(all, to)
		}
	}
	return all
}
