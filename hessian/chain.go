package hessian

import (
	"context"
	"slices"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Chain is Hessians along the same directions by the same stencil: what joint
// diagonalisation works on. It does not change once it is made; Extended returns a
// longer one.
type Chain struct {
	Base     Basis // of which the last Hessians seen are those of the chain
	Stencil  Stencil
	Step     float64
	Points   [][]float64
	Hessians []*mat.Dense
	Value    float64 // f at the last point
}

// Wasted is how many more Hessians may be spoilt by values that are not finite
// than are not.
const Wasted = 3

// Extended returns the chain with Hessians of f at further points, n in all. A Hessian
// that values which are not finite have spoilt is taken again at another point, along
// shorter directions; if that happens too often the error is ErrNotFinite.
func (c Chain) Extended(ctx context.Context, f objective.Objective, n int, point func() ([]float64, error)) (Chain, error) {
	for failed := 0; len(c.Hessians) < n; {
		x, err := point()
		if err != nil {
			return c, err
		}
		e, err := c.Stencil.At(ctx, f, x, c.Base.T, c.Step)
		if err != nil {
			return c, err
		}
		if e.Missing > 0 {
			if failed++; failed > len(c.Hessians)+Wasted {
				return c, ErrNotFinite
			}
			c = c.shortened()
			continue
		}
		c.Points = append(slices.Clip(c.Points), x)
		c.Hessians = append(slices.Clip(c.Hessians), e.Hessian)
		c.Base.Seen = append(slices.Clip(c.Base.Seen), e.Hessian)
		c.Value = e.Value
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
		if factor[i] = 1; length[i] > 2*median {
			factor[i] = 0.25
		}
	}
	c.Base = c.Base.Scaled(factor)
	c.Hessians = slices.Clone(c.Base.Seen[len(c.Base.Seen)-len(c.Hessians):])
	return c
}
