package objective

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// Scale shows f in coordinates z in which a start box is [-1, 1]^d:
//
//	x_i = c_i + h_i z_i,   c the centre of the box, h its half-widths,
//
// so that a radius, a step and a tolerance mean the same for every objective.
// Whatever the rounding, no x outside the bounds is ever asked for.
type Scale struct {
	f            Objective
	centre, half []float64
	bounds       Box
	x            *mat.Dense
}

// NewScale scales f by start, a finite box of its dimension.
func NewScale(f Objective, start, bounds Box) *Scale {
	s := &Scale{f: f, bounds: bounds, x: &mat.Dense{}}
	for i := range start.Lo {
		s.centre = append(s.centre, start.Lo[i]+(start.Hi[i]-start.Lo[i])/2)
		s.half = append(s.half, (start.Hi[i]-start.Lo[i])/2)
	}
	return s
}

// Dim returns the dimension of the objective.
func (s *Scale) Dim() int { return s.f.Dim() }

// FromUnit sets x to the point whose scaled coordinates are z.
func (s *Scale) FromUnit(x, z []float64) {
	for i := range x {
		x[i] = min(max(s.centre[i]+s.half[i]*z[i], s.bounds.Lo[i]), s.bounds.Hi[i])
	}
}

// ToUnit sets z to the scaled coordinates of x.
func (s *Scale) ToUnit(z, x []float64) {
	for i := range z {
		z[i] = (x[i] - s.centre[i]) / s.half[i]
	}
}

// Bounds returns the bounds in scaled coordinates.
func (s *Scale) Bounds() Box {
	b := Cube(s.Dim(), 0, 0)
	s.ToUnit(b.Lo, s.bounds.Lo)
	s.ToUnit(b.Hi, s.bounds.Hi)
	return b
}

// Evaluate evaluates f at the points whose scaled coordinates are given.
func (s *Scale) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n, d := points.Dims()
	if rows, _ := s.x.Dims(); rows != n {
		s.x.Reset()
		s.x.ReuseAs(n, d)
	}
	for i := range n {
		s.FromUnit(s.x.RawRowView(i), points.RawRowView(i))
	}
	return s.f.Evaluate(ctx, s.x, values)
}
