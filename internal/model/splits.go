package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
)

// splits are mixed differences M over the whole middle of the box, for random halves of the
// components, or of blocks of them, held against single differences: after ψ, for x and another point
// z = x+a+b with a along one half and b along the other,
//
//	M = f(z) − f(x+a) − f(x+b) + f(x).
type splits struct {
	s     *sampler
	theta Theta
	part  float64         // of the box, from which points are drawn; 0: its middle
	four  []outer.Corners // f at x, x+a, x+b and z, finite
}

// corners is how many queries a split takes.
const corners = len(outer.Corners{})

const (
	// separates is the coupling up to which a frame separates f.
	separates = 4e-3
	// fewSplits are enough to say no, someSplits are asked at a time, enoughSplits to say yes, and
	// no more than mostSplits are asked.
	fewSplits, someSplits, enoughSplits, mostSplits = 4, 16, fewSplits + someSplits, 80
)

// more asks for n more splits.
func (p *splits) more(f *Frame, blocks [][]int, n int) error {
	s := p.s
	m, part := s.dim(), p.part
	if part == 0 {
		part = middle
	}
	var points [][]float64
	for range n {
		x, err := s.safe(part)
		if err != nil {
			return err
		}
		z, err := s.safe(part)
		if err != nil {
			return err
		}
		step := beside(z, -1, x)
		first := half(s, blocks)
		a := make([]float64, m)
		for _, i := range first {
			kernel.AddScaled(a, kernel.Dot(f.W.RawRowView(i), step), f.U.RawRowView(i))
		}
		b := beside(step, -1, a)
		part := min(s.reach(x, a, 1), s.reach(x, b, 1), s.reach(x, step, 1)) // to stay within the bounds
		for i := range step {
			a[i] *= part
			z[i] = x[i] + float64(part*step[i])
		}
		points = append(points, x, beside(x, 1, a), beside(z, -1, a), z)
	}
	v, err := s.at(points)
	if err != nil {
		return err
	}
	for k := range n {
		four := outer.Corners(v[corners*k : corners*(k+1)])
		if kernel.Finite((four[3] - four[1]) - (four[2] - four[0])) {
			p.four = append(p.four, four)
		}
	}
	return nil
}

// sums returns the means of M², of the squares of single differences, and of the variance of M by noise.
func (p *splits) sums(theta Theta) (mixed, single, noise float64) {
	n := float64(len(p.four))
	for _, four := range p.four {
		var g [4]float64
		for i, z := range four {
			var slope float64
			g[i], slope = theta.Of(z)
			noise += square(slope*p.s.noise(z)) / n
		}
		mixed += square((g[3]-g[1])-(g[2]-g[0])) / n
		single += (square(g[1]-g[0]) + square(g[2]-g[0])) / 2 / n
	}
	return mixed, single, noise
}

// An estimate is the coupling √(ΣM²/ΣD²) without what noise makes of it, with an interval of
// 95 %, and loud is the part of M² that is noise.
type estimate struct{ lo, mid, hi, loud float64 }

// coupling returns the coupling that the splits show.
func (p *splits) coupling() estimate {
	n := float64(len(p.four))
	if n == 0 {
		return estimate{0, math.Inf(1), math.Inf(1), 1}
	}
	m2, d2, v := p.sums(p.theta)
	more, sd := m2-v, float64(math.Sqrt(2/n)*max(m2, v))
	least := m2/(1+2*math.Sqrt(2/n)) - v // about n/χ² of 97.5 % with n degrees of freedom
	root := func(x float64) float64 { return math.Sqrt(max(0, x) / max(d2, tiny)) }
	return estimate{root(least), root(more), root(more + float64(2*sd)), v / max(m2, tiny)}
}
