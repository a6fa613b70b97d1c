package outline

import (
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
)

// A pen writes a path as SVG has it.
type pen struct {
	strings.Builder
	svg     *SVG
	x, y    string // where it is
	upright bool   // all lines are horizontal or vertical
}

// data writes a path, and says whether all its lines are horizontal or vertical.
func (s *SVG) data(path vg.Path) (d string, upright bool) {
	p := &pen{svg: s, upright: true}
	for _, c := range path {
		switch c.Type {
		case vg.MoveComp:
			p.to("M", c.Pos)
		case vg.LineComp:
			p.line(c.Pos)
		case vg.ArcComp:
			p.arc(c)
		case vg.CurveComp:
			p.upright = false
			p.to(" QC"[len(c.Control):len(c.Control)+1], append(c.Control[:len(c.Control):len(c.Control)], c.Pos)...)
		case vg.CloseComp:
			p.WriteString("Z")
		}
	}
	return p.String(), p.upright
}

// on returns the coordinates of a point on the paper, y downwards.
func (p *pen) on(at vg.Point) (x, y string) {
	z := p.svg.place(at)
	return short(real(z)), short(float64(p.svg.high) - imag(z))
}

// to writes a command with its points, and is at the last of them.
func (p *pen) to(command string, points ...vg.Point) {
	for _, at := range points {
		p.x, p.y = p.on(at)
		p.WriteString(command + p.x + " " + p.y)
		command = " "
	}
}

// line writes a line to a point, or nothing if the pen is there.
func (p *pen) line(at vg.Point) {
	x, y := p.on(at)
	switch {
	case x == p.x && y == p.y && p.Len() > 0:
	case x == p.x:
		p.WriteString("V" + y)
	case y == p.y:
		p.WriteString("H" + x)
	default:
		p.WriteString("L" + x + " " + y)
		p.upright = false
	}
	p.x, p.y = x, y
}

// arc writes a part of a circle, in two halves, since SVG has no whole circles.
func (p *pen) arc(c vg.PathComp) {
	at := func(angle float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{X: c.Pos.X + c.Radius*vg.Length(cos), Y: c.Pos.Y + c.Radius*vg.Length(sin)}
	}
	if p.Len() == 0 {
		p.to("M", at(c.Start))
	} else {
		p.line(at(c.Start))
	}
	p.upright = false
	radius, sweep := short(p.svg.length(c.Radius)), "0" // anticlockwise
	if c.Angle < 0 {
		sweep = "1"
	}
	half := max(-math.Pi, min(c.Angle/2, math.Pi))
	for k := range 2 {
		p.to("A"+radius+" "+radius+" 0 0 "+sweep+" ", at(c.Start+float64(k+1)*half))
	}
}
