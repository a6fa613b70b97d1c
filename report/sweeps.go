package report

import (
	"errors"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
	Percent bool    // from 0 to 100; otherwise the axis is logarithmic
	Floor   float64 // values below are drawn there; 0: those above 0 as they are, no others
}

// Sweeps draws panels together, two in a row, with the same axes and one legend: the medians as
// points joined by lines, and the range from Lower to Upper as a bar. x is on a logarithmic
// scale, on which 0 has a place of its own at the left. Levels are drawn as lines across the
// panel. Values that are not finite are left out.
func Sweeps(path, title, x string, y Ordinate, panels []Panel) error {
	b := newBoard(y, panels)
	if len(b.names) == 0 || !(b.left < b.right) {
		return errors.New("report: there is no series to draw")
	}
	columns := min(2, len(panels))
	rows := (len(panels) + columns - 1) / columns
	legendWide := b.legendWidth()
	wide, high := vg.Length(columns)*panelWide+legendWide, vg.Length(rows)*panelHigh+panelHead
	return write(path, title, wide, high, func(canvas draw.Canvas) {
		head := small(11, draw.XCenter, draw.YTop)
		head.Color = black
		canvas.FillText(head, vg.Point{X: wide / 2, Y: high - margin}, cut(head, title, wide-2*margin))
		for k, p := range panels {
			left, top := vg.Length(k%columns)*panelWide, high-panelHead-vg.Length(k/columns)*panelHigh
			b.chart(p, x, y).paint(draw.Crop(canvas, left+margin, left+panelWide-wide-margin, top-panelHigh+margin, top-high-margin))
		}
		b.legend(canvas, vg.Length(columns)*panelWide, high-panelHead-margin)
	})
}

// The size of a panel, and the room for the title above all.
const panelWide, panelHigh, panelHead = 9.5 * vg.Centimeter, 7 * vg.Centimeter, 0.8 * vg.Centimeter

// A board is what panels have in common: the axes, and how each name is drawn.
type board struct {
	names       []string
	levels      []string
	left, right float64 // of the x axis, above 0
	zero        float64 // where 0 is drawn; 0: nowhere
	low, high   float64 // of the y axis
}

// newBoard looks through all panels.
func newBoard(y Ordinate, panels []Panel) *board {
	b := &board{left: math.Inf(1), right: math.Inf(-1), low: math.Inf(1), high: math.Inf(-1)}
	zero := false
	for _, p := range panels {
		for _, s := range p.Series {
			b.names = known(b.names, s.Name)
			for i, x := range s.X {
				if !finite(x) || !y.shows(s.Median[i]) {
					continue
				}
				if zero = zero || x == 0; x > 0 {
					b.left, b.right = min(b.left, x), max(b.right, x)
				}
				b.low, b.high = min(b.low, y.raised(s.Lower[i]), y.raised(s.Median[i])), max(b.high, y.raised(s.Median[i]), min(s.Upper[i], 1e300))
			}
		}
		for _, l := range p.Levels {
			b.levels = known(b.levels, l.Name)
			if y.shows(l.Value) {
				b.low, b.high = min(b.low, y.raised(l.Value)), max(b.high, y.raised(l.Value))
			}
		}
	}
	if math.IsInf(b.left, 1) && zero {
		b.left, b.right = 1, 1
	}
	b.right = max(b.right, 9*b.left)
	room := math.Pow(b.right/b.left, 0.03)
	if zero {
		b.zero = b.left / math.Pow(b.right/b.left, 0.13)
		b.left = b.zero
	}
	b.left, b.right = b.left/room, b.right*room
	b.low, b.high = b.low/1.3, max(b.high, 9*b.low)*1.3
	if y.Percent {
		b.low, b.high = -3, 103
	}
	return b
}

// known adds a name to those that are known.
func known(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// shows reports whether a value can be drawn, and raised returns where.
func (y Ordinate) shows(v float64) bool { return finite(v) && (y.Percent || y.Floor > 0 || v > 0) }

func (y Ordinate) raised(v float64) float64 {
	if y.Percent || !finite(v) {
		return v
	}
	return max(v, y.Floor, 1e-300)
}

// chart returns a panel as a figure.
func (b *board) chart(p Panel, x string, y Ordinate) figure {
	f := chart(p.Title, x, y.Label)
	f.Add(levels())
	logarithmic(&f.X)
	from := b.left
	if b.zero > 0 {
		from = b.zero * math.Sqrt(math.Pow(b.right/b.zero, 0.13))
		f.X.Tick.Marker = plot.TickerFunc(func(_, hi float64) []plot.Tick {
			return append(powers(from, hi), plot.Tick{Value: b.zero, Label: "0"})
		})
	}
	if y.Percent {
		linear(&f.Y)
		f.Y.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick { return evenly(0, 100, 20) })
	} else {
		logarithmic(&f.Y)
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = b.left, b.right, b.low, b.high
	f.Add(whiskers{b, p, y, from})
	return f
}

// style is how the line of a name is drawn.
func (b *board) style(name string) draw.LineStyle { return stroke(slices.Index(b.names, name), 1.2) }

// levelStyle is how a level is drawn: thin, in grey, each with dashes of its own.
func (b *board) levelStyle(name string) draw.LineStyle {
	k := slices.Index(b.levels, name)
	return draw.LineStyle{Color: color.Gray{uint8(60 + 60*(k%3))}, Width: 0.8, Dashes: dashes[(k+2)%len(dashes)]}
}

// legendWidth is how wide the legend is.
func (b *board) legendWidth() vg.Length {
	style := small(8.5, draw.XLeft, draw.YCenter)
	wide := vg.Length(0)
	for _, name := range slices.Concat(b.names, b.levels) {
		wide = max(wide, min(widest, style.Width(name)))
	}
	return wide + sample + 2*margin
}

// legend draws the names from a corner downwards.
func (b *board) legend(canvas draw.Canvas, left, top vg.Length) {
	style := small(8.5, draw.XLeft, draw.YCenter)
	style.Color = black
	at := top - pitch
	line := func(name string, drawn draw.LineStyle) {
		canvas.StrokeLine2(drawn, left, at, left+sample-2*beside, at)
		canvas.FillText(style, vg.Point{X: left + sample, Y: at}, cut(style, name, widest))
		at -= pitch
	}
	for _, name := range b.names {
		line(name, b.style(name))
	}
	for _, name := range b.levels {
		line(name, b.levelStyle(name))
	}
}
