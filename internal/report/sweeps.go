package report

import (
	"errors"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Sheet is a picture of several charts, its panels, with the same x axis and one legend.
type Sheet struct {
	Title  string
	X      string // what is on the x axes
	Y      Ordinate
	Loose  bool                  // points are not joined by lines
	Pen    func(name string) Pen // how a name is drawn; nil: each name in its own colour
	Panels []Panel
}

// A Panel is one of several charts of a picture.
type Panel struct {
	Title  string
	Series []Series // X ascends, and may begin with 0
	Levels []Level
}

// A Level is a value that does not depend on X.
type Level struct {
	Name  string
	Value float64
}

// An Ordinate is what is on the y axes of panels.
type Ordinate struct {
	Label   string
	Percent bool    // from 0 to 100 in all panels
	Linear  bool    // from 0 to the first number above all values in a panel; otherwise the axis is logarithmic
	Floor   float64 // where the axis begins if it is logarithmic; values below are drawn there; 0: those above 0 as they are, no others
	None    string  // what it means that there is nothing in a panel, which is written there
}

// Sweeps draws the panels of a sheet together, two in a row: the medians as points joined by
// lines, and the range from Lower to Upper as a bar, which has no end at the top if Upper is
// infinite. x is on a logarithmic scale, on which 0 has a place of its own at the left, before a
// dotted line that no line crosses. Levels are drawn as thin lines across the panel. Values that
// are not finite are left out, and lines are broken there. Names of which there is no point in
// any panel are not in the legend.
func Sweeps(path string, s Sheet) error {
	b := newBoard(s)
	if len(b.names) == 0 || !(b.left < b.right) {
		return errors.New("report: there is no series to draw")
	}
	columns := min(2, len(s.Panels))
	rows := (len(s.Panels) + columns - 1) / columns
	right, bottom := beyond+vg.Length(columns)*panelWide+margin, margin+beyond
	wide, high := right+b.legendWidth(), bottom+vg.Length(rows)*panelHigh+panelHead
	return write(path, s.Title, wide, high, func(canvas draw.Canvas) {
		head := small(11, draw.XCenter, draw.YTop)
		head.Color = black
		canvas.FillText(head, vg.Point{X: wide / 2, Y: high - margin}, cut(head, s.Title, wide-2*margin))
		frames := make([]draw.Canvas, len(s.Panels))
		for k := range s.Panels {
			left, top := margin+beyond+vg.Length(k%columns)*panelWide, high-panelHead-vg.Length(k/columns)*panelHigh
			frames[k] = draw.Crop(canvas, left, left+panelWide-margin-wide, top-panelHigh, top-high-panelTitle)
		}
		middle := b.paint(frames)
		label := small(10, draw.XCenter, draw.YBottom)
		label.Color = black
		tilded(canvas, label, vg.Point{X: middle, Y: margin}, cut(label, s.X, 2*min(middle, wide-middle)-2*margin))
		label.YAlign, label.Rotation = draw.YTop, math.Pi/2
		canvas.FillText(label, vg.Point{X: margin, Y: (bottom + high - panelHead) / 2}, cut(label, s.Y.Label, high-bottom-panelHead))
		b.legend(canvas, right, high-panelHead-margin)
	})
}

// The size of a panel, the room for its title, and that for the title above all.
const panelWide, panelHigh, panelTitle, panelHead = 9 * vg.Centimeter, 6.5 * vg.Centimeter, 0.7 * vg.Centimeter, 0.8 * vg.Centimeter

// paint draws each panel into its frame, with its title above the middle of its data. All have
// the same room for the numbers of their y axes. It returns the middle of all panels.
func (b *board) paint(frames []draw.Canvas) (middle vg.Length) {
	charts, rooms, most := make([]figure, len(frames)), make([]vg.Length, len(frames)), vg.Length(0)
	for k, p := range b.Panels {
		charts[k] = b.chart(p)
		rooms[k] = charts[k].DataCanvas(frames[k]).Min.X - frames[k].Min.X
		most = max(most, rooms[k])
	}
	title := small(10.5, draw.XCenter, draw.YBottom)
	title.Color = black
	left, right := vg.Length(math.Inf(1)), vg.Length(0)
	for k, f := range charts {
		inner := draw.Crop(frames[k], most-rooms[k], 0, 0, 0)
		f.Draw(inner)
		data := f.DataCanvas(inner)
		at := vg.Point{X: data.Center().X, Y: frames[k].Max.Y + 4}
		frames[k].FillText(title, at, cut(title, b.Panels[k].Title, data.Max.X-data.Min.X))
		left, right = min(left, data.Min.X), max(right, data.Max.X)
	}
	return (left + right) / 2
}

// tilded writes a line about a point, with tildes above their letters: the font has no letter
// like W̃, and draws its tilde beside it.
func tilded(canvas draw.Canvas, style draw.TextStyle, at vg.Point, words string) {
	parts := strings.Split(words, "\u0303")
	plain := strings.Join(parts, "")
	canvas.FillText(style, at, plain)
	left, before := at.X-style.Width(plain)/2, ""
	for _, part := range parts[:len(parts)-1] {
		before += part
		last, _ := utf8.DecodeLastRuneInString(part)
		up := vg.Length(0)
		if unicode.IsUpper(last) {
			up = 0.2 * style.Font.Size
		}
		canvas.FillText(style, vg.Point{X: left + style.Width(before) - style.Width(string(last))/2, Y: at.Y + up}, "˜")
	}
}

// legendWidth is how wide the legend is.
func (b *board) legendWidth() vg.Length {
	style := small(8.5, draw.XLeft, draw.YCenter)
	wide := vg.Length(0)
	for _, names := range [][]string{b.names, b.levels} {
		for _, name := range names {
			wide = max(wide, min(widest, style.Width(name)))
		}
	}
	return wide + sample + 2*margin
}

// legend draws the names from a corner downwards, each beside a piece of its line.
func (b *board) legend(canvas draw.Canvas, left, top vg.Length) {
	style := small(8.5, draw.XLeft, draw.YCenter)
	style.Color = black
	end := left + sample - 2*beside
	at := top - pitch
	write := func(name string) {
		canvas.FillText(style, vg.Point{X: left + sample, Y: at}, cut(style, name, widest))
		at -= pitch
	}
	for _, name := range b.names {
		pen := b.Pen(name)
		if !b.Loose {
			canvas.StrokeLine2(pen.line(), left, at, end, at)
		}
		canvas.DrawGlyphNoClip(pen.glyph(), vg.Point{X: (left + end) / 2, Y: at})
		write(name)
	}
	for _, name := range b.levels {
		canvas.StrokeLine2(b.Pen(name).level(), left, at, end, at)
		write(name)
	}
}
