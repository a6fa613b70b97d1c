package auto

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A secant is what slopes have shown of a Hessian H, and its inverse, by the method of Broyden,
// Fletcher, Goldfarb and Shanno. Where f is flatter and flatter on the way down, as |y|^p for
// p > 2 is, all of H becomes smaller and one step shows that along one direction only. So H
// as a whole is made smaller first if the step says so (S. S. Oren and D. G. Luenberger),
//
//	H ← H min(1, ⟨s, y⟩/⟨s, Hs⟩),   H ← H − (Hs)(Hs)ᵀ/⟨s, Hs⟩ + yyᵀ/⟨s, y⟩,
//
// where y is the difference of the slopes at both ends of the step s. On powers from 2 to 6
// that takes a quarter of the steps.
type secant struct{ h, inverse *mat.Dense }

// newSecant is a curvature that is the same along all of d directions.
func newSecant(d int, curvature float64) *secant {
	h, inverse := kernel.Identity(d), kernel.Identity(d)
	h.Scale(curvature, h)
	inverse.Scale(1/curvature, inverse)
	return &secant{h, inverse}
}

// way returns −H⁻¹g.
func (c *secant) way(slope []float64) []float64 {
	way := make([]float64, len(slope))
	kernel.MulVec(way, c.inverse.RawMatrix(), slope)
	for i := range way {
		way[i] = -way[i]
	}
	return way
}

// learn takes a step and the difference of the slopes along it, if f curves upwards there.
func (c *secant) learn(s, y []float64) {
	sy := kernel.Dot(s, y)
	if !(sy > leastCurved*math.Sqrt(kernel.Dot(s, s)*kernel.Dot(y, y))) || math.IsInf(sy, 1) {
		return
	}
	hs, by := make([]float64, len(s)), make([]float64, len(s))
	kernel.MulVec(hs, c.h.RawMatrix(), s)
	if part := sy / kernel.Dot(s, hs); part < 1 {
		c.h.Scale(part, c.h)
		c.inverse.Scale(1/part, c.inverse)
		kernel.MulVec(hs, c.h.RawMatrix(), s)
	}
	kernel.MulVec(by, c.inverse.RawMatrix(), y)
	shs, twice := kernel.Dot(s, hs), (1+kernel.Dot(y, by)/sy)/sy
	for i := range s {
		row := c.h.RawRowView(i)
		kernel.AddScaled(row, -hs[i]/shs, hs)
		kernel.AddScaled(row, y[i]/sy, y)
		// (I − syᵀ/⟨s, y⟩) H⁻¹ (I − ysᵀ/⟨s, y⟩) + ssᵀ/⟨s, y⟩
		row = c.inverse.RawRowView(i)
		kernel.AddScaled(row, -s[i]/sy, by)
		kernel.AddScaled(row, float64(twice*s[i])-by[i]/sy, s)
	}
}

// leastCurved is the cosine between a step and the difference of slopes below which that says
// nothing.
const leastCurved = 1e-10
