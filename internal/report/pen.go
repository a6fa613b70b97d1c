package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Pen is how a name is drawn in the panels of a sheet. Each hue has a colour and a shape of
// its points, which repeat after eight.
type Pen struct {
	Hue    int  // 0, 1, …
	Dashed bool // and with hollow points, to tell two lines of one hue apart
}

func (p Pen) color() color.RGBA { return hues[p.Hue%len(hues)] }

// line is how lines are drawn. Solid and dashed ones look the same at any hue, since dashes
// have a meaning.
func (p Pen) line() draw.LineStyle {
	style := draw.LineStyle{Color: p.color(), Width: 1.2}
	if p.Dashed {
		style.Dashes = []vg.Length{5, 2}
	}
	return style
}

// level is how levels are drawn: thin and dotted, where lines are solid or dashed.
func (p Pen) level() draw.LineStyle {
	return draw.LineStyle{Color: p.color(), Width: 1, Dashes: []vg.Length{1, 1.6}}
}

// bar is how bars are drawn.
func (p Pen) bar() draw.LineStyle { return draw.LineStyle{Color: faint(p.color()), Width: 0.7} }

// glyph is how points are drawn.
func (p Pen) glyph() draw.GlyphStyle {
	shape := shapes[p.Hue%len(hues)]
	shape.hollow = p.Dashed
	return draw.GlyphStyle{Color: p.color(), Radius: 1.8, Shape: shape}
}

// A shape is a regular polygon with a corner at an angle.
type shape struct {
	corners int // 0: it is a circle
	turn    float64
	size    float64 // of its radius, that of a circle is 1
	hollow  bool
}

// shapes are those of points, by hue: a circle, a square, a triangle, a diamond and so on.
var shapes = []shape{
	{size: 1}, {corners: 4, turn: 45, size: 1.3}, {corners: 3, turn: 90, size: 1.5}, {corners: 4, size: 1.45},
	{corners: 6, size: 1.2}, {corners: 3, turn: -90, size: 1.5}, {corners: 5, turn: 90, size: 1.25}, {corners: 5, turn: -90, size: 1.25},
}

// DrawGlyph draws the shape about a point.
func (s shape) DrawGlyph(canvas *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	r := float64(style.Radius) * s.size
	corner := func(k int) vg.Point {
		sin, cos := math.Sincos(s.turn*math.Pi/180 + 2*math.Pi*float64(k)/float64(s.corners))
		return vg.Point{X: at.X + vg.Length(r*cos), Y: at.Y + vg.Length(r*sin)}
	}
	if s.corners == 0 {
		path.Move(vg.Point{X: at.X + vg.Length(r), Y: at.Y})
		path.Arc(at, vg.Length(r), 0, 2*math.Pi)
	} else {
		path.Move(corner(0))
		for k := 1; k < s.corners; k++ {
			path.Line(corner(k))
		}
	}
	path.Close()
	if !s.hollow {
		canvas.SetColor(style.Color)
		canvas.Fill(path)
		return
	}
	canvas.SetColor(color.White)
	canvas.Fill(path)
	canvas.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 0.8})
	canvas.Stroke(path)
}
