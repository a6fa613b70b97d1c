package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/outer"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// signOfBlocks is the part of the typical coupling of a pair that a map may leave.
	signOfBlocks = 0.1
	// doublings is how often the step to a number c is doubled; it begins at a sixteenth
	// of what would make c|g|² as large as an eigenvalue of the Hessian.
	doublings = 10
	firstPart = 1. / 16
	// golden is how often the range of c is divided by the golden ratio.
	goldenMost = 8
)

// blocksUnderMap proposes a frame of ψ(f), for an increasing ψ, in which it separates into
// blocks, if there are signs of that: five Hessians or more leave the typical pair of
// components far less coupled for the right numbers c_k. (Pairs within blocks stay coupled,
// but they are few.) It looks first for one number for all, since the typical coupling grows
// on both sides of the right one, and then finds numbers and coordinates in turn.
func (p *proposer) blocksUnderMap(chain hessian.Chain) (proposal, error) {
	if p.g.psi != nil || p.mapless {
		return proposal{}, nil
	}
	p.mapless = true
	samples := samplesOf(chain)
	same := func(c float64) []float64 { return slices.Repeat([]float64{c}, len(samples)) }
	plain, _ := p.typical(samples, same(0))
	c := same(p.number(samples, plain))
	left, w := p.typical(samples, c)
	if w == nil || left > plain/2 {
		return proposal{}, nil
	}
	var numbers []outer.Number
	for range alternations {
		var inverse mat.Dense
		if err := inverse.Inverse(w); err != nil {
			return proposal{}, nil
		}
		given := outer.GivenMost(samples, &inverse)
		for k, n := range given {
			c[k] = n.C
		}
		now, next := p.typical(samples, c)
		if next == nil || now >= left && numbers != nil {
			break
		}
		numbers, left, w = given, now, next
	}
	if left > signOfBlocks*plain {
		return proposal{}, nil
	}
	psi := outer.Fitted(nil, numbers)
	if psi == nil {
		return proposal{}, nil
	}
	return p.on(p.g.mapped(psi, samples), chain)
}

// typical returns the median coupling of pairs that joint diagonalisation leaves of samples
// without c_k g_k g_kᵀ, and its coordinates; nil if there are none.
func (p *proposer) typical(samples []outer.Sample, c []float64) (float64, *mat.Dense) {
	without := make([]*mat.Dense, len(samples))
	for k, s := range samples {
		without[k] = s.Without(c[k])
	}
	j, err := jointdiag.Diagonalise(without, p.g.other)
	if err != nil {
		return math.Inf(1), nil
	}
	var all []float64
	couplings := j.Couplings()
	m, _ := couplings.Dims()
	for i := range m {
		all = append(all, couplings.RawRowView(i)[:i]...)
	}
	slices.Sort(all)
	return all[len(all)/2], j.W
}

// number returns the c, the same for all samples, that leaves the typical pair coupled least.
func (p *proposer) number(samples []outer.Sample, plain float64) float64 {
	at := func(c float64) float64 {
		left, _ := p.typical(samples, slices.Repeat([]float64{c}, len(samples)))
		return left
	}
	unit := 0.0
	for _, s := range samples {
		g := floats.Norm(s.Gradient, 2)
		unit += mat.Norm(s.Hessian, 2) / math.Sqrt(float64(len(s.Gradient))) / (g * g) / float64(len(samples))
	}
	step := firstPart * unit
	now, there := plain, at(step)
	if back := at(-step); back < there {
		step, there = -step, back
	}
	if !(there < now) {
		return 0
	}
	before, best := 0.0, step
	for k := 0; k < doublings; k++ {
		next := at(2 * best)
		if next >= there {
			break
		}
		before, best, there = best, 2*best, next
	}
	lo, hi := before, 2*best // the least is between
	const part = 0.381966011250105
	a, b := lo+float64(part*(hi-lo)), hi-float64(part*(hi-lo))
	fa, fb := at(a), at(b)
	for range goldenMost {
		if fa < fb {
			hi, b, fb = b, a, fa
			a = lo + float64(part*(hi-lo))
			fa = at(a)
		} else {
			lo, a, fa = a, b, fb
			b = hi - float64(part*(hi-lo))
			fb = at(b)
		}
	}
	if fa < fb {
		return a
	}
	return b
}
