package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/identify"
	down "github.com/untwist/untwist/internal/descent"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Where f looks as if it had one minimum, no coordinates are needed to come to it: a descent along directions in which f
// curves alike takes some d/2 + 10 steps of d queries, a part of what a survey or CMA-ES does. It works on f itself, whatever
// the outer map. Nothing shows that the minimum is the lowest, so that the survey goes on, from a better point.

const (
	// plungePart is the part of the least budget of a survey that a plunge gets, and plungeShare that of the whole budget.
	plungePart  = 2
	plungeShare = 8
	// plungeSteps is how many steps it takes as a rule, and one more for every two dimensions.
	plungeSteps = 10
)

// plunge goes down from where f looks as if it had one minimum, until that gains nothing, or crawls. It does so once,
// and not within bounds.
func (r *race) plunge(ctx context.Context, basin *identify.Basin) error {
	if r.plunged || r.bounded {
		return nil
	}
	r.plunged = true
	f, m := r.fallback.run.f, basin.Along.RawMatrix().Rows
	free := objective.Cube(f.Dim(), math.Inf(-1), math.Inf(1))
	f.begin(straightDown, m*(m/2+plungeSteps))
	most := f.queries + min(identify.Least(m)/plungePart, r.budget/plungeShare)
	var kept []float64
	_, err := down.Minimize(ctx, &until{framed{f, basin.Point, basin.Along, free}, func() bool { return f.queries >= most || crawls(kept, m) }}, down.Config{
		Start: make([]float64, m), Value: math.NaN(), Bounds: objective.Cube(m, math.Inf(-1), math.Inf(1)), Curvature: basin.Curvature,
		Grain: f.grain, Known: true, Abreast: r.fallback.run.task.Parallel > 1,
		Kept: func(part float64) { kept = append(kept, part) },
		Reach: func(step []float64) float64 { // in half-diagonals of the start box
			x := make([]float64, f.Dim())
			kernel.MulVecT(x, basin.Along.RawMatrix(), step)
			return math.Sqrt(kernel.Dot(x, x) / float64(len(x)))
		},
	})
	if err == errEnough {
		err = nil
	}
	return err
}

// framed is f as a function of z, with x = base + Σ z_k u_k along some directions, brought back into the bounds.
type framed struct {
	f      *watched
	base   []float64
	along  *mat.Dense
	bounds objective.Box
}

func (f framed) Dim() int { return f.along.RawMatrix().Rows }

func (f framed) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, _ := points.Dims()
	xs := mat.NewDense(n, f.f.Dim(), nil)
	for i := range n {
		xs.SetRow(i, f.at(points.RawRowView(i)))
	}
	return f.f.Evaluate(ctx, xs, values)
}

func (f framed) at(z []float64) []float64 {
	x := make([]float64, f.f.Dim())
	kernel.MulVecT(x, f.along.RawMatrix(), z)
	kernel.AddScaled(x, 1, f.base)
	clamp(x, f.bounds)
	return x
}
