package report

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A bar says what colours mean: all of them, the least at the bottom, and numbers at some of
// the edges. labels[k] is that below the k-th colour; the last one is above all.
type bar struct {
	title  string
	colors []color.RGBA
	labels []string
}

// draw draws a bar into a frame, its title above and its numbers to the right.
func (b bar) draw(frame draw.Canvas) {
	high := (frame.Max.Y - frame.Min.Y) / vg.Length(len(b.colors))
	for k, c := range b.colors {
		bottom := frame.Min.Y + high*vg.Length(k)
		fill(frame, c, frame.Min.X, frame.Max.X, bottom, bottom+high)
	}
	thin := draw.LineStyle{Color: color.Gray{90}, Width: 0.5}
	frame.StrokeLines(thin, corners(frame.Rectangle))
	number := small(barFont, draw.XLeft, draw.YCenter)
	number.Color = black
	for k, label := range b.labels {
		if label == "" {
			continue
		}
		y := frame.Min.Y + high*vg.Length(k)
		frame.StrokeLine2(thin, frame.Max.X, y, frame.Max.X+3, y)
		frame.FillText(number, vg.Point{X: frame.Max.X + 5, Y: y}, label)
	}
	title := number
	title.YAlign = draw.YBottom
	frame.FillText(title, vg.Point{X: frame.Min.X, Y: frame.Max.Y + 8}, b.title)
}

// barFont is the size of a bar's letters.
const barFont = vg.Length(9)

// room returns how wide the numbers of a bar are, with the space before them.
func (b bar) room() vg.Length {
	style, wide := small(barFont, draw.XLeft, draw.YCenter), vg.Length(0)
	for _, label := range b.labels {
		wide = max(wide, style.Width(label))
	}
	return 5 + wide
}

// fill fills a rectangle.
func fill(canvas draw.Canvas, c color.Color, left, right, bottom, top vg.Length) {
	canvas.FillPolygon(c, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

// corners returns the corners of a rectangle, and the first one again at the end.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
}
