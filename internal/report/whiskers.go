package report

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// whiskers draw a panel: levels, then lines with bars. Series are a little stagger from each
// other, so that bars at the same x do not hide one another.
type whiskers struct {
	*board
	panel     Panel
	low, high float64 // the ends of the y axis
}

// stagger is the distance between two series. All together they are no further apart than
// widestStagger of a decade, so that no point is off by more than a factor of 10^(1/8) = 1.33.
const (
	stagger       = vg.Length(1.6)
	widestStagger = 0.25
)

// aside returns how far a series is moved to the right, on an axis with decades of this length.
func (b *board) aside(name string, decade vg.Length) vg.Length {
	n := vg.Length(len(b.names) - 1)
	if n == 0 {
		return 0
	}
	return min(stagger, widestStagger*decade/n) * (vg.Length(slices.Index(b.names, name)) - n/2)
}

// Plot draws the panel.
func (w whiskers) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	height := func(v float64) vg.Length { return y(max(w.low, w.Y.Floor, min(v, w.high))) }
	if w.zero > 0 {
		canvas.StrokeLine2(breakStyle, x(w.from), canvas.Min.Y, x(w.from), canvas.Max.Y)
	}
	if _, _, some := w.Y.span(w.panel); !some {
		note, at := small(9, draw.XCenter, draw.YCenter), canvas.Center()
		half := note.Width(w.Y.None)/2 + 3
		fill(canvas, color.White, at.X-half, at.X+half, at.Y-6, at.Y+6) // the lines of the grid end there
		canvas.FillText(note, at, w.Y.None)
	}
	for _, l := range w.panel.Levels {
		if w.Y.shows(0, l.Value) {
			canvas.StrokeLine2(w.Pen(l.Name).level(), canvas.Min.X, height(l.Value), canvas.Max.X, height(l.Value))
		}
	}
	decade := x(w.right) - x(w.right/10)
	for _, s := range w.panel.Series {
		across := func(at float64) vg.Length {
			if at == 0 {
				at = w.zero
			}
			return x(at) + w.aside(s.Name, decade)
		}
		w.draw(canvas, s, across, height)
	}
}

// breakStyle is that of the dotted line beside 0.
var breakStyle = draw.LineStyle{Color: color.Gray{150}, Width: 0.5, Dashes: []vg.Length{1, 2}}

// draw draws a series: bars, pieces of lines, points.
func (w whiskers) draw(canvas draw.Canvas, s Series, across func(float64) vg.Length, height func(float64) vg.Length) {
	pen := w.Pen(s.Name)
	var pieces [][]vg.Point
	joined := false // with the point before
	for i, x := range s.X {
		if !w.Y.shows(x, s.Median[i]) {
			joined = false
			continue
		}
		at := vg.Point{X: across(x), Y: height(s.Median[i])}
		if !joined {
			pieces = append(pieces, nil)
		}
		pieces[len(pieces)-1] = append(pieces[len(pieces)-1], at)
		joined = x > 0 && !w.Loose
		if !math.IsNaN(s.Lower[i]) && !math.IsNaN(s.Upper[i]) {
			pen.whisker(canvas, at.X, height(s.Lower[i]), height(s.Upper[i]), math.IsInf(s.Upper[i], 1))
		}
	}
	for _, piece := range pieces {
		if len(piece) > 1 {
			canvas.StrokeLines(pen.line(), piece)
		}
	}
	for _, at := range slices.Concat(pieces...) {
		canvas.DrawGlyphNoClip(pen.glyph(), at)
	}
}

// whisker draws a bar with arms at its ends; one that is open has none at the top.
func (p Pen) whisker(canvas draw.Canvas, x, low, high vg.Length, open bool) {
	const arm = 1.2
	canvas.StrokeLine2(p.bar(), x, low, x, high)
	canvas.StrokeLine2(p.bar(), x-arm, low, x+arm, low)
	if !open {
		canvas.StrokeLine2(p.bar(), x-arm, high, x+arm, high)
	}
}

// faint is a colour, half way to white.
func faint(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	half := func(v uint32) uint8 { return uint8((v>>8 + 255) / 2) }
	return color.RGBA{half(r), half(g), half(b), 255}
}
