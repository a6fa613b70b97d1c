package identify

import (
	"math"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// nearlyAll is the part of the way to the bounds that is gone at most, so that rounding
// does not lead out of them.
const nearlyAll = 1 - 1e-9

// room returns how far one may go from x along v, and back, without leaving the
// bounds, in multiples of v.
func (g *ground) room(x, v []float64) float64 {
	most := math.Inf(1)
	for k, u := range v {
		if u != 0 {
			most = min(most, (x[k]-g.bounds.Lo[k])/math.Abs(u), (g.bounds.Hi[k]-x[k])/math.Abs(u))
		}
	}
	return most * nearlyAll
}

// roomFor is into how many parts the room to the bounds is divided for a step, so that
// something else can be added to it: a short step, or the next one.
const roomFor = 2

// stencilReach is how many steps away from its point a stencil asks: along one direction
// two, or one along each of two.
const stencilReach = 2

// furthest returns the largest t ≤ 1 for which stencilReach steps of t times each
// direction, from its point, stay within the bounds.
func (g *ground) furthest(points, directions *mat.Dense) float64 {
	most := 1.0
	n, _ := directions.Dims()
	for i := range n {
		most = min(most, g.room(points.RawRowView(i), directions.RawRowView(i))/stencilReach)
	}
	return most
}

// margin divides a width: so far a composed point keeps away from the bounds, so that
// there is room for steps.
const margin = 10

// roomy reports whether x+tv is inside the bounds by a tenth of their width or,
// where they are infinite, of the box's.
func (g *ground) roomy(x, v []float64, t float64) bool {
	for k := range x {
		away := min(g.bounds.Hi[k]-g.bounds.Lo[k], g.box.Hi[k]-g.box.Lo[k]) / margin
		if to := x[k] + float64(t*v[k]); to-g.bounds.Lo[k] < away || g.bounds.Hi[k]-to < away {
			return false
		}
	}
	return true
}

// stretch scales v so that it goes as far as the inner box is wide, but not
// outside the bounds either way.
func (g *ground) stretch(x, v []float64) {
	length, width := 0.0, 0.0
	for k, u := range v {
		half := (g.inner.Hi[k] - g.inner.Lo[k]) / 2
		length = math.FMA(u, u, length)
		width = math.FMA(half, half, width)
	}
	scale := min(math.Sqrt(width/length), g.room(x, v))
	for k := range v {
		v[k] *= scale
	}
}

// spread returns the standard deviation of ⟨w, x⟩ over the inner box.
func (g *ground) spread(w []float64) float64 {
	if g.valley != nil {
		return g.valley.spread(w)
	}
	sum := 0.0
	for k, v := range w {
		half := v * (g.inner.Hi[k] - g.inner.Lo[k]) / 2
		sum = math.FMA(half, half, sum)
	}
	return math.Sqrt(sum / 3) // a number that is uniform on [-a, a] has the variance a²/3
}

// halfWidth returns half the width of a box, in the mean square.
func halfWidth(box objective.Box) float64 {
	sum := 0.0
	for k := range box.Lo {
		half := (box.Hi[k] - box.Lo[k]) / 2
		sum = math.FMA(half, half, sum)
	}
	return math.Sqrt(sum / float64(len(box.Lo)))
}
