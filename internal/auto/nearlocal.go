package auto

import (
	"context"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// lastPart is how many queries, for each component, are kept for CMA-ES in the frame: as many
// as it takes in a round well.
const lastPart = 150

// localPart divides the scale of a component, over which its curvature changes by a third,
// for the first step of CMA-ES along it: it is to stay in its well.
const localPart = 8

// local ends the search by CMA-ES in the coordinates of the frame, from the best point and
// with steps in proportion to the scales: Newton steps of single components leave what
// couplings make of the others.
func (n *nearly) local(ctx context.Context, seed uint64) error {
	return n.turn(func() error {
		if n.f.best.Value < n.base.Value {
			n.base = query.Best{Point: slices.Clone(n.f.best.Point), Value: n.f.best.Value}
		}
		_, err := cmaes.Run(ctx, framed{n.f, n.base.Point, n.at.local(n.at.singles), n.at.bounds}, cmaes.Config{Sigma: 1, Seed: seed})
		n.least = min(n.least, n.base.Value)
		return err
	})
}

// local are the directions of some components, with steps in proportion to their scales.
func (at *coordinates) local(components []int) *mat.Dense {
	u := at.directions(components)
	for k, j := range components {
		floats.Scale(at.scale[j]/localPart, u.RawRowView(k))
	}
	return u
}

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
