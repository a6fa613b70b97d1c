package cbo

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The domains of this file are projections: Confine moves a point to the nearest of the set.
// Points that are not finite go to some point of it.

// Clamp is a box, Lo_j ≤ x_j ≤ Hi_j.
type Clamp struct{ Box objective.Box }

// Check returns an error unless Box has d dimensions.
func (c Clamp) Check(d int) error { return c.Box.Check(d) }

// Confine clamps the coordinates.
func (c Clamp) Confine(points *mat.Dense, _ []float64) {
	eachRow(points, func(x []float64) {
		for j, v := range x {
			x[j] = min(max(v, c.Box.Lo[j]), c.Box.Hi[j])
		}
	})
}

// Simplex is the set x_j ≥ 0, Σ x_j = 1. The nearest point is max(x_j − θ, 0) with the θ for
// which the sum is 1 (Held, Wolfe and Crowder 1974).
type Simplex struct{}

// Confine projects onto the simplex, in O(d log d) time.
func (Simplex) Confine(points *mat.Dense, scratch []float64) {
	eachRow(points, func(x []float64) {
		sorted := scratch[:len(x)]
		copy(sorted, x)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		sum, theta := 0.0, 0.0
		for k, v := range sorted {
			sum += v
			if t := (sum - 1) / float64(k+1); v > t {
				theta = t
			}
		}
		sum = 0
		for j, v := range x {
			x[j] = max(v-theta, 0)
			sum += x[j]
		}
		for j := range x {
			x[j] /= sum // 1 but for rounding
		}
	})
}

// Sphere is the set ‖x‖ = Radius.
type Sphere struct{ Radius float64 }

// Check returns an error if Radius is bad.
func (s Sphere) Check(int) error { return checkRadius(s.Radius) }

// Confine sets x to Radius·x/‖x‖, and 0 to a point of the first axis.
func (s Sphere) Confine(points *mat.Dense, _ []float64) {
	eachRow(points, func(x []float64) {
		largest := floats.Norm(x, math.Inf(1))
		if largest == 0 {
			largest, x[0] = 1, 1
		}
		floats.Scale(1/largest, x) // so that no square underflows
		floats.Scale(s.Radius/math.Sqrt(kernel.Dot(x, x)), x)
	})
}

// Equalities is the set ⟨a_i, x⟩ = b_i. The rows of A are orthonormal: see NewEqualities.
type Equalities struct {
	A *mat.Dense
	B []float64
}

// NewEqualities returns the set Ax = b. It returns an error if the rows of A are dependent.
func NewEqualities(a *mat.Dense, b []float64) (Equalities, error) {
	m, d := a.Dims()
	if m > d || len(b) != m {
		return Equalities{}, fmt.Errorf("%d equalities with %d right sides in %d dimensions", m, len(b), d)
	}
	e := Equalities{mat.DenseCopyOf(a), slices.Clone(b)}
	for i := range m { // Gram and Schmidt, of the rows with their right sides
		row := e.A.RawRowView(i)
		before := math.Sqrt(kernel.Dot(row, row))
		if before == 0 || math.IsInf(before, 0) {
			return Equalities{}, fmt.Errorf("equality %d has coefficients that are all 0, or too large", i+1)
		}
		for range 2 { // the second time against rounding
			for k := range i {
				part := kernel.Dot(row, e.A.RawRowView(k))
				kernel.AddScaled(row, -part, e.A.RawRowView(k))
				e.B[i] -= float64(part * e.B[k])
			}
		}
		norm := math.Sqrt(kernel.Dot(row, row))
		if !(norm > before*dependent) {
			return Equalities{}, fmt.Errorf("equality %d depends on those before it", i+1)
		}
		for j := range row {
			row[j] /= norm
		}
		e.B[i] /= norm
	}
	return e, nil
}

// dependent is the part of a row below which what is left of it is rounding.
const dependent = 1e-12

// Check returns an error unless there is a right side for each of orthonormal rows of d numbers.
func (e Equalities) Check(d int) error {
	if e.A == nil {
		return fmt.Errorf("equalities without A")
	}
	m, columns := e.A.Dims()
	if columns != d || len(e.B) != m {
		return fmt.Errorf("%d equalities of %d parameters with %d right sides, f has %d parameters", m, columns, len(e.B), d)
	}
	for i := range m {
		for k := range i + 1 {
			want := 0.0
			if k == i {
				want = 1
			}
			if !(math.Abs(kernel.Dot(e.A.RawRowView(i), e.A.RawRowView(k))-want) <= dependent) {
				return fmt.Errorf("equalities whose rows are not orthonormal: make them by NewEqualities")
			}
		}
	}
	return nil
}

// Confine sets x to x − Σ (⟨a_i, x⟩ − b_i) a_i.
func (e Equalities) Confine(points *mat.Dense, _ []float64) {
	eachRow(points, func(x []float64) {
		for i, b := range e.B {
			kernel.AddScaled(x, b-kernel.Dot(e.A.RawRowView(i), x), e.A.RawRowView(i))
		}
	})
}

// Scaled is a set in other units than those of the particles: a particle z is the point
// x_j = c_j + h_j z_j, in which Start is z ∈ [−1, 1]^d. Without a Start, x is z.
type Scaled struct {
	Of    Domain
	Start objective.Box
}

// Check returns an error if Of is bad.
func (s Scaled) Check(d int) error { return Onto{s.Of}.Check(d) }

// Confine confines x.
func (s Scaled) Confine(points *mat.Dense, scratch []float64) {
	scale(points, s.Start, func(c, h, z float64) float64 { return c + float64(h*z) })
	s.Of.Confine(points, scratch)
	scale(points, s.Start, unscaled)
}

// unscaled returns z.
func unscaled(c, h, x float64) float64 { return (x - c) / h }

// scale maps all coordinates, unless there is no start.
func scale(points *mat.Dense, start objective.Box, to func(c, h, v float64) float64) {
	if start.IsZero() {
		return
	}
	eachRow(points, func(x []float64) {
		for j, v := range x {
			h := float64((start.Hi[j] - start.Lo[j]) / 2)
			x[j] = to(start.Lo[j]+h, h, v)
		}
	})
}

// InUnits returns c for particles in whose coordinates start, a box in the user's units, is
// [−1, 1]^d: Scaled sets and Entropy without a Start mean the user's units, and a Clamp or a
// Barrier without a Box is that of [−1, 1]^d.
func (c Config) InUnits(start objective.Box) Config {
	scaled := func(set Domain) Domain {
		if s, ok := set.(Scaled); ok && s.Start.IsZero() {
			s.Start = start
			return s
		}
		return set
	}
	c.Domain = scaled(c.Domain)
	if box, ok := c.Domain.(Clamp); ok && box.Box.IsZero() {
		c.Domain = Clamp{objective.Cube(len(start.Lo), -1, 1)}
	}
	switch m := c.Mirror.(type) {
	case Onto:
		c.Mirror = Onto{scaled(m.Set)}
	case Entropy:
		if m.Start.IsZero() {
			c.Mirror = Entropy{start}
		}
	case Barrier:
		if m.Box.IsZero() {
			c.Mirror = Barrier{objective.Cube(len(start.Lo), -1, 1)}
		}
	}
	return c
}

// eachRow calls do with the rows of points, after those that are not finite were set to those
// nearby that are.
func eachRow(points *mat.Dense, do func(x []float64)) {
	n, _ := points.Dims()
	for i := range n {
		x := points.RawRowView(i)
		for j, v := range x {
			if !(math.Abs(v) <= huge) {
				x[j] = clip(v, huge)
			}
		}
		do(x)
	}
}
