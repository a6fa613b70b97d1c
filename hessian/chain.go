package hessian

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Chain is Hessians along the same directions by the same stencil: what joint
// diagonalisation works on. It does not change once it is made; Extended returns a
// longer one.
type Chain struct {
	Base     Basis        // the directions; it has seen the chain's Hessians last. Zero: the coordinates
	Stencil  Stencil      // zero: Symmetric
	Step     float64      // ε, above 0
	Points   [][]float64  // where Hessians were taken
	Hessians []*mat.Dense // T_iᵀHT_j at each point
	Values   []float64    // f at each point
	Slopes   [][]float64  // T_iᵀ∇f at each point
}

// Wasted limits how many Hessians may be spoilt by values that are not finite: not more
// than there are whole ones, and Wasted besides.
const Wasted = 3

// Extended returns the chain with Hessians of f at further points, n in all, which are
// asked for in one batch. A Hessian that values which are not finite have spoilt is taken
// again at another point, along shorter directions; if that happens too often the error is
// ErrNotFinite.
func (c Chain) Extended(ctx context.Context, f objective.Objective, n int, point func() ([]float64, error)) (Chain, error) {
	if !(c.Step > 0) || math.IsInf(c.Step, 1) {
		return c, objective.BadOption("Step", "%v, must be a number above 0", c.Step)
	}
	if c.Base.T == nil {
		c.Base = Orthonormal(kernel.Identity(f.Dim()))
	}
	if c.Stencil.Diagonal == nil {
		c.Stencil = Symmetric
	}
	m, _ := c.Base.T.Dims()
	for failed := 0; len(c.Hessians) < n; {
		points := make([][]float64, n-len(c.Hessians))
		for k := range points {
			var err error
			if points[k], err = point(); err != nil {
				return c, err
			}
		}
		each, err := c.Stencil.estimates(ctx, f, points, c.Base.T, c.Step, allPairs(m))
		if err != nil {
			return c, err
		}
		spoilt := 0
		for _, e := range each {
			if e.Missing > 0 {
				spoilt++
				continue
			}
			c.Points = append(slices.Clip(c.Points), e.Point)
			c.Hessians = append(slices.Clip(c.Hessians), e.Hessian)
			c.Base.Seen = append(slices.Clip(c.Base.Seen), e.Hessian)
			c.Values = append(slices.Clip(c.Values), e.Value)
			c.Slopes = append(slices.Clip(c.Slopes), e.Gradient)
		}
		if failed += spoilt; failed > len(c.Hessians)+Wasted {
			return c, ErrNotFinite
		}
		if spoilt > 0 {
			c = c.shortened()
		}
	}
	return c, nil
}

// Whitened returns the directions of the chain whitened by its own Hessians and those
// that its basis had seen before.
func (c Chain) Whitened() (Basis, error) { return c.Base.Whitened() }

// Own returns the basis with the Hessians of the chain alone.
func (c Chain) Own() Basis {
	own := c.Base
	own.Seen = c.Hessians
	return own
}

// Directions are much longer than most from muchLonger times the median on, and are made
// shorter by the factor quarter, so that a few failures are enough for any length.
const (
	muchLonger = 2
	quarter    = 0.25
)

// shortened returns the chain with directions that are much longer than most a quarter
// as long: along them f may overflow.
func (c Chain) shortened() Chain {
	m, _ := c.Base.T.Dims()
	length := make([]float64, m)
	for i := range m {
		length[i] = floats.Norm(c.Base.T.RawRowView(i), 2)
	}
	median := slices.Sorted(slices.Values(length))[m/2]
	factor := make([]float64, m)
	for i := range m {
		if factor[i] = 1; length[i] > muchLonger*median {
			factor[i] = quarter
		}
	}
	c.Base = c.Base.Scaled(factor)
	c.Hessians = slices.Clone(c.Base.Seen[len(c.Base.Seen)-len(c.Hessians):])
	slopes := make([][]float64, len(c.Slopes))
	for k, s := range c.Slopes {
		slopes[k] = make([]float64, m)
		floats.MulTo(slopes[k], s, factor)
	}
	c.Slopes = slopes
	return c
}
