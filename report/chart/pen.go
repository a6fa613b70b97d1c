package chart

import (
	"fmt"
	"math"
)

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

// mark draws a point.
func (p Pen) mark(c *canvas, at point) {
	s, class := shapes[max(0, p.Hue)%len(shapes)], "c-mark "+p.fill()+" "+p.line("", 0)
	if p.Dash > 0 {
		class = "c-mark c-hollow " + p.line("", 0)
	}
	if s.corners == 0 {
		c.dot(class, at, s.radius, "")
		return
	}
	c.path(class, polygon(at, s.corners, s.turn, s.radius), "")
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
