package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A candidate is a frame that may be the right one, with its blocks, what was seen in
// its coordinates, and the evidence for it. It does not change once it is made: a method
// that learns more about it returns another candidate.
type candidate struct {
	frame  *frame.Frame
	u      *mat.Dense // (W̃†)ᵀ: row j is u_j
	blocks [][]int

	sightings []sighting
	spread    []float64     // of y_i over the inner box
	curvature []float64     // the largest |f_i''| seen
	h, eps    []float64     // steps along u_i: large ones, and those for slopes
	measured  bool          // whether h and eps were measured, so that f_i″ changes by a third over h_i
	inside    []*mat.Dense  // Hessians within the blocks; nil: they were not asked for
	couplings *mat.Dense    // what joint diagonalisation has left; nil: there was none
	seen      hessian.Basis // the Hessians that it diagonalised, along their directions
	check     check         // the evidence
}

// A sighting is f_i″ = lambda[i] seen at the coordinates y.
type sighting struct{ y, lambda []float64 }

// The steps of a candidate before they are measured, as parts of the spread.
const (
	firstLarge = 4    // divides it for h
	firstShort = 1000 // divides it for ε
)

// newCandidate makes the candidate of a frame, of which nothing is known yet.
func newCandidate(g *ground, f *frame.Frame, blocks [][]int) *candidate {
	m := f.Components()
	c := &candidate{
		frame: f, u: f.Directions(), blocks: blocks,
		spread: make([]float64, m), curvature: make([]float64, m),
		h: make([]float64, m), eps: make([]float64, m),
	}
	for i := range m {
		c.spread[i] = g.spread(f.Matrix().RawRowView(i))
		c.h[i], c.eps[i] = c.spread[i]/firstLarge, c.spread[i]/firstShort
	}
	return c
}

// fromHessians makes the candidate W̃ = wT*, where w diagonalises Hessians along the
// directions of b at some points, with lambda on their diagonals. It returns nil if
// that is no frame.
func fromHessians(g *ground, w, lambda *mat.Dense, b hessian.Basis, points [][]float64) *candidate {
	rows := kernel.Times(w, b.Dual)
	f, err := frame.New(rows)
	if err != nil {
		return nil
	}
	c := newCandidate(g, f, certify.Singles(f.Components()))
	for k, x := range points {
		y, second := make([]float64, len(c.spread)), make([]float64, len(c.spread))
		for i := range y {
			row := rows.RawRowView(i)
			y[i] = kernel.Dot(f.Matrix().RawRowView(i), x)
			second[i] = lambda.At(k, i) * kernel.Dot(row, row)
		}
		c = c.seeing(y, second)
	}
	return c
}

// same reports whether two candidates are the same frame with the same blocks. One may
// know more than the other.
func (c *candidate) same(other *candidate) bool {
	return c.frame == other.frame && slices.EqualFunc(c.blocks, other.blocks, slices.Equal)
}

// seeing returns the candidate with second derivatives at coordinates y.
func (c *candidate) seeing(y, lambda []float64) *candidate {
	next := *c
	next.sightings = append(slices.Clip(c.sightings), sighting{y, lambda})
	next.curvature = slices.Clone(c.curvature)
	for i, l := range lambda {
		if a := math.Abs(l); a > next.curvature[i] && !math.IsInf(a, 0) {
			next.curvature[i] = a
		}
	}
	return &next
}

// latest returns |f_i″| where it was seen last.
func (c *candidate) latest() []float64 {
	last := make([]float64, len(c.spread))
	for _, seen := range c.sightings {
		for i, l := range seen.lambda {
			if kernel.Finite(l) {
				last[i] = math.Abs(l)
			}
		}
	}
	return last
}

// withBlocks returns the same frame with other blocks, which have not been checked.
func (c *candidate) withBlocks(blocks [][]int) *candidate {
	next := *c
	next.blocks, next.inside, next.check = blocks, nil, check{}
	return &next
}

// redrawn returns the candidate with W̃ ← (I+E)W̃, nil if that is no frame. It has not
// been checked.
func (c *candidate) redrawn(g *ground, e *mat.Dense) *candidate {
	w := mat.DenseCopyOf(c.frame.Matrix())
	kernel.Mul(w.RawMatrix(), 1, e.RawMatrix(), c.frame.Matrix().RawMatrix(), 1)
	f, err := frame.New(w)
	if err != nil {
		return nil
	}
	next := newCandidate(g, f, c.blocks)
	next.h, next.eps, next.measured, next.seen = c.h, c.eps, c.measured, c.seen
	for _, seen := range c.sightings {
		y := make([]float64, len(seen.y))
		kernel.MulVec(y, e.RawMatrix(), seen.y)
		kernel.AddScaled(y, 1, seen.y)
		next = next.seeing(y, seen.lambda)
	}
	return next
}

// looks is at how many random points something is looked at that one point may miss.
const looks = 3

// looked returns the candidate with second derivatives at random points.
func (c *candidate) looked(g *ground) (*candidate, error) {
	points, err := g.points(looks)
	if err != nil {
		return nil, err
	}
	each := 1 + 2*len(c.eps)
	all, err := g.ask(looks*each, func(k int, row []float64) {
		copy(row, points[k/each])
		if k %= each; k > 0 {
			kernel.AddScaled(row, [2]float64{-1, 1}[k%2]*c.eps[(k-1)/2], c.u.RawRowView((k-1)/2))
		}
	})
	if err != nil {
		return nil, err
	}
	for n, x := range points {
		values := all[n*each:]
		y, lambda := make([]float64, len(c.eps)), make([]float64, len(c.eps))
		kernel.MulVec(y, c.frame.Matrix().RawMatrix(), x)
		for i := range lambda {
			lambda[i] = second(values[1+2*i:], values[0], c.eps[i])
		}
		c = c.seeing(y, lambda)
	}
	return c, nil
}
