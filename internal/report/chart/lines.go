package chart

import (
	"fmt"
	"math"
	"slices"
)

// A Series says how a quantity depends on X, which ascends: the median and the quartiles over
// several runs at each X. Lower and Upper may be nil.
type Series struct {
	Name                 string
	X                    []float64
	Lower, Median, Upper []float64
	End                  float64 // at which a cross is; beyond it the line is thin; 0: nowhere
}

// A Level is a value that does not depend on X. One without a name is not in the legend.
type Level struct {
	Name  string
	Value float64
}

// A Panel is one of several charts of a picture.
type Panel struct {
	Title  string
	Series []Series
	Levels []Level
}

// An Axis is what is on the axes of panels.
type Axis struct {
	Label  string
	Scale  Scale
	Lo, Hi float64 // where it begins and ends; 0: where the values do, and 0 if it is linear
	Floor  float64 // on a logarithmic one values below are drawn here, with a mark that says so; 0: those above 0 are drawn, no others
}

// Lines is a picture of panels that have the same x axis and one legend, which has the names of
// which there is a point in a panel. Medians are joined by lines, and between the quartiles is
// a shade. On a logarithmic x axis 0 has a place of its own, before a dotted line that no other
// crosses. Values that are not finite are left out, and lines are broken there; only the
// upper quartile may be infinite.
type Lines struct {
	Title  string
	X, Y   Axis
	Panels []Panel
	None   string                // what it means that there is nothing in a panel
	Steps  bool                  // a value holds up to the next, and a dot is only at the end of a line
	Bars   bool                  // the quartiles are the ends of a bar at each point
	Loose  bool                  // points are not joined
	Pen    func(name string) Pen // how a name is drawn; nil: each has its own colour
}

// A Pen is how a name is drawn. Each hue has a colour and a shape of its points, which repeat
// after seven, and there are five kinds of lines, the first of them solid. Points are hollow on
// those that are not.
type Pen struct{ Hue, Dash int }

// Draw draws the picture.
func (l Lines) Draw() Picture {
	b := newBoard(l)
	if len(b.names) == 0 {
		return nothing(l.Title, "There is nothing to draw.")
	}
	columns, width, high := min(2, len(l.Panels)), wide, plot
	if columns == 1 {
		width, high = 1.5*wide, 1.6*plot
	}
	var all []Picture
	for _, p := range l.Panels {
		all = append(all, b.panel(p, width, high))
	}
	c := &canvas{wide: width * float64(columns)}
	named := slices.DeleteFunc(slices.Concat(b.names, b.levels), func(name string) bool { return name == "" })
	last := c.key(point{4, 16}, 24, named, func(k int, at point) {
		at.y -= 4
		if pen := b.Pen(named[k]); k >= len(b.names) {
			c.line(pen.line("c-curve", 5), at, point{at.x + 24, at.y})
		} else {
			if !b.Loose {
				c.line(pen.line("c-curve", pen.Dash), at, point{at.x + 24, at.y})
			}
			if !b.Steps {
				pen.mark(c, point{at.x + 12, at.y})
			}
		}
	})
	return Sheet(l.Title, columns, all, c.done(last+8, ""))
}

// ordinate returns the y axis for some panels, and whether there is anything in them.
func (l Lines) ordinate(panels ...Panel) (y axis, some bool) {
	y = axis{lo: math.Inf(1), hi: math.Inf(-1), scale: l.Y.Scale}
	include := func(v float64) {
		if l.shows(0, v) {
			y.lo, y.hi, some = min(y.lo, bounded(v)), max(y.hi, bounded(v)), true
		}
	}
	for _, p := range panels {
		for _, s := range p.Series {
			for i, x := range s.X {
				if l.shows(x, s.Median[i]) {
					lower, upper := s.quartiles(i)
					include(lower)
					include(s.Median[i])
					include(upper)
				}
			}
		}
		for _, v := range p.Levels {
			include(v.Value)
		}
	}
	if !some {
		y.lo, y.hi = 1, 1
	}
	if l.Y.Scale == Logarithmic {
		if y.floor = min(l.Y.Floor, 1e280); y.floor > 0 {
			y.lo = y.floor
		}
		y.lo, y.hi = max(y.lo/1.3, 1e-300), 1.3*max(y.hi, 9*y.lo, 1e-298)
		return y, some
	}
	y.lo, y.hi = min(l.Y.Lo, y.lo), max(l.Y.Hi, y.hi)
	if y.lo == y.hi {
		y.hi++
	}
	if l.Y.Hi == 0 {
		y.hi += (y.hi - y.lo) / 20
	}
	return y, some
}

// quartiles returns those of the i-th point; NaN: there are none.
func (s Series) quartiles(i int) (lower, upper float64) {
	if i < len(s.Lower) && i < len(s.Upper) {
		return s.Lower[i], s.Upper[i]
	}
	return math.NaN(), math.NaN()
}

// shows reports whether a value at x can be drawn.
func (l Lines) shows(x, v float64) bool {
	return finite(x) && (x >= 0 || l.X.Scale == Linear) && finite(v) && (l.Y.Scale == Linear || l.Y.Floor > 0 || v > 0)
}

// dashes is how many kinds of lines there are.
const dashes = 5

// hue is the number of the pen's colour. The first of the palette, a grey, is the last.
func (p Pen) hue() int { return (max(0, p.Hue) + 1) % (hues + 1) }

// line returns the classes of a line of some kind with these dashes.
func (p Pen) line(kind string, dash int) string {
	s := fmt.Sprintf("c-l%d", p.hue())
	if dash > 0 {
		s += fmt.Sprintf(" c-d%d", dash)
	}
	if kind != "" {
		s = kind + " " + s
	}
	return s
}

// fill returns the class of what is filled.
func (p Pen) fill() string { return fmt.Sprintf("c-p%d", p.hue()) }

// shapes are those of points, by hue: a circle, a square, a triangle, a diamond and so on, with
// the number of corners, the angle of the first, and the radius.
var shapes = [hues + 1]struct {
	corners      int
	turn, radius float64
}{{0, 0, 2.6}, {4, 45, 3.3}, {3, 90, 3.8}, {4, 0, 3.7}, {6, 0, 3}, {3, -90, 3.8}, {5, 90, 3.2}}

func (p Pen) mark(c *canvas, at point) {
	s, class := shapes[max(0, p.Hue)%len(shapes)], "c-mark "+p.fill()+" "+p.line("", 0)
	if p.Dash > 0 {
		class = "c-mark c-hollow " + p.line("", 0)
	}
	if s.corners == 0 {
		c.dot(class, at, s.radius, "")
		return
	}
	c.path(class, polygon(at, s.corners, s.turn, s.radius))
}

// polygon returns the path around a regular polygon about a point. If several radii are given,
// its corners have them in turn.
func polygon(at point, corners int, turn float64, radii ...float64) string {
	var all []point
	for k := range corners {
		sin, cos := math.Sincos(turn*math.Pi/180 + 2*math.Pi*float64(k)/float64(corners))
		r := radii[k%len(radii)]
		all = append(all, point{at.x + float64(r*cos), at.y - float64(r*sin)})
	}
	return joined(all) + "z"
}
