package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A grid says how panels of equal size are put into columns and rows.
type grid struct {
	columns, rows int
	wide, high    vg.Length // the size of a panel's frame
	left          vg.Length // the space to the left of it, for the numbers of the y axis
	font          vg.Length
	header        vg.Length // the space above all panels
}

// layout puts up to four panels beside each other, and more into a square until there are
// mostColumns columns. The fewer there are, the larger they are.
func layout(views []view, note string) grid {
	n := len(views)
	g := grid{columns: min(mostColumns, max(min(n, 4), int(math.Ceil(math.Sqrt(float64(n))))))}
	g.rows = (n + g.columns - 1) / g.columns
	g.wide = max(3.2*vg.Centimeter, 12*vg.Centimeter/vg.Length(g.columns))
	g.high = 0.7 * g.wide
	g.font = max(6.5, min(9, g.wide/14))
	number := small(g.font, draw.XRight, draw.YTop)
	for _, v := range views {
		lo, hi := ends(v.y0, v.y1, 9)
		g.left = max(g.left, number.Width(lo), number.Width(hi))
	}
	g.left += gap(g.font)
	if note != "" {
		g.header = 2 * g.font
	}
	return g
}

// gap is the space between things that belong together.
func gap(font vg.Length) vg.Length { return 0.4 * font }

// cell returns the size of a panel with its title above and numbers below.
func (g grid) cell() vg.Point {
	return vg.Point{X: g.left + g.wide + 1.5*g.font, Y: g.high + 3.6*g.font}
}

// size returns the size of the picture.
func (g grid) size() vg.Point {
	return vg.Point{
		X: 2*margin + vg.Length(g.columns)*g.cell().X,
		Y: 2*margin + vg.Length(g.rows)*g.cell().Y + g.header,
	}
}

// panel returns the frame of the k-th panel.
func (g grid) panel(canvas draw.Canvas, k int) draw.Canvas {
	left := margin + vg.Length(k%g.columns)*g.cell().X + g.left
	top := g.size().Y - margin - g.header - vg.Length(k/g.columns)*g.cell().Y - 1.6*g.font
	canvas.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - g.high}, Max: vg.Point{X: left + g.wide, Y: top}}
	return canvas
}

// draw draws a profile into a frame, and its title and numbers around it.
func (v view) draw(frame draw.Canvas, font vg.Length) {
	middle, gap := frame.Center(), gap(font)
	thin := draw.LineStyle{Color: color.Gray{170}, Width: 0.5}
	title := small(font, draw.XCenter, draw.YBottom)
	title.Color = color.Black
	frame.FillText(title, vg.Point{X: middle.X, Y: frame.Max.Y + gap}, cut(title, v.title, frame.Max.X-frame.Min.X))
	corners := []vg.Point{frame.Min, {X: frame.Max.X, Y: frame.Min.Y}, frame.Max, {X: frame.Min.X, Y: frame.Max.Y}, frame.Min}
	frame.StrokeLines(thin, corners)
	if len(v.points) == 0 {
		frame.FillText(small(font, draw.XCenter, draw.YCenter), middle, "no finite value")
		return
	}
	from, to := ends(v.x0, v.x1, 6)
	frame.FillText(small(font, draw.XLeft, draw.YTop), vg.Point{X: frame.Min.X, Y: frame.Min.Y - gap/2}, from)
	frame.FillText(small(font, draw.XRight, draw.YTop), vg.Point{X: frame.Max.X, Y: frame.Min.Y - gap/2}, to)
	// There is room for a dot between the frame and the ends of y.
	inner := draw.Crop(frame, 0, 0, gap, -gap)
	from, to = ends(v.y0, v.y1, 9)
	number := small(font, draw.XRight, draw.YCenter)
	for _, end := range []struct {
		at   vg.Length
		text string
	}{{inner.Min.Y, from}, {inner.Max.Y, to}} {
		frame.FillText(number, vg.Point{X: frame.Min.X - gap, Y: end.at}, end.text)
		frame.StrokeLine2(thin, frame.Min.X-gap/2, end.at, frame.Min.X, end.at)
	}
	v.curve(inner, font)
}

// curve draws the curve and the wells.
func (v view) curve(frame draw.Canvas, font vg.Length) {
	at := func(x, y float64) vg.Point {
		return vg.Point{X: frame.X((x - v.x0) / (v.x1 - v.x0)), Y: frame.Y((y - v.y0) / (v.y1 - v.y0))}
	}
	line := make([]vg.Point, len(v.points))
	for i, p := range v.points {
		line[i] = at(p.X, p.Y)
	}
	frame.StrokeLines(draw.LineStyle{Color: ink, Width: font / 9}, frame.ClipLinesXY(line)...)
	for i := len(v.wells) - 1; i >= 0; i-- { // the chosen one is drawn last, on top
		well := at(v.wells[i].X, v.wells[i].Y)
		dot := draw.GlyphStyle{Color: red, Radius: font / 3.5, Shape: draw.CircleGlyph{}}
		if i > 0 {
			dot.Color = color.White
			frame.DrawGlyphNoClip(dot, well)
			dot.Color, dot.Shape = red, draw.RingGlyph{}
		}
		frame.DrawGlyphNoClip(dot, well)
	}
}
