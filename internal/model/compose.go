package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// composed draws a point of the box whose components are near those of earlier looks, y, with a
// probability that is proportional to their curvature there. It is the x with the least
// |Wx − y|² + λ|x|², λ as small as the box allows.
func (e *search) composed() []float64 {
	r, c := e.s.widths(e.frame.W), e.curvatures()
	y := make([]float64, e.m)
	for i := range y {
		at := e.looks[drawn(c[i], e.s.random.Float64())].x
		y[i] = kernel.Dot(e.frame.W.RawRowView(i), at) + float64(min(e.not.ell[i], r[i]/4)*e.s.random.NormFloat64())
	}
	wt := transposed(e.frame.W)
	values, vectors := eigen(kernel.Times(wt, e.frame.W))
	if values == nil {
		return e.s.point()
	}
	g := kernel.Times(kernel.Times(vectors, wt), mat.NewDense(e.m, 1, y))
	for lambda := values[e.m-1] * flat; ; lambda *= rungFactor {
		x := make([]float64, e.m)
		for k, v := range values {
			kernel.AddScaled(x, g.At(k, 0)/(v+lambda), vectors.RawRowView(k))
		}
		if e.s.inBox(x, wider) {
			return x
		}
	}
}

// curvatures returns the size of the curvature of each component at each look.
func (e *search) curvatures() [][]float64 {
	all := make([][]float64, e.m)
	eq := e.equations(e.frame, e.theta, e.looks)
	for i := range all {
		all[i] = make([]float64, len(e.looks))
		for k, l := range e.looks {
			all[i][k] = 1
			if eq != nil {
				all[i][k] = math.Abs(eq[k].v.At(i, i))
			}
			if l.kind == long && eq != nil {
				all[i][k] /= square(kernel.Dot(e.frame.W.RawRowView(i), l.steps.RawRowView(i)))
			}
		}
	}
	return all
}

// drawn returns k with a probability that is proportional to w_k, for a uniform number u.
func drawn(w []float64, u float64) int {
	left := u * floats.Sum(w)
	for k, v := range w {
		if left -= v; left < 0 {
			return k
		}
	}
	return len(w) - 1
}
