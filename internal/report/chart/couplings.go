package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/gonum/mat"
)

// Couplings draws two matrices of couplings, before and after, beside each other or, where
// there is no room, below each other, and a bar that says what the colours mean. The
// components of the second are in the order of their blocks, which have frames. names are
// those of the rows of the first; nil, and where there is no room, they have numbers. If there
// are more or fewer names than rows, the rows are directions among the parameters. Of
// large matrices several entries share a cell, which shows the strongest. A matrix that is
// nil is left out.
func Couplings(before, after *mat.Dense, blocks [][]int, names []string) (all []Picture) {
	row, component := "parameter", "combination"
	if names == nil {
		row, component = "coordinate", "component"
	}
	if n := size(before); n > 0 {
		if names != nil && len(names) != n {
			row = "direction"
		}
		all = append(all, matrix(before, view{title: "before", axis: row, order: ranks.First(n), names: names}))
	}
	if n := size(after); n > 0 {
		order, blocks := inBlocks(blocks, n)
		if !slices.IsSorted(order) {
			component += ", block by block"
		}
		all = append(all, matrix(after, view{title: "after", axis: component, order: order, blocks: blocks}))
	}
	if len(all) == 0 {
		return []Picture{nothing("couplings", "No couplings were measured.")}
	}
	return append(all, legend())
}

// size returns how many rows a square matrix has; 0 if it is none.
func size(c *mat.Dense) int {
	if c == nil || c.IsEmpty() {
		return 0
	}
	rows, columns := c.Dims()
	return min(rows, columns)
}

// inBlocks returns n components in the order of their blocks. Blocks that do not have each
// component once are ignored.
func inBlocks(blocks [][]int, n int) ([]int, [][]int) {
	order := slices.Concat(blocks...)
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, ranks.First(n)) {
		return ranks.First(n), nil
	}
	return order, blocks
}

// A view says how a matrix is shown.
type view struct {
	title, axis string
	order       []int
	blocks      [][]int
	names       []string
}

// square is the length of a matrix on paper, and mostCells is how many rows and columns of
// cells it has at most.
const square, mostCells = 240., 60

func matrix(c *mat.Dense, v view) Picture {
	n := len(v.order)
	title := v.title
	typical := median(c, n)
	if n > 1 {
		title = fmt.Sprintf("%s (median %s)", title, words.Number(typical, 1))
	}
	spoken := fmt.Sprintf("couplings %s: %s by %s, median %s", v.title, words.Thousands(n), words.Thousands(n), words.Number(typical, 1))
	return v.draw(title, pooled(c, v.order), "a cell is the strongest of %d × %d", spoken)
}

// draw draws cells, in a square below a title. each says what a cell is where several share one, and
// spoken what is read aloud.
func (v view) draw(title string, cells [][]int, each, spoken string) Picture {
	c, _ := newCanvas(wide, title)
	x0, y0 := v.label(c)
	n, high := len(v.order), y0+square+37
	if n > mostCells {
		several := (n + mostCells - 1) / mostCells
		c.text(place{at: point{x0 + square/2, high + 11}, anchor: middle, class: "c-note", room: 2 * (wide - x0 - square/2 - 2)}, fmt.Sprintf(each, several, several))
		high += 16
	}
	c.cells(cells, box{x0, x0 + square, y0, y0 + square}, "c-s", shades)
	frames(c, v.blocks, x0, y0, square/float64(n))
	return c.done(high, spoken)
}

// label writes the numbers of rows and columns beside the square of a matrix, the names of rows if there
// is room for them, and what they are. It returns the corner of the square.
func (v view) label(out *canvas) (x0, y0 float64) {
	n := len(v.order)
	x0, y0 = (wide-square)/2, 22.
	numbers := widthOf(words.Thousands(n))
	named := len(v.names) == n && square/float64(n) >= letters+2
	for k := 0; named && k < n; k++ {
		x0 = max(x0, min(widthOf(clean(v.names[v.order[k]]))+numbers+16, wide-square-numbers/2-2))
	}
	unit := square / float64(n)
	centre := func(k int) float64 { return (float64(k) + 0.5) * unit }
	ticks := ""
	across, down := v.every(numbers+8), v.every(letters+2)
	for k := range n {
		s := words.Thousands(v.order[k] + 1)
		if (k+1)%down == 0 {
			out.text(place{at: point{x0 - 6, y0 + centre(k) + 4}, anchor: end, room: wide}, s)
			ticks += "M" + num(x0) + " " + num(y0+centre(k)) + "h-3"
		}
		if (k+1)%across == 0 {
			out.text(place{at: point{x0 + centre(k), y0 + square + 16}, anchor: middle, room: wide}, s)
			ticks += "M" + num(x0+centre(k)) + " " + num(y0+square) + "v3"
		}
	}
	for k := 0; named && k < n; k++ {
		out.text(place{at: point{x0 - 12 - numbers, y0 + centre(k) + 4}, anchor: end, room: x0 - 14 - numbers}, v.names[v.order[k]])
	}
	out.text(place{at: point{x0 + square/2, y0 + square + 32}, anchor: middle, class: "c-label", room: 2 * (wide - x0 - square/2 - 2)}, v.axis)
	out.path("c-axis", ticks)
	return x0, y0
}

// every returns which rows have numbers, each of which needs so much room: every one, every
// second, fifth, tenth ….
func (v view) every(room float64) int {
	n := len(v.order)
	every, next := 1, []int{2, 5, 10}
	for i := 0; float64(every)*square < room*float64(n); i++ {
		every = next[i%3] * int(math.Pow10(i/3))
	}
	return every
}

// median returns the upper median of the entries beside the diagonal.
func median(c *mat.Dense, n int) float64 {
	all := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			if v := math.Abs(c.At(i, j)); i != j && finite(v) {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// pooled returns the shades of a matrix with its rows and columns in the given order, its
// diagonal blank, in at most mostCells rows and columns.
func pooled(c *mat.Dense, order []int) [][]int {
	m := len(order)
	n, strongest := blankCells(m)
	for i, from := range order {
		for j, to := range order {
			if cell := &strongest[i*n/m][j*n/m]; i != j && *cell < shades {
				*cell = max(*cell, shade(math.Abs(c.At(from, to))))
			}
		}
	}
	return strongest
}

// blankCells returns the n×n cells of a matrix of m rows.
func blankCells(m int) (n int, cells [][]int) {
	n = min(m, mostCells)
	cells = make([][]int, n)
	for i := range cells {
		cells[i] = make([]int, n)
	}
	return n, cells
}

// weakest is the coupling up to which cells are blank, as a power of ten. shades is the
// number of colours, one for each power of ten.
const weakest, shades = -8, 8

// shade returns the number of the shade for a coupling; 0 is blank.
func shade(v float64) int {
	if !(v > 0) {
		return 0
	}
	return max(0, min(shades, int(math.Ceil(math.Log10(min(v, 1))-weakest))))
}

// cells fills a box with cells, row by row from its top: neighbours in a row as one line, and
// all of one shade together. The class of the k-th of n shades ends with k; 0 is the paper.
func (c *canvas) cells(of [][]int, b box, class string, n int) {
	paths := make([][]byte, n+1)
	for i, line := range of {
		for j := 0; j < len(line); {
			from, s := j, line[j]
			for j < len(line) && line[j] == s {
				j++
			}
			d := append(paths[s], 'M')
			d = append(strconv.AppendInt(d, int64(from), 10), ' ')
			d = append(strconv.AppendInt(d, int64(i), 10), 'h')
			paths[s] = strconv.AppendInt(d, int64(j-from), 10)
		}
	}
	unit := (b.x1 - b.x0) / float64(len(of))
	fmt.Fprintf(&c.out, `<g class="c-cells" stroke-width="%s" transform="translate(%s %s) scale(%s)">`,
		strconv.FormatFloat(1+0.1/unit, 'f', 3, 64), num(b.x0), num(b.y0+unit/2), strconv.FormatFloat(unit, 'f', 4, 64))
	for s, d := range paths {
		if s > 0 && len(d) > 0 {
			fmt.Fprintf(&c.out, `<path class="%s%d" d="%s"/>`, class, s, d)
		}
	}
	c.out.WriteString("</g>")
	c.path("c-axis", outlined(b))
}

// frames draws a frame around each block of several components that is large enough to see.
func frames(c *canvas, blocks [][]int, x0, y0, unit float64) {
	d, at := "", 0
	for _, b := range blocks {
		if side := num(unit * float64(len(b))); len(b) > 1 && unit*float64(len(b)) >= 4 {
			corner := unit * float64(at)
			d += "M" + pair(point{x0 + corner, y0 + corner}) + "h" + side + "v" + side + "h-" + side + "z"
		}
		at += len(b)
	}
	c.path("c-block", d)
}

// legend draws the bar that says what the shades mean.
func legend() Picture {
	c := &canvas{wide: wide}
	const x0, long = 40., 280.
	const each = long / shades
	for s := 1; s <= shades; s++ {
		c.rect(fmt.Sprintf("c-f%d", s), box{x0 + each*float64(s-1), x0 + each*float64(s), 20, 32}, "")
	}
	d := fmt.Sprintf("M%s 20h%sv12h-%sz", num(x0), num(long), num(long))
	for e := weakest; e <= 0; e += 2 {
		x := x0 + each*float64(e-weakest)
		c.text(place{at: point{x, 49}, anchor: middle, room: wide}, words.Power(math.Pow(10, float64(e)), 1))
		d += "M" + num(x) + " 32v4"
	}
	c.path("c-axis", d)
	c.text(place{at: point{wide / 2, 13}, anchor: middle, class: "c-label", room: wide}, "coupling: 0 is none, 1 is the most")
	return c.done(54, "the colours of couplings, from weaker than 10⁻⁸ to 1")
}
