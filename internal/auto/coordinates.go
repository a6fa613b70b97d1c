package auto

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// coordinates are those in which a run searches: y = W̃x, within bounds. They do not change.
type coordinates struct {
	w, u    *mat.Dense    // W̃; row j of u is u_j, along which y_j alone changes
	bounds  objective.Box // of x
	scale   []float64     // the length along u_j over which f_j″ changes by about a third
	singles []int         // the components that are alone in their block
	blocks  [][]int       // the blocks of several components
}

func newCoordinates(found *identify.Finding, bounds objective.Box) *coordinates {
	c := &coordinates{w: found.Frame.Matrix(), u: found.Frame.Directions(), bounds: bounds, scale: found.Scale}
	for _, block := range found.Blocks {
		if len(block) == 1 {
			c.singles = append(c.singles, block[0])
		} else {
			c.blocks = append(c.blocks, block)
		}
	}
	slices.Sort(c.singles) // as profiles are
	if !found.Quadratic {  // whose scales mean nothing
		c.scale = c.even()
	}
	return c
}

// Scales are made even where there are a few to compare, and cut off at a multiple of their median. A survey measures them in
// steps of a factor of four, so that a multiple below four leaves those at the median alone and cuts off the next: at d = 20
// none of Rastrigin's, about a fifth of rastrigin-like's and a quarter of different powers'.
const (
	fewScales  = 5
	mostUneven = 1.5
)

// even returns the scales, none of a single component longer than one and a half times their median, in parts of the range of
// its component: where most components are rough, one that seems smooth was measured at a place where it happens to be.
func (c *coordinates) even() []float64 {
	if len(c.singles) < fewScales {
		return c.scale
	}
	part := make([]float64, len(c.singles))
	for k, j := range c.singles {
		part[k] = c.scale[j] / c.extent(j)
	}
	slices.Sort(part)
	most := mostUneven * part[len(part)/2]
	scale := slices.Clone(c.scale)
	for _, j := range c.singles {
		scale[j] = min(scale[j], most*c.extent(j))
	}
	return scale
}

// finerWidth is the part of its scale that a component has for a scale where a model is made of what is seen along
// it: under noise parabolas are fitted to wells, and within bounds a sum of interpolants is minimised.
const finerWidth = 0.5

// finer makes scales less.
func (c *coordinates) finer() {
	c.scale = slices.Clone(c.scale)
	for j := range c.scale {
		c.scale[j] *= finerWidth
	}
}

// y returns the coordinate ⟨w̃_j, x⟩.
func (c *coordinates) y(j int, x []float64) float64 { return kernel.Dot(c.w.RawRowView(j), x) }

// move adds t u_j to x.
func (c *coordinates) move(x []float64, t float64, j int) {
	kernel.AddScaled(x, t, c.u.RawRowView(j))
}

// extent is how far ⟨w̃_j, x⟩ may be from 0 in the start box [-1, 1]^d, Σ|w_jk|, or three
// standard deviations of it if that is less: of a uniform x it has the variance ‖w_j‖²/3.
func (c *coordinates) extent(j int) float64 {
	w := c.w.RawRowView(j)
	sum := 0.0
	for _, v := range w {
		sum += math.Abs(v)
	}
	return min(sum, math.Sqrt(3*kernel.Dot(w, w)))
}

// room returns how far one may go from x along u_j within the bounds.
func (c *coordinates) room(x []float64, j int) (least, most float64) {
	return limits(c.bounds, x, c.u.RawRowView(j))
}

// span returns the part of a range along component j from x that is within the bounds. The width of its grid is a scale
// of the component, over which the curvature changes by a third: of a sine there are then more than three points in a
// period. If that is too coarse somewhere, an outlook finds out.
func (c *coordinates) span(x []float64, j int, lo, hi float64) line.Range {
	least, most := c.room(x, j)
	return line.Range{Lo: max(lo, least), Hi: min(hi, most), Step: c.scale[j], Least: least, Most: most}
}

// whole returns the range that component j has in the start box, from x, and where x is too.
func (c *coordinates) whole(x []float64, j int) line.Range {
	reach, y, scale := c.extent(j), c.y(j, x), c.scale[j]
	return c.span(x, j, min(-reach-y, -scale), max(reach-y, scale))
}

// all are all blocks, those of one component too.
func (c *coordinates) all() [][]int {
	all := slices.Clone(c.blocks)
	for _, j := range c.singles {
		all = append(all, []int{j})
	}
	return all
}

// pairs calls visit with every two components of a block.
func (c *coordinates) pairs(visit func(i, j int)) {
	for _, block := range c.blocks {
		for k, i := range block {
			for _, j := range block[:k] {
				visit(i, j)
			}
		}
	}
}

// inside returns the point next to x that is so far inside the bounds that steps eps_j u_j, and two of a block
// together, stay within them.
func (c *coordinates) inside(x, eps []float64) []float64 {
	room := make([]float64, len(x))
	longer := func(components ...int) {
		for k := range room {
			sum := 0.0
			for _, j := range components {
				sum += math.Abs(eps[j] * c.u.At(j, k))
			}
			room[k] = max(room[k], sum)
		}
	}
	for j := range eps {
		longer(j)
	}
	c.pairs(func(i, j int) { longer(i, j) })
	base := slices.Clone(x)
	for k, r := range room {
		base[k] = min(max(x[k], c.bounds.Lo[k]+r), max(c.bounds.Hi[k]-r, c.bounds.Lo[k]))
	}
	return base
}

// apart is how far apart two points are along a component at most, in scales.
func (c *coordinates) apart(x, y []float64) float64 {
	most := 0.0
	for j, scale := range c.scale {
		most = max(most, math.Abs(c.y(j, x)-c.y(j, y))/scale)
	}
	return most
}

// far is how far out x is, in ranges that single components have in the start box.
func (c *coordinates) far(x []float64) float64 {
	far := 0.0
	for _, j := range c.singles {
		far = max(far, math.Abs(c.y(j, x))/c.extent(j))
	}
	return far
}

// directions returns the u_j of some components, a row each.
func (c *coordinates) directions(components []int) *mat.Dense {
	_, d := c.u.Dims()
	rows := mat.NewDense(len(components), d, nil)
	for k, j := range components {
		rows.SetRow(k, c.u.RawRowView(j))
	}
	return rows
}

// A shift moves component singles[k] by t, to where f is value.
type shift struct {
	k        int
	t, value float64
}

// ask asks for f where each of some shifts leads from x, and sets their values.
func (c *coordinates) ask(ctx context.Context, f *watched, x []float64, shifts []shift) error {
	values, err := query.Ask(ctx, f, len(shifts), func(i int, row []float64) {
		copy(row, x)
		c.move(row, shifts[i].t, c.singles[shifts[i].k])
	})
	for i, v := range values {
		shifts[i].value = v
	}
	return err
}

// take takes shifts one after another, the lowest first, as far as f falls, which is asked in one batch. It returns where
// that leads to, and how many it took.
func (c *coordinates) take(ctx context.Context, f *watched, from query.Best, shifts []shift) (query.Best, int, error) {
	slices.SortStableFunc(shifts, func(a, b shift) int { return cmp.Compare(a.value, b.value) })
	points, x := make([][]float64, len(shifts)), slices.Clone(from.Point)
	for i, s := range shifts {
		c.move(x, s.t, c.singles[s.k])
		points[i] = slices.Clone(x)
		clamp(points[i], c.bounds)
	}
	values, err := f.ask(ctx, points...)
	taken := 0
	for i, v := range values {
		if v < from.Value {
			from, taken = query.Best{Point: points[i], Value: v}, i+1
		}
	}
	return from, taken, err
}

// limits returns how far one may go from x along u within a box.
func limits(box objective.Box, x, u []float64) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	for k, v := range u {
		lo, hi := (box.Lo[k]-x[k])/v, (box.Hi[k]-x[k])/v
		if v < 0 {
			lo, hi = hi, lo
		}
		if v != 0 {
			least, most = max(least, lo), min(most, hi)
		}
	}
	return min(least, 0), max(most, 0)
}

// clamp moves x to the nearest point of a box.
func clamp(x []float64, box objective.Box) {
	for k, v := range x {
		x[k] = min(max(v, box.Lo[k]), box.Hi[k])
	}
}

// cut reports whether bounds cut off a line from x along a single component within the range that it has in the start box.
func (c *coordinates) cut(x []float64) bool {
	for _, j := range c.singles {
		least, most := c.room(x, j)
		if y := c.y(j, x); y+least > -c.extent(j) || y+most < c.extent(j) {
			return true
		}
	}
	return false
}

// onFace is the distance from a bound, in half-widths of the start box, below which a
// point is on that face: far above rounding, and far below the scale of any component.
const onFace = 1e-6

// interior reports whether x is inside the bounds, on no face.
func interior(bounds objective.Box, x []float64) bool {
	for k, v := range x {
		if v-bounds.Lo[k] < onFace || bounds.Hi[k]-v < onFace {
			return false
		}
	}
	return true
}
