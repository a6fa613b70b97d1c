package chart

import (
	"fmt"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// plot is the height of the plots of curves, and beneath is the room for the numbers and
// the label below a plot.
const plot, beneath = 150., 38.

// Convergence draws the best value so far against the number of queries, which are on the
// given scale. Shades and names above the plot show the stages of the run. label says what
// the values are.
//
// The values are on a logarithmic scale if none is below 0 and they span at least a factor
// of ten; 0 then has a mark of its own below the others. Otherwise they are on a linear
// scale. If it would hide how the run ended, the scale does not reach up to the first
// values, and the picture says so.
func Convergence(curve []objective.Sample, stages []untwist.Stage, queries Scale, label string) Picture {
	best := running(curve)
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
	note := "ends at " + words.Number(last.y, 4)
	if first.y > y.hi {
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
	c.path("c-line", joined(way), "")
	c.dot("c-dot", way[len(way)-1], 3, fmt.Sprintf("%s after %s", words.Number(last.y, 6), asked(last.x)))
	return c.done(y.from+beneath, fmt.Sprintf("%s against queries: %s after %s, %s after %s",
		label, words.Number(first.y, 3), asked(first.x), words.Number(last.y, 3), asked(last.x)))
}

// asked writes a number of queries.
func asked(n float64) string { return words.Count(int(n), "query", "queries") }
