// Own minimises with an identifier and a strategy of its own.
//
// Corners, the identifier, asks for the mixed differences f(x+hᵢ+hⱼ) − f(x+hᵢ) − f(x+hⱼ) + f(x)
// around two points. These are two Hessians, of which package jointdiag makes a frame. Grid, the
// strategy, tries even points along one coordinate of the frame after another, and then again
// closer together.
//
// Run it:
//
//	go run ./examples/own
//
// It prints:
//
//	0.000 after 714 queries
//	[0.467 0.467 0.467 0.467]
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// Corners finds a frame from mixed differences with this step.
type Corners struct{ Step float64 }

func (Corners) Name() string { return "corners" }

func (c Corners) Identify(ctx context.Context, f objective.Objective, r identify.Request) (*identify.Finding, error) {
	random := rand.New(rand.NewPCG(r.Seed, 1))
	var hessians []*mat.Dense
	for range 2 {
		x := make([]float64, f.Dim())
		r.Box.Draw(x, random)
		h, err := c.hessian(ctx, f, x)
		if err != nil {
			return identify.Known(nil, nil), err
		}
		hessians = append(hessians, h)
	}
	joint, err := jointdiag.Diagonalise(hessians, random)
	if err != nil {
		return identify.Known(nil, nil), err
	}
	w, err := frame.New(joint.W)
	return identify.Known(w, nil), err
}

// hessian asks for f at x, x+hᵢ and x+hᵢ+hⱼ, all in one batch.
func (c Corners) hessian(ctx context.Context, f objective.Objective, x []float64) (*mat.Dense, error) {
	d := len(x)
	points := mat.NewDense(1+d+d*d, d, nil)
	for k := range 1 + d + d*d {
		row := points.RawRowView(k)
		copy(row, x)
		if k > 0 {
			row[(k-1)%d] += c.Step
		}
		if k > d {
			row[(k-1)/d-1] += c.Step
		}
	}
	values := make([]float64, 1+d+d*d)
	if err := f.Evaluate(ctx, points, values); err != nil {
		return nil, err
	}
	h := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			h.Set(i, j, values[1+(i+1)*d+j]-values[1+i]-values[1+j]+values[0])
		}
	}
	return h, nil
}

// Grid tries this many points along each coordinate of a frame.
type Grid struct{ Points int }

func (Grid) Name() string { return "grid" }

func (s Grid) Minimize(ctx context.Context, f objective.Objective, t strategy.Task) (out strategy.Outcome, err error) {
	if t, err = t.Complete(f.Dim()); err != nil {
		return out, err
	}
	found, err := identify.Find(ctx, t.Identifier, f, t.Request())
	if err != nil {
		return out, err
	}
	out.Learnt = &strategy.Learnt{Finding: found}
	g := found.Frame.Compose(f) // s ↦ f(W̃†s)
	best := make([]float64, g.Dim())
	for width := 2.0; width > 1e-4; width /= 4 {
		for j := range best {
			points, values := mat.NewDense(s.Points, g.Dim(), nil), make([]float64, s.Points)
			for k := range s.Points {
				points.SetRow(k, best)
				points.Set(k, j, best[j]+width*(2*float64(k)/float64(s.Points-1)-1))
			}
			if err := g.Evaluate(ctx, points, values); err != nil {
				return out, err
			}
			least := 0
			for k, v := range values {
				if v < values[least] {
					least = k
				}
			}
			best[j] = points.At(least, j)
		}
	}
	out.Status = objective.Converged
	return out, nil
}

func main() {
	f := untwist.Func(4, func(x []float64) (sum float64) {
		for i := range x {
			y := x[i] + x[(i+1)%4]/2 - 0.7
			sum += y*y + 1 - math.Cos(3*y)
		}
		return sum
	})
	r, err := untwist.Minimize(context.Background(), f, untwist.Options{Strategy: Grid{21}, Identifier: Corners{0.01}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f after %d queries\n", r.Value, r.Queries)
	fmt.Printf("%.3f\n", r.Point)
}
