package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Couplings draws two matrices of couplings beside each other, before and after, on a
// logarithmic scale of colours from 1e-8 to 1. The components of the second are in the
// order of their blocks.
func Couplings(path string, before, after *mat.Dense, blocks [][]int) error {
	if before == nil || after == nil {
		return errors.New("report: there are no couplings to draw")
	}
	d, _ := before.Dims()
	m, _ := after.Dims()
	order, axis := inBlocks(blocks, m)
	panels := []*plot.Plot{panel("before", "coordinate", before, ascending(d)), panel("after", axis, after, order), scale()}
	return save(path, panels, []vg.Length{height, height, height / 3})
}

// inBlocks returns m components in the order of their blocks, and how the axis is called
// along which they stand. Where the blocks do not have all of them, they just ascend.
func inBlocks(blocks [][]int, m int) (order []int, axis string) {
	order = slices.Concat(blocks...)
	if len(order) != m {
		order = ascending(m)
	}
	if slices.IsSorted(order) {
		return order, "component"
	}
	return order, "component, block by block"
}

// ascending returns 0, 1, …, n−1.
func ascending(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// panel draws one matrix with its rows and columns in the given order.
func panel(title, axis string, c *mat.Dense, order []int) *plot.Plot {
	m := len(order)
	var all []float64
	for i := range m {
		for j := range m {
			if i != j {
				all = append(all, c.At(i, j))
			}
		}
	}
	slices.Sort(all)
	p := plot.New()
	p.Title.Text = title
	if len(all) > 0 {
		p.Title.Text = fmt.Sprintf("%s (median %.1g)", title, all[len(all)/2])
	}
	p.X.Label.Text, p.Y.Label.Text = axis, axis
	p.X.Tick.Marker, p.Y.Tick.Marker = numbered(order), numbered(order)
	p.Add(cells{pooled(c, order), float64(m)})
	return p
}

// mostMarks is how many marks an axis of a matrix has at most.
const mostMarks = 12

// numbered marks an axis, at the places 1, 2, …, with the numbers of what stands there,
// counted from 1. Where they are many, only some places have a mark.
func numbered(order []int) plot.ConstantTicks {
	every := (len(order) + mostMarks - 1) / mostMarks
	var ticks plot.ConstantTicks
	for k := 0; k < len(order); k += every {
		ticks = append(ticks, plot.Tick{Value: float64(k + 1), Label: strconv.Itoa(order[k] + 1)})
	}
	return ticks
}

// mostCells is the number of rows beyond which several entries share a cell. The cell
// shows the strongest of them.
const mostCells = 100

// pooled returns a matrix with its rows and columns in the given order, its diagonal 0,
// and at most mostCells rows and columns.
func pooled(c *mat.Dense, order []int) *mat.Dense {
	m := len(order)
	n := min(m, mostCells)
	strongest := mat.NewDense(n, n, nil)
	for i := range m {
		for j := range m {
			a, b := i*n/m, j*n/m
			if v := c.At(order[i], order[j]); i != j && v > strongest.At(a, b) {
				strongest.Set(a, b, v)
			}
		}
	}
	return strongest
}

// cells draws a matrix as coloured rectangles over [½, m+½]².
type cells struct {
	c *mat.Dense
	m float64
}

// DataRange returns what the cells cover.
func (r cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	return 0.5, r.m + 0.5, 0.5, r.m + 0.5
}

// Plot draws neighbours of the same shade in a row as one rectangle.
func (r cells) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	n, _ := r.c.Dims()
	at := func(k int) float64 { return 0.5 + float64(k)*r.m/float64(n) }
	for i := range n {
		for j := 0; j < n; {
			from, s := j, shade(r.c.At(i, j))
			for j < n && shade(r.c.At(i, j)) == s {
				j++
			}
			fill(canvas, shades[s], x(at(from)), x(at(j)), y(at(i)), y(at(i+1)))
		}
	}
}

// fill fills a rectangle.
func fill(canvas draw.Canvas, c color.Color, left, right, bottom, top vg.Length) {
	canvas.FillPolygon(c, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

// weakest is the coupling up to which cells are blank, as a power of ten. perDecade is
// the number of shades for each power of ten.
const weakest, perDecade = -8, 2

// shades are the colours from weak to strong, interpolated linearly between a few.
var shades = func() []color.Color {
	stops := [][3]float64{{255, 255, 255}, {253, 224, 160}, {240, 130, 60}, {170, 30, 60}, {30, 10, 40}}
	all := make([]color.Color, 1-weakest*perDecade)
	for k := range all {
		t := float64(k) / float64(len(all)-1) * float64(len(stops)-1)
		i := min(int(t), len(stops)-2)
		var c [3]uint8
		for n := range c {
			c[n] = uint8(stops[i][n] + (t-float64(i))*(stops[i+1][n]-stops[i][n]))
		}
		all[k] = color.RGBA{c[0], c[1], c[2], 255}
	}
	return all
}()

// shade returns the number of the shade for a coupling.
func shade(v float64) int {
	if !(v > 0) {
		return 0
	}
	return max(0, min(len(shades)-1, int(math.Ceil((math.Log10(v)-weakest)*perDecade))))
}

// scale draws the shades and what they mean.
func scale() *plot.Plot {
	p := plot.New()
	p.HideX()
	p.Title.Text = " "
	var ticks []plot.Tick
	for e := weakest; e <= 0; e += 2 {
		ticks = append(ticks, plot.Tick{Value: float64(e), Label: fmt.Sprintf("%.0e", math.Pow(10, float64(e)))})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Add(bar{})
	return p
}

// A bar is all shades, one above the other.
type bar struct{}

// DataRange returns what the bar covers.
func (bar) DataRange() (xmin, xmax, ymin, ymax float64) { return 0, 1, weakest, 0 }

// Plot draws the bar.
func (bar) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	for k := 1; k < len(shades); k++ {
		top := weakest + float64(k)/perDecade
		fill(canvas, shades[k], x(0), x(1), y(top-1./perDecade), y(top))
	}
}
