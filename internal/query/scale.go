package query

import (
	"context"
	"slices"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Scale shows f in coordinates z in which a start box is [-1, 1]^d:
//
//	x_i = c_i + h_i z_i,   c the centre of the box, h its half-widths,
//
// so that a radius, a step and a tolerance mean the same for every objective.
// It never asks for an x outside the bounds, not even by rounding.
type Scale struct {
	wrapped
	centre, half []float64
	bounds       objective.Box
	known        map[float64][]knownPoint // by the first coordinate of z
	x            *mat.Dense
}

// A knownPoint is a point that came from outside, and its coordinates z.
type knownPoint struct{ x, z []float64 }

// NewScale scales f by start, a finite box of its dimension.
func NewScale(f objective.Objective, start, bounds objective.Box) *Scale {
	s := &Scale{wrapped: wrapped{f}, bounds: bounds, known: map[float64][]knownPoint{}, x: &mat.Dense{}}
	for i := range start.Lo {
		s.centre = append(s.centre, start.Lo[i]+float64((start.Hi[i]-start.Lo[i])/2))
		s.half = append(s.half, (start.Hi[i]-start.Lo[i])/2)
	}
	return s
}

// Know returns the scaled coordinates z of x and remembers both. From then on a
// query at exactly z evaluates f at x itself. Without Know, rounding could turn x
// into one of its neighbours.
func (s *Scale) Know(x []float64) []float64 {
	z := make([]float64, len(x))
	s.toUnit(z, x)
	s.known[z[0]] = append(s.known[z[0]], knownPoint{slices.Clone(x), z})
	return z
}

// Point returns the point at which f is evaluated for the scaled coordinates z.
func (s *Scale) Point(z []float64) []float64 {
	x := make([]float64, len(z))
	s.fromUnit(x, z)
	return x
}

// fromUnit sets x to the point whose scaled coordinates are z.
func (s *Scale) fromUnit(x, z []float64) {
	if len(s.known) > 0 {
		for _, p := range s.known[z[0]] {
			if slices.Equal(p.z, z) {
				copy(x, p.x)
				return
			}
		}
	}
	d := len(x)
	z, c, h, lo, hi := z[:d], s.centre[:d], s.half[:d], s.bounds.Lo[:d], s.bounds.Hi[:d]
	for i := range x {
		v := c[i] + float64(h[i]*z[i])
		if !(v >= lo[i]) { // NaN too
			v = lo[i]
		}
		if v > hi[i] {
			v = hi[i]
		}
		x[i] = v
	}
}

// toUnit sets z to the scaled coordinates of x.
func (s *Scale) toUnit(z, x []float64) {
	for i := range z {
		z[i] = (x[i] - s.centre[i]) / s.half[i]
	}
}

// Units returns the centre c and the half-widths h of the start box. They must not be changed.
func (s *Scale) Units() (centre, half []float64) { return s.centre, s.half }

// Bounds returns the bounds in scaled coordinates.
func (s *Scale) Bounds() objective.Box {
	b := objective.Cube(s.Dim(), 0, 0)
	s.toUnit(b.Lo, s.bounds.Lo)
	s.toUnit(b.Hi, s.bounds.Hi)
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
		s.fromUnit(s.x.RawRowView(i), points.RawRowView(i))
	}
	return s.f.Evaluate(ctx, s.x, values)
}
