package identify

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A design is a point and a large step along every component, with what f does
// there.
type design struct {
	x, y  []float64
	h     []float64
	steps *mat.Dense // S_i = h_i u_i
	f0    float64
	fi    []float64   // f(x+S_i)
	delta [][]float64 // Δ_a along i: ∂_a f(x+S_i) − ∂_a f(x), for a in i's block
	c0    []float64   // f_i'' at y_i
	c1    []float64   // f_i'' at y_i + h_i
}

// newDesign chooses a point and steps, and asks for slopes along the given
// components.
func newDesign(g *ground, c *candidate, along []int) (*design, error) {
	d := &design{steps: mat.DenseCopyOf(c.u)}
	var err error
	if d.x, d.y, err = c.place(g); err != nil {
		return nil, err
	}
	d.h = c.steps(g, d.x)
	for i, h := range d.h {
		row := d.steps.RawRowView(i)
		for k := range row {
			row[k] *= h
		}
	}
	return d, d.slopes(g, c, along)
}

// slopes asks for f at x, x+S_i and, for central differences, beside them.
// Components that are not asked for have slopes of NaN.
func (d *design) slopes(g *ground, c *candidate, along []int) error {
	type place struct {
		i, a int     // -1: none
		t    float64 // of ε_a u_a
	}
	plan := []place{{-1, -1, 0}}
	block := blockOf(c.blocks)
	for _, a := range along {
		plan = append(plan, place{-1, a, 1}, place{-1, a, -1})
	}
	for _, i := range along {
		plan = append(plan, place{i, -1, 0})
		for _, a := range block[i] {
			plan = append(plan, place{i, a, 1}, place{i, a, -1})
		}
	}
	values, err := g.ask(len(plan), func(k int, x []float64) {
		copy(x, d.x)
		p := plan[k]
		if p.i >= 0 {
			kernel.AddScaled(x, 1, d.steps.RawRowView(p.i))
		}
		if p.a >= 0 {
			kernel.AddScaled(x, p.t*c.eps[p.a], c.u.RawRowView(p.a))
		}
	})
	if err != nil {
		return err
	}
	d.f0, values = values[0], values[1:]
	m := len(d.h)
	slope0 := make([]float64, m)
	d.fi, d.c0, d.c1, d.delta = nans(m), make([]float64, m), make([]float64, m), make([][]float64, m)
	for _, a := range along {
		slope0[a], d.c0[a] = (values[0]-values[1])/(2*c.eps[a]), orZero(second(values, d.f0, c.eps[a]))
		values = values[2:]
	}
	for _, i := range along {
		fi := values[0]
		d.fi[i] = fi
		values = values[1:]
		for _, a := range block[i] {
			d.delta[i] = append(d.delta[i], (values[0]-values[1])/(2*c.eps[a])-slope0[a])
			if a == i {
				d.c1[i] = orZero(second(values, fi, c.eps[a]))
			}
			values = values[2:]
		}
	}
	return nil
}

// curvature returns Δ_i/h_i, the mean of f_i″ over the step, for the components
// that were asked for; at says where each stands in its block.
func (d *design) curvature(at []int) []float64 {
	lambda := nans(len(d.h))
	for i, delta := range d.delta {
		if delta != nil {
			lambda[i] = delta[at[i]] / d.h[i]
		}
	}
	return lambda
}

// orZero returns v, or 0 if it is not finite: refinement can do without terms of second
// order.
func orZero(v float64) float64 {
	if !kernel.Finite(v) {
		return 0
	}
	return v
}

// nans returns n NaNs.
func nans(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

// second returns the second difference from the values beside one in the middle.
func second(beside []float64, middle, eps float64) float64 {
	return ((beside[0] - middle) + (beside[1] - middle)) / (eps * eps)
}

// blockOf returns the block of every component.
func blockOf(blocks [][]int) [][]int {
	n := 0
	for _, b := range blocks {
		n += len(b)
	}
	of := make([][]int, n)
	for _, b := range blocks {
		for _, i := range b {
			of[i] = b
		}
	}
	return of
}

// mixed returns f(x+S_i+S_j) − f(x+S_i) − f(x+S_j) + f(x) for every pair.
func (d *design) mixed(g *ground, pairs [][2]int) ([]float64, error) {
	values, err := g.ask(len(pairs), func(k int, x []float64) {
		copy(x, d.x)
		kernel.AddScaled(x, 1, d.steps.RawRowView(pairs[k][0]))
		kernel.AddScaled(x, 1, d.steps.RawRowView(pairs[k][1]))
	})
	for k, p := range pairs {
		if err == nil {
			values[k] = (values[k] - d.fi[p[0]]) - (d.fi[p[1]] - d.f0)
		}
	}
	return values, err
}
