package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Couplings draws two matrices of couplings beside each other, before and after, on a
// logarithmic scale of colours from 10⁻⁸ to 1. The components of the second are in the
// order of their blocks.
func Couplings(path string, before, after *mat.Dense, blocks [][]int) error {
	if before == nil || after == nil {
		return errors.New("report: there are no couplings to draw")
	}
	d, _ := before.Dims()
	m, _ := after.Dims()
	order, axis := inBlocks(blocks, m)
	panels := []figure{panel("before", "coordinate", before, ascending(d)), panel("after", axis, after, order)}
	scale := couplingScale()
	wide := 2*height + scale.room() + vg.Centimeter
	return write(path, "couplings", wide, height, func(canvas draw.Canvas) {
		for k, p := range panels {
			left := height * vg.Length(k)
			p.paint(draw.Crop(canvas, left+margin, left+height-wide-margin, margin, -margin))
		}
		canvas.Rectangle = vg.Rectangle{
			Min: vg.Point{X: 2*height + margin, Y: 1.4 * vg.Centimeter}, Max: vg.Point{X: 2*height + margin + 12, Y: height - 0.9*vg.Centimeter},
		}
		scale.draw(canvas)
	})
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
func panel(title, axis string, c *mat.Dense, order []int) figure {
	m := len(order)
	if m > 1 {
		title = fmt.Sprintf("%s (median %s)", title, words.Number(median(c), 1))
	}
	p := chart(title, axis, axis)
	if m > mostCells {
		several := (m + mostCells - 1) / mostCells
		p.x = fmt.Sprintf("%s; a cell is the strongest of %d × %d", axis, several, several)
	}
	marks := numbered(order, p.X.Tick.Label)
	p.X.Tick.Marker, p.Y.Tick.Marker = marks, marks
	p.Add(cells{pooled(c, order), float64(m)})
	return p
}

// median returns the upper median of the entries beside the diagonal, which are at least 0.
// It sorts only those whose first 16 bits are those of the median.
func median(c *mat.Dense) float64 {
	m, _ := c.Dims()
	each := func(visit func(v float64, first int)) {
		for i := range m {
			for j, v := range c.RawRowView(i) {
				if i != j {
					visit(v, int(math.Float64bits(v)>>48))
				}
			}
		}
	}
	counts := make([]int, 1<<16)
	each(func(_ float64, first int) { counts[first]++ })
	rank, bits := m*(m-1)/2, 0
	for ; rank >= counts[bits]; bits++ {
		rank -= counts[bits]
	}
	var near []float64
	each(func(v float64, first int) {
		if first == bits {
			near = append(near, v)
		}
	})
	slices.Sort(near)
	return near[rank]
}

// mostMarks is how many marks an axis of a matrix has at most, and along is its length at
// least.
const mostMarks, along = 12, 7 * vg.Centimeter

// numbered marks an axis, at the places 1, 2, …, with the numbers of what stands there,
// counted from 1. Where they are many, only every second, fifth, tenth … place has a mark,
// so that no number meets the next.
func numbered(order []int, style draw.TextStyle) plot.ConstantTicks {
	most := min(mostMarks, int(along/(style.Width(words.Thousands(len(order)))+6)))
	every, next := 1, []int{2, 5, 10}
	for k := 0; len(order)/every > most; k++ {
		every = next[k%3] * int(math.Pow10(k/3))
	}
	var ticks plot.ConstantTicks
	for k := every - 1; k < len(order); k += every {
		ticks = append(ticks, plot.Tick{Value: float64(k + 1), Label: words.Thousands(order[k] + 1)})
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

// Plot draws the cells of each shade together, and neighbours in a row as one rectangle.
func (r cells) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	n, _ := r.c.Dims()
	at := func(k int) float64 { return 0.5 + float64(k)*r.m/float64(n) }
	paths := make([]vg.Path, len(shades))
	for i := range n {
		for j := 0; j < n; {
			from, s := j, shade(r.c.At(i, j))
			for j < n && shade(r.c.At(i, j)) == s {
				j++
			}
			box := vg.Rectangle{Min: vg.Point{X: x(at(from)), Y: y(at(i))}, Max: vg.Point{X: x(at(j)), Y: y(at(i + 1))}}
			paths[s] = append(paths[s], box.Path()...)
		}
	}
	for s, path := range paths {
		if len(path) > 0 && s > 0 { // the first is the paper's
			canvas.SetColor(shades[s])
			canvas.Fill(path)
		}
	}
	canvas.StrokeLines(draw.LineStyle{Color: color.Gray{170}, Width: 0.5}, corners(canvas.Rectangle))
}

// weakest is the coupling up to which cells are blank, as a power of ten. perDecade is
// the number of shades for each power of ten.
const weakest, perDecade = -8, 2

// shades are the colours from weak to strong. The stronger, the darker.
var shades = ramp(1-weakest*perDecade, [3]float64{255, 255, 255}, [3]float64{253, 224, 160}, [3]float64{240, 130, 60}, [3]float64{170, 30, 60}, [3]float64{30, 10, 40})

// shade returns the number of the shade for a coupling.
func shade(v float64) int {
	if !(v > 0) {
		return 0
	}
	return max(0, min(len(shades)-1, int(math.Ceil((math.Log10(v)-weakest)*perDecade))))
}

// couplingScale says what the shades mean.
func couplingScale() bar {
	b := bar{title: "coupling", colors: shades[1:], labels: make([]string, len(shades))}
	for e := weakest; e <= 0; e += 2 {
		b.labels[(e-weakest)*perDecade] = words.Power(math.Pow(10, float64(e)), 1)
	}
	return b
}
