package chart

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/gonum/mat"
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

// Landscapes draws panels in rows of two. A panel has the colours of heights, the path of each particle
// from a ring to a dot, the path of the consensus, and a star at the minimiser. Beside it is
// what the colours mean. Below the panels are a legend and the caption, with a line for each of
// its strings. What is outside the window, or not finite, is left out.
func Landscapes(panels []Landscape, caption []string) (Picture, error) {
	if len(panels) == 0 {
		return Picture{}, errors.New("there are no landscapes to draw")
	}
	var all []Picture
	for i, p := range panels {
		c, high, err := p.draw()
		if err != nil {
			return Picture{}, fmt.Errorf("landscape %d, %q: %w", i+1, p.Title, err)
		}
		all = append(all, c.done(high, p.Title+": "+p.Note))
	}
	columns := min(2, len(all))
	c := &canvas{wide: max(1.5*wide, wide*float64(columns))}
	names := []string{"start of a particle", "its path", "its end", "path of the consensus", "its end", "minimiser"}
	signs := []func(at point){
		func(at point) { c.dot("c-from", at, 3, "") }, func(at point) { c.line("c-trail", point{at.x - 9, at.y}, point{at.x + 9, at.y}) },
		func(at point) { c.dot("c-to", at, 2.2, "") }, func(at point) { c.line("c-way", point{at.x - 9, at.y}, point{at.x + 9, at.y}) },
		func(at point) { c.dot("c-well", at, 3.6, "") }, c.star,
	}
	y := c.key(point{4, 16}, 18, names, func(k int, at point) { signs[k](point{at.x + 9, at.y - 4}) })
	for _, line := range caption {
		y += 16
		c.text(place{at: point{4, y}, class: "c-note", room: c.wide - 8}, line)
	}
	return Sheet("", columns, all, c.done(y+8, "")), nil
}

func (c *canvas) star(at point) { c.path("c-star", polygon(at, 10, 90, 8, 3.3)) }

// side is that of the square window on paper.
const side = 240.

// draw draws a landscape, and says how high it is.
func (p Landscape) draw() (c *canvas, high float64, err error) {
	if !(p.Lo < p.Hi) || !finite(p.Hi-p.Lo) {
		return nil, 0, fmt.Errorf("its window is from %v to %v", p.Lo, p.Hi)
	}
	ground, err := survey(p.Lo, p.Hi, p.Value)
	if err != nil {
		return nil, 0, err
	}
	c, top := newCanvas(wide, p.Title)
	if p.Note != "" {
		top += 16
		c.text(place{at: point{4, top - 3}, class: "c-note", room: wide - 8}, p.Note)
	}
	y := axis{lo: p.Lo, hi: p.Hi, to: top + 22, from: top + 22 + side}
	marks, room := y.left(side)
	x := axis{lo: p.Lo, hi: p.Hi, from: room + 2, to: room + 2 + side}
	c.text(place{at: point{4, y.to - 9}, class: "c-label", room: 60}, p.Letter+"₂")
	c.cells(ground.colours, box{x.from, x.to, y.to, y.from}, "c-g", bands)
	y.beside(c, marks, x.from, x.from)
	x.below(c, y.from, 8, p.Letter+"₁")
	ground.key(c, box{x.to + 10, x.to + 22, y.to, y.from}, cmp.Or(p.Name, "f"))
	p.moves(c, x, y)
	return c, y.from + beneath, nil
}

// cellsAcross is how many cells a window has along a side, and bands how many colours.
const cellsAcross, bands = 240, 8

// A relief has the heights of a window as numbers of colours, from 1, row by row from the top;
// 0 is where there is no height.
type relief struct {
	colours     [][]int
	least, most float64 // no height is finite if least is larger
}

// survey asks for the heights in the middles of the cells of the window [lo, hi]².
func survey(lo, hi float64, value func(*mat.Dense, []float64) error) (relief, error) {
	const n = cellsAcross
	points, values := mat.NewDense(n*n, 2, nil), make([]float64, n*n)
	at := func(k int) float64 { return lo + float64((hi-lo)*(float64(k)+0.5)/n) }
	for i := range values {
		points.SetRow(i, []float64{at(i % n), at(n - 1 - i/n)})
	}
	if err := value(points, values); err != nil {
		return relief{}, err
	}
	r := relief{make([][]int, n), math.Inf(1), math.Inf(-1)}
	for i, v := range values {
		if values[i] = bounded(v); finite(v) {
			r.least, r.most = min(r.least, values[i]), max(r.most, values[i])
		} else {
			values[i] = math.NaN()
		}
	}
	for i, v := range values {
		k := 0
		for k < bands && v > r.level(k-1) || k == 0 && v == r.least {
			k++
		}
		r.colours[i/n] = append(r.colours[i/n], k)
	}
	return r, nil
}

// level returns the height at which the k-th colour, counted from 0, ends. The levels are evenly
// spaced in the square root of the height above the least value, so that wells low down can be
// told apart.
func (r relief) level(k int) float64 {
	t := float64(k+1) / bands
	return r.least + float64((r.most-r.least)*t*t)
}

func outlined(b box) string {
	return "M" + pair(point{b.x0, b.y0}) + "H" + num(b.x1) + "V" + num(b.y1) + "H" + num(b.x0) + "z"
}

// key says what the colours mean, in a bar beside the window.
func (r relief) key(c *canvas, b box, name string) {
	c.text(place{at: point{b.x0, b.y0 - 9}, class: "c-label", room: c.wide - b.x0}, name)
	each := (b.y1 - b.y0) / bands
	ticks := outlined(b)
	for k := range bands + 1 {
		y := b.y1 - each*float64(k)
		if k < bands {
			c.rect(fmt.Sprintf("c-h%d", k+1), box{b.x0, b.x1, y - each, y}, "")
		}
		if r.least <= r.most {
			ticks += "M" + pair(point{b.x1, y}) + "h3"
			c.text(place{at: point{b.x1 + 5, y + 4}, room: c.wide - b.x1 - 6}, words.Number(r.level(k-1), 3))
		}
	}
	c.path("c-axis", ticks)
}

// moves draws the paths, and the star.
func (p Landscape) moves(c *canvas, x, y axis) {
	at := func(v [2]float64) point {
		far := func(v float64) float64 { return max(-1e5, min(v, 1e5)) }
		return point{far(x.at(bounded(v[0]))), far(y.at(bounded(v[1])))}
	}
	path := func(points [][2]float64) (d string) {
		var piece []point
		for _, v := range points {
			if finite(v[0]) && finite(v[1]) {
				piece = append(piece, at(v))
				continue
			}
			d, piece = d+joined(piece), nil
		}
		return d + joined(piece)
	}
	dot := func(class string, v [2]float64, radius float64) {
		if finite(v[0]) && finite(v[1]) {
			c.dot(class, at(v), radius, "")
		}
	}
	c.within(box{x.from, x.to, y.to, y.from}, func() {
		for _, points := range p.Paths {
			c.path("c-trail", path(points))
		}
		for _, points := range p.Paths {
			if n := len(points); n > 0 {
				dot("c-from", points[0], 3)
				dot("c-to", points[n-1], 2.2)
			}
		}
		c.star(at(p.Minimiser))
		c.path("c-halo", path(p.Consensus))
		c.path("c-way", path(p.Consensus))
		if n := len(p.Consensus); n > 0 {
			dot("c-well", p.Consensus[n-1], 3.6)
		}
	})
}

// within draws what is seen only as far as it is in a box.
func (c *canvas) within(b box, draw func()) {
	frame := fmt.Sprintf("%s %s %s %s", num(b.x0), num(b.y0), num(b.x1-b.x0), num(b.y1-b.y0))
	fmt.Fprintf(&c.out, `<svg x="%s" y="%s" width="%s" height="%s" viewBox="%s">`, num(b.x0), num(b.y0), num(b.x1-b.x0), num(b.y1-b.y0), frame)
	draw()
	c.out.WriteString("</svg>")
}
