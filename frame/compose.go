package frame

import (
	"context"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Compose returns f in the coordinates of the frame: g̃(s) = f(W̃†s), the paper's section 3.1.
func (f *Frame) Compose(with objective.Objective) objective.Objective {
	return &composed{f: with, frame: f}
}

// composed is g̃.
type composed struct {
	f     objective.Objective
	frame *Frame
	x     *mat.Dense
}

func (g *composed) Dim() int { return g.frame.Components() }

func (g *composed) Evaluate(ctx context.Context, s *mat.Dense, values []float64) error {
	n, _ := s.Dims()
	if g.x == nil || g.x.RawMatrix().Rows != n {
		g.x = mat.NewDense(n, g.f.Dim(), nil)
	}
	g.frame.Points(g.x, s)
	return g.f.Evaluate(ctx, g.x, values)
}
