package parameter

import (
	"context"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Coordinates show an objective of all parameters in coordinates z. They never ask for a
// value outside its limits, not even by rounding.
type Coordinates struct {
	f         objective.Objective
	space     Space
	free      []int
	fixed     []float64     // the fixed values in place, 0 elsewhere
	bounds    objective.Box // in z
	lo, hi    []float64     // the limits, of the free parameters in order, in the user's units
	lattices  []*lattice    // of the free parameters; nil: it has none
	x         *mat.Dense
	knownX, z [][]float64
}

// NewCoordinates shows f in the coordinates of a space that was checked.
func NewCoordinates(f objective.Objective, s Space) *Coordinates {
	c := &Coordinates{f: f, space: s, free: s.Free(), bounds: s.Bounds(), fixed: make([]float64, len(s)), x: &mat.Dense{}}
	for i, p := range s {
		c.fixed[i] = or(p.Fixed, 0)
	}
	for _, i := range c.free {
		lo, hi := limits(s[i])
		c.lo, c.hi = append(c.lo, lo), append(c.hi, hi)
		c.lattices = append(c.lattices, nil)
		if l, ok := latticeOf(s[i]); ok {
			c.lattices[len(c.lattices)-1] = &l
		}
	}
	return c
}

// Dim returns the number of coordinates.
func (c *Coordinates) Dim() int { return len(c.free) }

// Know returns the coordinates z of x and remembers both. From then on a query at exactly z
// evaluates f at x itself.
func (c *Coordinates) Know(x []float64) []float64 {
	z := c.space.Inward(x)
	c.knownX, c.z = append(c.knownX, slices.Clone(x)), append(c.z, z)
	return z
}

// Evaluate evaluates f at the points whose coordinates are given.
func (c *Coordinates) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, _ := points.Dims()
	if rows, _ := c.x.Dims(); rows != n {
		c.x.Reset()
		c.x.ReuseAs(n, len(c.space))
	}
	for i := range n {
		c.outward(c.x.RawRowView(i), points.RawRowView(i))
	}
	return c.f.Evaluate(ctx, c.x, values)
}

// Point returns the point at which f is evaluated for the coordinates z.
func (c *Coordinates) Point(z []float64) []float64 {
	x := make([]float64, len(c.space))
	c.outward(x, z)
	return x
}

// outward sets x to the point whose coordinates are z.
func (c *Coordinates) outward(x, z []float64) {
	for k, known := range c.z {
		if slices.Equal(known, z) {
			copy(x, c.knownX[k])
			return
		}
	}
	copy(x, c.fixed)
	for k, i := range c.free {
		x[i] = c.value(k, z[k])
	}
}

// value returns the value of the k-th free parameter at the coordinate z. At a limit of z
// it is the user's limit exactly, since exp(log(x)) need not be x. With a lattice it is the
// value of the cell that z is in.
func (c *Coordinates) value(k int, z float64) float64 {
	if !(z > c.bounds.Lo[k]) { // NaN too
		return c.lo[k]
	}
	if z >= c.bounds.Hi[k] {
		return c.hi[k]
	}
	if l := c.lattices[k]; l != nil {
		return l.value(l.nearest(z))
	}
	if c.space[c.free[k]].Log {
		z = kernel.ExpOf(z)
	}
	return min(max(z, c.lo[k]), c.hi[k])
}
