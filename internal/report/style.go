package report

import (
	"image/color"
	"math"

	"github.com/untwist/untwist/internal/outline"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// hues are colours that colour-blind people can tell apart, too (after Okabe and Ito).
// dashes keep lines apart that lie on top of each other, and where there are no colours.
var hues = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255}, {120, 0, 60, 255},
}

var dashes = [][]vg.Length{nil, {6, 2}, {2, 1.5}, {8, 2, 2, 2}, {4, 1.5, 1, 1.5}}

// stroke is the i-th style of a line. Forty differ.
func stroke(i int, wide vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: hues[i%len(hues)], Dashes: dashes[i%len(dashes)], Width: wide}
}

// ink is the colour of what matters, and red that of wells and of the consensus.
var (
	ink   = color.RGBA{R: 20, G: 60, B: 120, A: 255}
	red   = color.RGBA{R: 190, G: 50, B: 40, A: 255}
	black = color.Gray{0}
)

// ramp returns n colours, interpolated linearly between a few.
func ramp(n int, stops ...[3]float64) []color.RGBA {
	all := make([]color.RGBA, n)
	for k := range all {
		t := float64(k) / float64(n-1) * float64(len(stops)-1)
		i := min(int(t), len(stops)-2)
		mix := func(c int) uint8 {
			return uint8(math.Round(stops[i][c] + float64((t-float64(i))*(stops[i+1][c]-stops[i][c]))))
		}
		all[k] = color.RGBA{mix(0), mix(1), mix(2), 255}
	}
	return all
}

// sans is the font of all pictures, and handler draws it.
var (
	sans    = font.Font{Typeface: "Liberation", Variant: "Sans"}
	handler = outline.Handler{Plain: text.Plain{Fonts: font.NewCache(liberation.Collection())}}
)

// small is the style of notes beside what is drawn.
func small(size vg.Length, x text.XAlignment, y text.YAlignment) draw.TextStyle {
	return draw.TextStyle{Color: color.Gray{80}, Font: font.From(sans, size), XAlign: x, YAlign: y, Handler: handler}
}

// A figure is a plot with labels beside its axes. They are no labels of the plot itself,
// since that leaves room for them in the wrong place where an axis is logarithmic.
type figure struct {
	*plot.Plot
	x, y string
}

// chart returns an empty figure in the style of all pictures.
func chart(title, x, y string) figure {
	p := plot.New()
	p.TextHandler = handler
	p.Title.Text = title
	p.Title.Padding = 4
	p.BackgroundColor = nil // the paper is white
	for style, size := range map[*text.Style]vg.Length{
		&p.Title.TextStyle: 11, &p.X.Label.TextStyle: 10, &p.Y.Label.TextStyle: 10, &p.X.Tick.Label: 9, &p.Y.Tick.Label: 9,
	} {
		style.Font, style.Handler = font.From(sans, size), handler
	}
	return figure{p, x, y}
}

// beyond is the room for a label beside an axis.
const beyond = vg.Length(15)

// inner returns what of a canvas is left for the plot without its labels.
func (f figure) inner(canvas draw.Canvas) draw.Canvas { return draw.Crop(canvas, beyond, 0, beyond, 0) }

// paint draws a plot and its labels. Texts that are too long are cut.
func (f figure) paint(canvas draw.Canvas) {
	size, inner := canvas.Size(), f.inner(canvas)
	f.Title.Text = cut(f.Title.TextStyle, f.Title.Text, size.X-2*beyond)
	f.Draw(inner)
	data := f.DataCanvas(inner)
	middle := data.Center()
	label := small(10, draw.XCenter, draw.YBottom)
	label.Color = black
	across := 2 * min(middle.X-canvas.Min.X, canvas.Max.X-middle.X)
	canvas.FillText(label, vg.Point{X: middle.X, Y: canvas.Min.Y + 2}, cut(label, f.x, across))
	label.YAlign, label.Rotation = draw.YTop, math.Pi/2
	canvas.FillText(label, vg.Point{X: canvas.Min.X, Y: middle.Y}, cut(label, f.y, 2*min(middle.Y-canvas.Min.Y, canvas.Max.Y-middle.Y)))
}

// levels are faint lines across a plot at the marks of its y axis.
func levels() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal.Color, grid.Horizontal.Width = color.Gray{215}, 0.4
	return grid
}

// cut shortens a text to what fits, in the middle, since both ends tell names apart.
func cut(style draw.TextStyle, text string, wide vg.Length) string {
	if style.Width(text) <= wide {
		return text
	}
	letters := []rune(text)
	short := "…"
	for n := 1; n < len(letters); n++ {
		longer := string(letters[:(n+1)/2]) + "…" + string(letters[len(letters)-n/2:])
		if style.Width(longer) > wide {
			break
		}
		short = longer
	}
	return short
}
