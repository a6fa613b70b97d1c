package identify

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

const (
	// share is the part of the largest curvature that a composed coordinate has at
	// least: so much that no component is flat, and so little that there is a choice.
	share = 0.2
	// jitter keeps composed points apart, in spreads. Designs at the same coordinates
	// would make singular equations.
	jitter = 0.3
)

// compose returns coordinates at which no component is flat: each y_i is one at
// which f_i″ was seen to be large, with a little jitter.
func (c *candidate) compose(g *ground) []float64 {
	y := make([]float64, len(c.spread))
	for i := range y {
		var good []float64
		for _, seen := range c.sightings {
			if math.Abs(seen.lambda[i]) >= share*c.curvature[i] {
				good = append(good, seen.y[i])
			}
		}
		if len(good) == 0 {
			good = []float64{0}
		}
		y[i] = good[g.random.IntN(len(good))] + float64(jitter*c.spread[i]*g.random.NormFloat64())
	}
	return y
}

// worthwhile is the part of the way to a composed point that is worth going: the way is
// halved at most four times.
const worthwhile = 1. / 16

// composed returns a composed point, and its coordinates: from a drawn point x it goes to
//
//	x + tW̃†(y − W̃x)
//
// with y composed and t = 1, or less where the bounds or values that are not finite are
// in the way.
func (c *candidate) composed(g *ground) (x, y []float64) {
	w := c.frame.Matrix().RawMatrix()
	x, y = g.draw(), c.compose(g)
	here, step := make([]float64, len(y)), make([]float64, len(x))
	kernel.MulVec(here, w, x)
	kernel.AddScaled(y, -1, here)
	kernel.MulVecT(step, c.u.RawMatrix(), y)
	t := g.reach
	for t >= worthwhile && !g.roomy(x, step, t) {
		t /= 2
	}
	if t >= worthwhile {
		kernel.AddScaled(x, t, step)
	}
	kernel.MulVec(y, w, x)
	return x, y
}

// follow takes notice of the value of f at a composed point, and reports whether it is
// finite. If not, the next ones are nearer to drawn points.
func follow(g *ground, value float64) bool {
	if kernel.Finite(value) {
		return true
	}
	g.fails = true
	g.reach /= 2
	return false
}

// safely returns n composed points. Once f has failed somewhere it looks first whether it is
// finite there.
func safely(g *ground, c *candidate, n int) ([][]float64, error) {
	if g.fails {
		xs, _, err := c.places(g, n)
		return xs, err
	}
	xs := make([][]float64, n)
	for k := range xs {
		xs[k], _ = c.composed(g)
	}
	return xs, nil
}

// places returns n composed points at which f is finite, and their coordinates. They are
// asked for where m²/2 queries and more depend on each.
func (c *candidate) places(g *ground, n int) (xs, ys [][]float64, err error) {
	for failed := 0; n > 0; {
		x, y := make([][]float64, n), make([][]float64, n)
		for k := range x {
			x[k], y[k] = c.composed(g)
		}
		values, err := g.ask(n, func(k int, row []float64) { copy(row, x[k]) })
		if err != nil {
			return nil, nil, err
		}
		for k, v := range values {
			if !follow(g, v) {
				failed++
				continue
			}
			xs, ys = append(xs, x[k]), append(ys, y[k])
			n--
		}
		if failed >= attempts && n > 0 {
			return nil, nil, ErrNotFinite
		}
	}
	return xs, ys, nil
}

// Steps are drawn from shortStep to shortStep + variety times h_i, h_i on average, so that
// designs differ. Three fit between a point and the bounds: a step, a step along another
// component, and short ones beside them.
const (
	shortStep = 0.6
	variety   = 0.8
	mustFit   = 3
)

// steps draws a large step for every component, of either sign, so short that mustFit of
// them fit between x and the bounds.
func (c *candidate) steps(g *ground, x []float64) []float64 {
	h := make([]float64, len(c.h))
	for i := range h {
		h[i] = c.h[i] * (shortStep + float64(variety*g.random.Float64()))
		if g.random.IntN(2) == 0 {
			h[i] = -h[i]
		}
		h[i] *= min(1, g.room(x, c.u.RawRowView(i))/(mustFit*math.Abs(h[i])))
	}
	return h
}
