package report

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// whiskers draw a panel: levels, then lines with bars. Series are a little stagger from each
// other, so that bars at the same x do not hide one another.
type whiskers struct {
	*board
	panel Panel
	y     Ordinate
	from  float64 // the axis is broken to the left of it; the left end: it is not
}

// stagger is the distance between two series.
const stagger = vg.Length(1.6)

// Plot draws the panel.
func (w whiskers) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	if w.zero > 0 {
		canvas.StrokeLine2(draw.LineStyle{Color: color.Gray{150}, Width: 0.5, Dashes: []vg.Length{1, 2}}, x(w.from), canvas.Min.Y, x(w.from), canvas.Max.Y)
	}
	for _, l := range w.panel.Levels {
		if w.y.shows(l.Value) {
			at := y(w.y.raised(l.Value))
			canvas.StrokeLine2(w.levelStyle(l.Name), canvas.Min.X, at, canvas.Max.X, at)
		}
	}
	for _, s := range w.panel.Series {
		style := w.style(s.Name)
		bar := draw.LineStyle{Color: faint(style.Color), Width: 0.7}
		aside := stagger * (vg.Length(slices.Index(w.names, s.Name)) - vg.Length(len(w.names)-1)/2)
		var line []vg.Point
		for i, at := range s.X {
			if !finite(at) || at < 0 || !w.y.shows(s.Median[i]) {
				continue
			}
			if at == 0 {
				at = w.zero
			}
			across := x(at) + aside
			line = append(line, vg.Point{X: across, Y: y(w.y.raised(s.Median[i]))})
			low, high := y(w.y.raised(s.Lower[i])), y(min(w.y.raised(s.Upper[i]), w.high))
			canvas.StrokeLine2(bar, across, low, across, high)
			const arm = 1.2
			canvas.StrokeLine2(bar, across-arm, low, across+arm, low)
			canvas.StrokeLine2(bar, across-arm, high, across+arm, high)
		}
		canvas.StrokeLines(style, line)
		for _, at := range line {
			canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: style.Color, Radius: 1.8, Shape: draw.CircleGlyph{}}, at)
		}
	}
}

// faint is a colour, half way to white.
func faint(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	half := func(v uint32) uint8 { return uint8((v>>8 + 255) / 2) }
	return color.RGBA{half(r), half(g), half(b), 255}
}
