package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/words"
)

// A board is what the panels of a picture have in common: the x axis, and the names that are
// drawn in one of them at least.
type board struct {
	Lines
	names, levels []string
	x             axis
}

// newBoard looks through all panels.
func newBoard(l Lines) *board {
	b := &board{Lines: l, x: axis{lo: math.Inf(1), hi: math.Inf(-1), scale: l.X.Scale}}
	zero, shown := false, map[string]bool{}
	for _, p := range l.Panels {
		for _, s := range p.Series {
			b.names = known(b.names, s.Name)
			for i, x := range s.X {
				if !l.shows(x, s.Median[i]) {
					continue
				}
				shown[s.Name] = true
				if x = max(x, l.X.Lo); x == 0 && l.X.Scale == Logarithmic {
					zero = true
				} else {
					b.x.lo, b.x.hi = min(b.x.lo, bounded(x)), max(b.x.hi, bounded(x))
				}
			}
		}
		for _, v := range p.Levels {
			if l.shows(0, v.Value) {
				b.levels = known(b.levels, v.Name)
			}
		}
	}
	b.names = slices.DeleteFunc(b.names, func(name string) bool { return !shown[name] })
	if b.Pen == nil {
		b.Pen = func(name string) Pen {
			k := slices.Index(b.names, name)
			return Pen{Hue: k, Dash: k % dashes}
		}
	}
	b.abscissa(zero)
	return b
}

// abscissa makes room at the ends of the x axis, and for 0.
func (b *board) abscissa(zero bool) {
	x := &b.x
	if math.IsInf(x.lo, 1) {
		x.lo, x.hi = 1, 1
	}
	x.lo, x.hi = max(x.lo, -1e140), min(x.hi, 1e140)
	if x.scale == Linear {
		x.lo, x.hi = widened(min(b.X.Lo, x.lo), max(b.X.Hi, x.hi))
		return
	}
	x.lo = max(x.lo, b.X.Lo, 1e-140)
	if x.hi = max(x.hi, 9*x.lo, b.X.Hi); b.X.Lo > 0 {
		x.lo = b.X.Lo
		return
	}
	room, apart := math.Pow(x.hi/x.lo, 0.03), math.Pow(x.hi/x.lo, 0.13)
	if zero {
		x.zero = x.lo / apart
		x.first = x.zero * math.Sqrt(apart)
		x.lo = x.zero
	}
	x.lo, x.hi = x.lo/room, x.hi*room
}

// known adds a name to those that are known.
func known(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// panel draws a panel. One with nothing in it has the y axis of all together.
func (b *board) panel(p Panel, width, high float64) Picture {
	y, some := b.ordinate(p)
	if !some {
		y, _ = b.ordinate(b.Panels...)
	}
	x := b.x
	c, top := newCanvas(width, p.Title)
	c.plot(&x, &y, top, high, int(width/45), b.X.Label, b.Y.Label)
	if x.zero > 0 {
		c.line("c-stage", point{x.at(x.first), y.from}, point{x.at(x.first), y.to})
	}
	if !some {
		none := cmp.Or(b.None, "nothing to draw")
		at := place{at: point{(x.from + x.to) / 2, (y.from+y.to)/2 + 4}, anchor: middle, class: "c-note", room: x.to - x.from}
		c.rect("c-paper", at.box(none), "")
		c.text(at, none)
	}
	for _, v := range p.Levels {
		if b.shows(0, v.Value) {
			class := "c-goal"
			if v.Name != "" {
				class = b.Pen(v.Name).line("c-curve", 5)
			}
			c.line(class, point{x.from, y.up(v.Value)}, point{x.to, y.up(v.Value)})
		}
	}
	for _, s := range p.Series {
		b.shade(c, s, x, y)
	}
	for _, s := range p.Series {
		b.draw(c, s, x, y)
	}
	return c.done(y.from+beneath, strings.TrimSpace(p.Title+" "+b.Y.Label+" against "+b.X.Label+": "+words.Count(len(p.Series), "line", "lines")))
}

// stagger is the distance between two series with bars, so that none hides another. All
// together they are no further apart than widestStagger of a decade, so that no point is off by
// more than a factor of 10^(1/8) = 1.33.
const stagger, widestStagger = 2.2, 0.25

// aside returns how far a series is moved to the right.
func (b *board) aside(name string, x axis) float64 {
	n := float64(len(b.names) - 1)
	if n == 0 || !b.Bars {
		return 0
	}
	decade := x.at(x.hi) - x.at(x.hi/10)
	return min(stagger, widestStagger*decade/n) * (float64(slices.Index(b.names, name)) - n/2)
}

// pieces returns the parts of a series that are drawn without a break, by numbers of points. One
// ends where a value cannot be drawn, and beside 0.
func (b *board) pieces(s Series) (all [][]int) {
	whole := false
	for i, x := range s.X {
		if !b.shows(x, s.Median[i]) {
			whole = false
			continue
		}
		if !whole {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], i)
		whole = x > 0 || b.x.zero == 0
	}
	return all
}

// way returns the way through points on paper.
func (b *board) way(points []point, x, y axis) []point {
	if b.Steps {
		return stairs(points, x, y)
	}
	var all []point
	for _, p := range points {
		all = append(all, point{x.up(p.x), y.up(p.y)})
	}
	return all
}

// shade fills what is between the quartiles, or draws a bar for each.
func (b *board) shade(c *canvas, s Series, x, y axis) {
	pen, aside := b.Pen(s.Name), b.aside(s.Name, x)
	bars := ""
	for _, piece := range b.pieces(s) {
		var lower, upper []point
		for _, i := range piece {
			lo, hi := s.quartiles(i)
			if math.IsNaN(lo) || math.IsNaN(hi) {
				continue
			}
			at := x.within(s.X[i])
			lower, upper = append(lower, point{at, bounded(lo)}), append(upper, point{at, min(bounded(hi), y.hi)})
			if px := num(x.up(s.X[i]) + aside); b.Bars {
				bars += "M" + px + " " + num(y.up(lo)) + "V" + num(y.up(hi)) + "M" + px + " " + num(y.up(lo)) + "h-2h4"
				if !math.IsInf(hi, 1) {
					bars += "M" + px + " " + num(y.up(hi)) + "h-2h4"
				}
			}
		}
		if len(lower) > 1 && !b.Bars {
			back := b.way(upper, x, y)
			slices.Reverse(back)
			c.path("c-band "+pen.fill(), joined(append(b.way(lower, x, y), back...))+"z")
		}
	}
	c.path("c-bar "+pen.line("", 0), bars)
}

// draw draws the line and the points of a series.
func (b *board) draw(c *canvas, s Series, x, y axis) {
	pen, aside := b.Pen(s.Name), b.aside(s.Name, x)
	for _, piece := range b.pieces(s) {
		var points, beyond []point
		for _, i := range piece {
			p := point{x.within(s.X[i]), bounded(s.Median[i])}
			if s.End > 0 && p.x > s.End {
				beyond = append(beyond, p)
				continue
			}
			points = append(points, p)
		}
		if n := len(points); n > 0 && s.End > 0 {
			last := point{x.within(s.End), points[n-1].y}
			points, beyond = append(points, last), append([]point{last}, beyond...)
		}
		if len(beyond) > 1 {
			c.path(pen.line("c-thin", pen.Dash), joined(b.way(beyond, x, y)))
		}
		if len(points) == 0 {
			continue
		}
		way := b.way(points, x, y)
		for k := range way {
			way[k].x += aside
		}
		if len(way) > 1 && !b.Loose {
			c.path(pen.line("c-curve", pen.Dash), joined(way))
		}
		end := way[len(way)-1]
		switch {
		case s.End > 0:
			c.path(pen.line("c-curve", 0), fmt.Sprintf("M%sL%sM%sL%s", pair(point{end.x - 3, end.y - 3}), pair(point{end.x + 3, end.y + 3}),
				pair(point{end.x - 3, end.y + 3}), pair(point{end.x + 3, end.y - 3})))
		case b.Steps:
			c.dot(pen.fill(), end, 2.2, "")
		default:
			for _, at := range way {
				pen.mark(c, at)
			}
		}
	}
}
