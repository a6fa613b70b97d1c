package identify

import (
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A chart is a frame that is being drawn, with what was seen in it.
type chart struct {
	frame  *frame.Frame
	u      *mat.Dense // (W̃†)ᵀ: row j is u_j
	blocks [][]int

	sightings []sighting
	spread    []float64 // of y_i over the inner box
	curvature []float64 // the largest |f_i''| seen
	h, eps    []float64 // steps along u_i: large ones, and those for slopes
	measured  bool      // h and eps were, so that f_i″ changes by a third over h_i
	inside    []*mat.Dense
}

// A sighting is f_i″ = lambda[i] seen at the coordinates y.
type sighting struct{ y, lambda []float64 }

// newChart makes the chart of a frame.
func (s *surveyor) newChart(f *frame.Frame) *chart {
	m := f.Components()
	c := &chart{
		frame: f, u: mat.DenseCopyOf(f.Inverse().T()), blocks: singles(m),
		spread: make([]float64, m), curvature: make([]float64, m),
		h: make([]float64, m), eps: make([]float64, m),
	}
	for i := range m {
		c.spread[i] = s.spread(f.Matrix().RawRowView(i))
		c.h[i], c.eps[i] = c.spread[i]/4, c.spread[i]/1000
	}
	return c
}

// latest returns |f_i″| where it was seen last.
func (c *chart) latest() []float64 {
	last := make([]float64, len(c.spread))
	for _, seen := range c.sightings {
		for i, l := range seen.lambda {
			if !math.IsNaN(l) && !math.IsInf(l, 0) {
				last[i] = math.Abs(l)
			}
		}
	}
	return last
}

// withBlocks returns the chart with other blocks.
func (c *chart) withBlocks(blocks [][]int) *chart {
	next := *c
	next.blocks, next.inside = blocks, nil
	return &next
}

// singles returns m blocks of one.
func singles(m int) [][]int {
	blocks := make([][]int, m)
	for i := range m {
		blocks[i] = []int{i}
	}
	return blocks
}

// see takes notice of second derivatives at coordinates y.
func (c *chart) see(y, lambda []float64) {
	c.sightings = append(c.sightings, sighting{y, lambda})
	for i, l := range lambda {
		if a := math.Abs(l); a > c.curvature[i] && !math.IsInf(a, 0) {
			c.curvature[i] = a
		}
	}
}

// redraw returns the chart with W̃ ← (I+E)W̃, nil if that is no frame.
func (s *surveyor) redraw(c *chart, e *mat.Dense) *chart {
	w := mat.DenseCopyOf(c.frame.Matrix())
	kernel.Mul(w.RawMatrix(), 1, e.RawMatrix(), c.frame.Matrix().RawMatrix(), 1)
	f, err := frame.New(w)
	if err != nil {
		return nil
	}
	next := s.newChart(f)
	next.blocks, next.h, next.eps, next.measured = c.blocks, c.h, c.eps, c.measured
	for _, seen := range c.sightings {
		y := make([]float64, len(seen.y))
		kernel.MulVec(y, e.RawMatrix(), seen.y)
		kernel.AddScaled(y, 1, seen.y)
		next.see(y, seen.lambda)
	}
	return next
}

const (
	share  = 0.2 // of the largest curvature that a composed coordinate has at least
	jitter = 0.3 // of it, in spreads
)

// compose returns coordinates at which no component is flat: each y_i is one at
// which f_i″ was seen to be large, with a little jitter.
func (s *surveyor) compose(c *chart) []float64 {
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
		y[i] = good[s.stream.IntN(len(good))] + float64(jitter*c.spread[i]*s.stream.NormFloat64())
	}
	return y
}

// place returns a composed point at which f is finite, and its coordinates: from
// a drawn point x it goes to
//
//	x + tW̃†(y − W̃x)
//
// with y composed and t = 1, or less where the bounds or values that are not
// finite are in the way.
func (s *surveyor) place(c *chart) (x, y []float64, err error) {
	w := c.frame.Matrix().RawMatrix()
	for range attempts {
		x, y = s.draw(), s.compose(c)
		here, step := make([]float64, len(y)), make([]float64, len(x))
		kernel.MulVec(here, w, x)
		kernel.AddScaled(y, -1, here)
		kernel.MulVecT(step, c.u.RawMatrix(), y)
		t := s.reach
		for t >= worthwhile && !s.roomy(x, step, t) {
			t /= 2
		}
		if t >= worthwhile {
			kernel.AddScaled(x, t, step)
		}
		kernel.MulVec(y, w, x)
		if ok, err := s.finite(x); ok || err != nil {
			return x, y, err
		}
		s.reach /= 2
	}
	return nil, nil, ErrNotFinite
}

// worthwhile is the part of the way to a composed point that is worth going.
const worthwhile = 1. / 16

// roomy reports whether x+tv is inside the bounds by a tenth of their width or,
// where they are infinite, of the box's.
func (s *surveyor) roomy(x, v []float64, t float64) bool {
	for k := range x {
		margin := min(s.bounds.Hi[k]-s.bounds.Lo[k], s.box.Hi[k]-s.box.Lo[k]) / 10
		if to := x[k] + float64(t*v[k]); to-s.bounds.Lo[k] < margin || s.bounds.Hi[k]-to < margin {
			return false
		}
	}
	return true
}

// steps draws a large step for every component, of either sign, so short that
// three of them fit between x and the bounds.
func (s *surveyor) steps(c *chart, x []float64) []float64 {
	h := make([]float64, len(c.h))
	for i := range h {
		h[i] = c.h[i] * (0.6 + float64(0.8*s.stream.Float64()))
		if s.stream.IntN(2) == 0 {
			h[i] = -h[i]
		}
		h[i] *= min(1, s.room(x, c.u.RawRowView(i))/(3*math.Abs(h[i])))
	}
	return h
}

// room returns how far one may go from x along v, and back, without leaving the
// bounds, in multiples of v; a little less, so that rounding does not leave them
// either.
func (s *surveyor) room(x, v []float64) float64 {
	most := math.Inf(1)
	for k, u := range v {
		if u != 0 {
			most = min(most, (x[k]-s.bounds.Lo[k])/math.Abs(u), (s.bounds.Hi[k]-x[k])/math.Abs(u))
		}
	}
	return most * (1 - 1e-9)
}

// chart makes the chart of W̃ = wT*, where w diagonalises Hessians along the
// directions of b at some points, with lambda on their diagonals.
// It returns nil if that is no frame.
func (s *surveyor) chart(w, lambda *mat.Dense, b basis, points [][]float64) *chart {
	rows := product(w, b.dual)
	f, err := frame.New(rows)
	if err != nil {
		return nil
	}
	c := s.newChart(f)
	for k, x := range points {
		y, second := make([]float64, len(c.spread)), make([]float64, len(c.spread))
		for i := range y {
			row := rows.RawRowView(i)
			y[i] = kernel.Dot(f.Matrix().RawRowView(i), x)
			second[i] = lambda.At(k, i) * kernel.Dot(row, row)
		}
		c.see(y, second)
	}
	return c
}
