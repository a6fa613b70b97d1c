package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A chain of Hessians is what joint diagonalisation works on: all along the
// same directions, by the same stencil.
type chain struct {
	base    basis
	stencil hessian.Stencil
	step    float64
	points  [][]float64
	hessian []*mat.Dense
	value   float64 // f at the last point
}

// newChain chooses the step for a stencil along the directions of base, and
// shortens those that would leave the bounds.
func (s *surveyor) newChain(st hessian.Stencil, base basis) (*chain, error) {
	step, err := s.step(st, base.t)
	if err != nil {
		return nil, err
	}
	m, _ := base.t.Dims()
	factor := make([]float64, m)
	for i := range m {
		factor[i] = 1
		for k, v := range base.t.RawRowView(i) {
			gap := min(s.inner.Lo[k]-s.bounds.Lo[k], s.bounds.Hi[k]-s.inner.Hi[k])
			if 2*step*math.Abs(v) > gap {
				factor[i] = min(factor[i], gap/(2*step*math.Abs(v)))
			}
		}
	}
	return &chain{base: base.scaled(factor), stencil: st, step: step}, nil
}

// wasted is how many more Hessians may be spoilt by values that are not finite
// than are not.
const wasted = 3

// extend adds Hessians at random points until there are n.
func (s *surveyor) extend(c *chain, n int) error {
	for failed := 0; len(c.hessian) < n; {
		x, err := s.point()
		if err != nil {
			return err
		}
		e, err := c.stencil.At(s.ctx, s.f, x, c.base.t, c.step)
		if err != nil {
			return err
		}
		if e.Missing > 0 {
			if failed++; failed > len(c.hessian)+wasted {
				return ErrNotFinite
			}
			c.shorten()
			continue
		}
		c.points, c.hessian = append(c.points, x), append(c.hessian, e.Hessian)
		c.base.seen = append(c.base.seen, e.Hessian)
		c.value = e.Value
	}
	return nil
}

// shorten makes directions that are much longer than most a quarter as long:
// along them f may overflow.
func (c *chain) shorten() {
	m, _ := c.base.t.Dims()
	length := make([]float64, m)
	for i := range m {
		length[i] = floats.Norm(c.base.t.RawRowView(i), 2)
	}
	median := slices.Sorted(slices.Values(length))[m/2]
	factor := make([]float64, m)
	for i := range m {
		if factor[i] = 1; length[i] > 2*median {
			factor[i] = 0.25
		}
	}
	c.base = c.base.scaled(factor)
	c.hessian = slices.Clone(c.base.seen[len(c.base.seen)-len(c.hessian):])
}
