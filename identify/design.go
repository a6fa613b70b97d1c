package identify

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
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
	m     []float64   // M_ij of the pairs
}

// newDesigns chooses n points with steps.
func newDesigns(g *ground, c *candidate, n int) ([]*design, error) {
	xs, ys, err := c.places(g, n)
	if err != nil {
		return nil, err
	}
	designs := make([]*design, n)
	for k := range designs {
		d := &design{x: xs[k], y: ys[k], h: c.steps(g, xs[k]), steps: mat.DenseCopyOf(c.u)}
		for i, h := range d.h {
			floats.Scale(h, d.steps.RawRowView(i))
		}
		designs[k] = d
	}
	return designs, nil
}

// measure asks for slopes along the components of some groups and for the mixed differences
// of their pairs, for all designs in one batch.
func measure(g *ground, c *candidate, designs []*design, groups []*group) error {
	along, pairs, block := involved(groups), pairsOf(groups), blockOf(c.blocks)
	plan := planOf(along, block, pairs)
	values, err := g.ask(len(designs)*len(plan), func(k int, x []float64) {
		d, at := designs[k/len(plan)], plan[k%len(plan)]
		copy(x, d.x)
		for _, i := range []int{at.i, at.j} {
			if i >= 0 {
				kernel.AddScaled(x, 1, d.steps.RawRowView(i))
			}
		}
		if at.a >= 0 {
			kernel.AddScaled(x, at.t*c.eps[at.a], c.u.RawRowView(at.a))
		}
	})
	if err != nil {
		return err
	}
	for k, d := range designs {
		d.mixed(d.slopes(c, along, block, values[k*len(plan):(k+1)*len(plan)]), pairs)
	}
	return nil
}

// asDesigns returns the Hessians of which the frame was made as designs of steps 1: then
//
//	M_ij = u_iᵀHu_j   and   Δ_a^(i) = u_aᵀHu_i.
func asDesigns(c *candidate, groups []*group) []*design {
	var all []*design
	pairs, block := pairsOf(groups), blockOf(c.blocks)
	for _, h := range c.seen.InCoordinates(c.frame) {
		m := len(c.spread)
		d := &design{h: make([]float64, m), c0: make([]float64, m), delta: make([][]float64, m), m: make([]float64, len(pairs))}
		for i := range m {
			d.h[i], d.c0[i] = 1, h.At(i, i)
			for _, a := range block[i] {
				d.delta[i] = append(d.delta[i], h.At(i, a))
			}
		}
		d.c1 = d.c0
		for k, p := range pairs {
			d.m[k] = h.At(p[0], p[1])
		}
		all = append(all, d)
	}
	return all
}

// A spot is the place x + S_i + S_j + tε_a u_a of a design; -1: none.
type spot struct {
	i, j, a int
	t       float64
}

// planOf returns the places of a design: x, x+S_i and, for central differences, beside
// them, for the components that are asked for; then x+S_i+S_j for the pairs.
func planOf(along []int, block [][]int, pairs [][2]int) []spot {
	plan := []spot{{-1, -1, -1, 0}}
	for _, a := range along {
		plan = append(plan, spot{-1, -1, a, 1}, spot{-1, -1, a, -1})
	}
	for _, i := range along {
		plan = append(plan, spot{i, -1, -1, 0})
		for _, a := range block[i] {
			plan = append(plan, spot{i, -1, a, 1}, spot{i, -1, a, -1})
		}
	}
	for _, p := range pairs {
		plan = append(plan, spot{p[0], p[1], -1, 0})
	}
	return plan
}

// slopes takes slopes from the first values, and returns the others. Components that were
// not asked for have slopes of NaN.
func (d *design) slopes(c *candidate, along []int, block [][]int, values []float64) []float64 {
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
	return values
}

// mixed makes f(x+S_i+S_j) − f(x+S_i) − f(x+S_j) + f(x) of the first of these, for every
// pair.
func (d *design) mixed(values []float64, pairs [][2]int) {
	for k, p := range pairs {
		values[k] = (values[k] - d.fi[p[0]]) - (d.fi[p[1]] - d.f0)
	}
	d.m = values
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
