package descent

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A turn has the axes along which a slope is measured if they are not those of x: the eigenvectors of B. Where f has noise e a difference
// along an axis with the curvature c is wrong by √(ec). Along the axes of x each has the largest curvatures in it, and a Newton step, which divides
// by the least, is wrong by so much more: f stays some cond(B)·e above its minimum, and not d·e.
type turn struct {
	axes      *mat.Dense // a row each
	curvature []float64
}

// turned returns the axes of B where f has noise, steps have shown a pair for each at least, and none leads out of the bounds; nil: those of x,
// which are the right ones where pairs are told.
func (s *search) turned() *turn {
	d := len(s.x)
	if s.Grain.Kind == objective.NoNoise || s.b == nil || s.Pairs != nil || len(s.pairs) < d {
		return nil
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(d, s.b.RawMatrix().Data), true) {
		return nil
	}
	t := &turn{axes: mat.NewDense(d, d, nil), curvature: eigen.Values(nil)}
	var v mat.Dense
	eigen.VectorsTo(&v)
	t.axes.Copy(v.T())
	for i, x := range s.x {
		if !(t.curvature[0] > 0) || x-coarsest < s.Bounds.Lo[i] || x+coarsest > s.Bounds.Hi[i] || math.IsInf(t.curvature[i], 1) {
			return nil
		}
	}
	return t
}

// along is the part of a slope along an axis.
func (s *search) along(g []float64, i int) float64 {
	if s.turn == nil {
		return g[i]
	}
	return kernel.Dot(s.turn.axes.RawRowView(i), g)
}

// back returns a slope whose parts along the axes are these.
func (t *turn) back(parts []float64) []float64 {
	g := make([]float64, len(parts))
	for i, v := range parts {
		kernel.AddScaled(g, v, t.axes.RawRowView(i))
	}
	return g
}
