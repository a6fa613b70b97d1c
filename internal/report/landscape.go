package report

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Landscape is a function of two variables in a square window, with the paths of
// particles that moved in it.
type Landscape struct {
	Title  string
	Note   string // stands below the title
	Letter string // names the variables: "x" for x₁ and x₂
	Name   string // of the function, beside its colours; "f" if it is empty

	Lo, Hi float64 // the window, [Lo, Hi]²
	// Value sets values to those of the function at the rows of points.
	Value func(points *mat.Dense, values []float64) error

	Paths     [][][2]float64 // one for each particle
	Consensus [][2]float64
	Minimiser [2]float64
}

// Landscapes draws panels in rows of two. A panel has contours, the path of each particle
// from a ring to a dot, the path of the consensus, and a star at the minimiser. Beside it
// is what the colours mean. Below the panels are a legend and the caption, with a line for each of its strings. What is
// outside the window, or not finite, is left out.
func Landscapes(path string, panels []Landscape, caption []string) error {
	if len(panels) == 0 {
		return errors.New("report: there are no landscapes to draw")
	}
	grounds := make([]relief, len(panels))
	for i, p := range panels {
		if !(p.Lo < p.Hi) || !finite(p.Hi-p.Lo) {
			return fmt.Errorf("report: landscape %d, %q, has a window from %v to %v", i+1, p.Title, p.Lo, p.Hi)
		}
		var err error
		if grounds[i], err = survey(p.Lo, p.Hi, cellsAcross, p.Value); err != nil {
			return fmt.Errorf("report: landscape %d, %q: %w", i+1, p.Title, err)
		}
	}
	s := sheet{panels: len(panels), lines: len(caption)}
	for _, g := range grounds {
		s.bar = max(s.bar, g.scale().room()+barWide)
	}
	size := s.size()
	return write(path, strings.Join(caption, " "), size.X, size.Y, func(canvas draw.Canvas) {
		for i, p := range panels {
			frame := s.frame(canvas, i)
			grounds[i].draw(frame)
			p.draw(frame, s)
			left := frame.Max.X + barWide
			frame.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: frame.Min.Y}, Max: vg.Point{X: left + barWide, Y: frame.Max.Y}}
			scale := grounds[i].scale()
			scale.title = cmp.Or(p.Name, "f")
			scale.draw(frame)
		}
		s.legend(canvas)
		s.caption(canvas, caption)
	})
}

// barWide is how wide a bar of colours is, and how far from its panel.
const barWide = vg.Length(8)

// A sheet says how landscapes are laid out. bar is the room for a bar of colours.
type sheet struct {
	panels, lines int
	bar           vg.Length
}

// In points: the side of a panel's frame, the space on each side of it, and the height of
// a line of the caption.
const side, leftOf, rightOf, above, below, leading = 250, 40, 10, 36, 32, 14

// pitch is the width of a panel with all that belongs to it, and atLeast is that of the
// picture, so that the legend fits.
func (s sheet) pitch() vg.Length { return leftOf + side + s.bar + barWide + rightOf }

const atLeast = vg.Length(520)

// columns and rows are how many of each the panels make.
func (s sheet) columns() int { return min(2, s.panels) }
func (s sheet) rows() int    { return (s.panels + 1) / 2 }

// size returns the size of the picture.
func (s sheet) size() vg.Point {
	return vg.Point{
		X: max(atLeast, vg.Length(s.columns())*s.pitch()),
		Y: vg.Length(s.rows()*(above+side+below) + (s.lines+2)*leading),
	}
}

// frame returns the frame of the k-th panel.
func (s sheet) frame(canvas draw.Canvas, k int) draw.Canvas {
	left := (s.size().X-vg.Length(s.columns())*s.pitch())/2 + vg.Length(k%2)*s.pitch() + leftOf
	top := s.size().Y - vg.Length(k/2*(above+side+below)+above)
	canvas.Rectangle = vg.Rectangle{Min: vg.Point{X: left, Y: top - side}, Max: vg.Point{X: left + side, Y: top}}
	return canvas
}

// text returns the style for words of this size in points.
func (s sheet) text(size vg.Length, x text.XAlignment, y text.YAlignment) draw.TextStyle {
	style := small(size, x, y)
	style.Color = black
	return style
}

// draw draws the paths into a frame, and the title and axes around it.
func (p Landscape) draw(frame draw.Canvas, s sheet) {
	at := func(x [2]float64) vg.Point {
		return vg.Point{X: frame.X(p.part(x[0])), Y: frame.Y(p.part(x[1]))}
	}
	for _, path := range p.Paths {
		s.stroke(frame, trail, 0.5, stretches(path, at))
	}
	for _, path := range p.Paths {
		s.ends(frame, path, at)
	}
	s.star(frame, at(p.Minimiser))
	s.stroke(frame, color.White, 3, stretches(p.Consensus, at))
	s.stroke(frame, red, 1.6, stretches(p.Consensus, at))
	if n := len(p.Consensus); n > 0 {
		s.goal(frame, at(p.Consensus[n-1]))
	}
	p.axes(frame, s, at)
}

// axes draws the frame, and around it the title, the ticks and the letters.
func (p Landscape) axes(frame draw.Canvas, s sheet, at func([2]float64) vg.Point) {
	middle := frame.Center()
	mark := draw.LineStyle{Color: color.Gray{90}, Width: 0.6}
	frame.StrokeLines(mark, corners(frame.Rectangle))
	frame.FillText(s.text(11, draw.XCenter, draw.YBottom), vg.Point{X: middle.X, Y: frame.Max.Y + 15}, p.Title)
	frame.FillText(small(9, draw.XCenter, draw.YBottom), vg.Point{X: middle.X, Y: frame.Max.Y + 4}, p.Note)
	for _, tick := range evenly(p.Lo, p.Hi, 0) {
		x, long := at([2]float64{tick.Value, tick.Value}), vg.Length(3)
		frame.StrokeLine2(mark, x.X, frame.Min.Y, x.X, frame.Min.Y-long)
		frame.StrokeLine2(mark, frame.Min.X, x.Y, frame.Min.X-long, x.Y)
		frame.FillText(s.text(9, draw.XCenter, draw.YTop), vg.Point{X: x.X, Y: frame.Min.Y - 4}, tick.Label)
		frame.FillText(s.text(9, draw.XRight, draw.YCenter), vg.Point{X: frame.Min.X - 5, Y: x.Y}, tick.Label)
	}
	frame.FillText(s.text(10, draw.XCenter, draw.YTop), vg.Point{X: middle.X, Y: frame.Min.Y - 14}, p.Letter+"₁")
	frame.FillText(s.text(10, draw.XCenter, draw.YCenter), vg.Point{X: frame.Min.X - 25, Y: middle.Y}, p.Letter+"₂")
}

// part returns where v is in the window: from 0 to 1 inside. What is very far outside is
// moved nearer, so that nothing overflows.
func (p Landscape) part(v float64) float64 {
	return max(-1e9, min((v-p.Lo)/(p.Hi-p.Lo), 1e9))
}

// trail is the colour of the particles' paths.
var trail = color.NRGBA{R: 25, G: 35, B: 50, A: 150}

// stretches returns the pieces of a path between points that are not finite.
func stretches(path [][2]float64, at func([2]float64) vg.Point) [][]vg.Point {
	all := [][]vg.Point{nil}
	for _, x := range path {
		if finite(x[0]) && finite(x[1]) {
			all[len(all)-1] = append(all[len(all)-1], at(x))
		} else {
			all = append(all, nil)
		}
	}
	return all
}

// stroke draws the parts of lines that are in the frame.
func (s sheet) stroke(frame draw.Canvas, c color.Color, wide vg.Length, lines [][]vg.Point) {
	for _, line := range lines {
		if len(line) > 1 {
			frame.StrokeLines(draw.LineStyle{Color: c, Width: wide}, frame.ClipLinesXY(line)...)
		}
	}
}

// ends draws a ring where a path begins and a dot where it ends.
func (s sheet) ends(frame draw.Canvas, path [][2]float64, at func([2]float64) vg.Point) {
	if n := len(path); n > 0 {
		s.ring(frame, at(path[0]))
		s.dot(frame, at(path[n-1]))
	}
}

// ring marks where a particle starts, dot where it ends, and goal where the consensus
// ends.
func (s sheet) ring(canvas draw.Canvas, at vg.Point) {
	s.disc(canvas, at, 2.8, ink)
	s.disc(canvas, at, 2, color.White)
}
func (s sheet) dot(canvas draw.Canvas, at vg.Point) { s.disc(canvas, at, 1.9, color.Black) }
func (s sheet) goal(canvas draw.Canvas, at vg.Point) {
	s.disc(canvas, at, 3.6, color.White)
	s.disc(canvas, at, 2.8, red)
}

// disc draws a full circle unless its centre is outside the canvas or NaN.
func (s sheet) disc(canvas draw.Canvas, at vg.Point, radius vg.Length, c color.Color) {
	if canvas.Contains(at) {
		canvas.DrawGlyphNoClip(draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}, at)
	}
}

// star draws a star with five points.
func (s sheet) star(canvas draw.Canvas, at vg.Point) {
	if !canvas.Contains(at) {
		return
	}
	var corners []vg.Point
	for k := range 11 {
		sin, cos := math.Sincos(math.Pi * (0.5 + float64(k)/5))
		radius := [2]vg.Length{8, 3.3}[k%2]
		corners = append(corners, vg.Point{X: at.X + radius*vg.Length(cos), Y: at.Y + radius*vg.Length(sin)})
	}
	canvas.FillPolygon(color.RGBA{R: 255, G: 205, B: 40, A: 255}, corners)
	canvas.StrokeLines(draw.LineStyle{Color: color.Black, Width: 0.7}, corners)
}

// legend explains the signs in one line below the panels.
func (s sheet) legend(canvas draw.Canvas) {
	y := vg.Length((s.lines + 1) * leading)
	style := s.text(9, draw.XLeft, draw.YCenter)
	names := []string{"start of a particle", "its path", "its end", "path of the consensus", "its end", "minimiser"}
	line := func(x vg.Length) [][]vg.Point { return [][]vg.Point{{{X: x - 9, Y: y}, {X: x + 9, Y: y}}} }
	signs := []func(x vg.Length){
		func(x vg.Length) { s.ring(canvas, vg.Point{X: x, Y: y}) },
		func(x vg.Length) { s.stroke(canvas, trail, 0.7, line(x)) },
		func(x vg.Length) { s.dot(canvas, vg.Point{X: x, Y: y}) },
		func(x vg.Length) { s.stroke(canvas, red, 1.6, line(x)) },
		func(x vg.Length) { s.goal(canvas, vg.Point{X: x, Y: y}) },
		func(x vg.Length) { s.star(canvas, vg.Point{X: x, Y: y}) },
	}
	total := vg.Length(0)
	for _, name := range names {
		total += style.Width(name) + 44
	}
	x := max(0, (s.size().X-total+22)/2)
	for k, name := range names {
		signs[k](x + 9)
		canvas.FillText(style, vg.Point{X: x + 22, Y: y}, name)
		x += style.Width(name) + 44
	}
}

// caption writes the lines at the bottom.
func (s sheet) caption(canvas draw.Canvas, lines []string) {
	for k, line := range lines {
		y := vg.Length((s.lines-k)*leading) - 6
		style := small(9, draw.XCenter, draw.YCenter)
		canvas.FillText(style, vg.Point{X: s.size().X / 2, Y: y}, line)
	}
}
