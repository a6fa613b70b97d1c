package auto

import (
	"context"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// framed is f as a function of z, with x = base + Σ z_k u_k along some directions, brought back into the bounds.
type framed struct {
	f      *watched
	base   []float64
	along  *mat.Dense
	bounds objective.Box
}

// Dim returns the number of directions.
func (f framed) Dim() int { return f.along.RawMatrix().Rows }

// Evaluate evaluates f.
func (f framed) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, _ := points.Dims()
	xs := mat.NewDense(n, f.f.Dim(), nil)
	for i := range n {
		xs.SetRow(i, f.at(points.RawRowView(i)))
	}
	return f.f.Evaluate(ctx, xs, values)
}

// at returns x.
func (f framed) at(z []float64) []float64 {
	x := make([]float64, f.f.Dim())
	kernel.MulVecT(x, f.along.RawMatrix(), z)
	kernel.AddScaled(x, 1, f.base)
	clamp(x, f.bounds)
	return x
}
