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
func (s *surveyor) newDesign(c *chart, along []int) (*design, error) {
	g := &design{steps: mat.DenseCopyOf(c.u)}
	var err error
	if g.x, g.y, err = s.place(c); err != nil {
		return nil, err
	}
	g.h = s.steps(c, g.x)
	for i, h := range g.h {
		row := g.steps.RawRowView(i)
		for k := range row {
			row[k] *= h
		}
	}
	return g, s.slopes(c, g, along)
}

// slopes asks for f at x, x+S_i and, for central differences, beside them.
// Components that are not asked for have slopes of NaN.
func (s *surveyor) slopes(c *chart, g *design, along []int) error {
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
	values, err := s.ask(len(plan), func(k int, x []float64) {
		copy(x, g.x)
		p := plan[k]
		if p.i >= 0 {
			kernel.AddScaled(x, 1, g.steps.RawRowView(p.i))
		}
		if p.a >= 0 {
			kernel.AddScaled(x, p.t*c.eps[p.a], c.u.RawRowView(p.a))
		}
	})
	if err != nil {
		return err
	}
	g.f0, values = values[0], values[1:]
	m := len(g.h)
	slope0 := make([]float64, m)
	g.fi, g.c0, g.c1, g.delta = nans(m), make([]float64, m), make([]float64, m), make([][]float64, m)
	for _, a := range along {
		slope0[a], g.c0[a] = (values[0]-values[1])/(2*c.eps[a]), orZero(second(values, g.f0, c.eps[a]))
		values = values[2:]
	}
	for _, i := range along {
		fi := values[0]
		g.fi[i] = fi
		values = values[1:]
		for _, a := range block[i] {
			g.delta[i] = append(g.delta[i], (values[0]-values[1])/(2*c.eps[a])-slope0[a])
			if a == i {
				g.c1[i] = orZero(second(values, fi, c.eps[a]))
			}
			values = values[2:]
		}
	}
	return nil
}

// curvature returns Δ_i/h_i, the mean of f_i″ over the step, for the components
// that were asked for; at says where each stands in its block.
func (g *design) curvature(at []int) []float64 {
	lambda := nans(len(g.h))
	for i, delta := range g.delta {
		if delta != nil {
			lambda[i] = delta[at[i]] / g.h[i]
		}
	}
	return lambda
}

// orZero returns v, or 0 if it is not finite: terms of second order can be done
// without.
func orZero(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
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
func (s *surveyor) mixed(g *design, pairs [][2]int) ([]float64, error) {
	values, err := s.ask(len(pairs), func(k int, x []float64) {
		copy(x, g.x)
		kernel.AddScaled(x, 1, g.steps.RawRowView(pairs[k][0]))
		kernel.AddScaled(x, 1, g.steps.RawRowView(pairs[k][1]))
	})
	for k, p := range pairs {
		if err == nil {
			values[k] = (values[k] - g.fi[p[0]]) - (g.fi[p[1]] - g.f0)
		}
	}
	return values, err
}

// ladder are the steps, in spreads, at which second differences are compared.
var ladder = []float64{1. / 4096, 1. / 1024, 1. / 256, 1. / 64, 1. / 16, 1. / 4, 1}

// measure chooses the steps h_i and ε_i by looking at second differences along
// u_i over a ladder of steps: ε_i is where they agree best with their
// neighbours, h_i the largest up to which they change by less than three tenths.
// It costs 14m + 1 queries at each of some points, of which the shortest steps
// count.
func (s *surveyor) measure(c *chart) error {
	for k := range max(1, s.measures) {
		if err := s.measureAt(c, k == 0); err != nil {
			return err
		}
	}
	c.measured = true
	return nil
}

// measureAt measures at one point, the first or another.
func (s *surveyor) measureAt(c *chart, first bool) error {
	m := len(c.spread)
	x, _, err := s.place(c)
	if err != nil {
		return err
	}
	n := 2 * len(ladder)
	most := make([]float64, m)
	for i := range m {
		most[i] = min(c.spread[i], s.room(x, c.u.RawRowView(i))/2)
	}
	values, err := s.ask(1+m*n, func(k int, row []float64) {
		copy(row, x)
		if k--; k >= 0 {
			i, t := k/n, ladder[k%n/2]*most[k/n]
			if k%2 == 1 {
				t = -t
			}
			kernel.AddScaled(row, t, c.u.RawRowView(i))
		}
	})
	if err != nil {
		return err
	}
	f0, values := values[0], values[1:]
	for i := range m {
		d := make([]float64, len(ladder))
		for k := range d {
			d[k] = second(values[i*n+2*k:], f0, ladder[k]*most[i])
		}
		eps, h := rungs(d, f0, most[i], share*c.curvature[i])
		if first || ladder[eps]*most[i] < c.eps[i] {
			c.eps[i] = ladder[eps] * most[i]
		}
		if first || ladder[h]*most[i] < c.h[i] {
			c.h[i] = ladder[h] * most[i]
		}
	}
	return nil
}

// rungs returns which steps of the ladder serve as ε and h, given the second
// differences d at all of them. Where d is not finite it is passed over.
func rungs(d []float64, f0, spread, least float64) (eps, h int) {
	eps = 1
	calmest := math.Inf(1)
	for k := 1; k+1 < len(d); k++ {
		unrest := math.Abs(d[k]-d[k-1]) + math.Abs(d[k+1]-d[k]) + 0x1p-52*math.Abs(f0)/square(ladder[k]*spread)
		if unrest < calmest {
			eps, calmest = k, unrest
		}
	}
	size := max(math.Abs(d[eps]), least)
	for h = eps; h+1 < len(d) && math.Abs(d[h+1]-d[eps]) <= 0.3*size; h++ {
	}
	return eps, h
}

func square(x float64) float64 { return float64(x * x) }
