package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// signOfBlocks is the part of the typical coupling of a pair that a map may leave.
	signOfBlocks = 0.1
	// goldenMost is how often the range of c is divided by the golden ratio.
	goldenMost = 8
)

// blocks proposes a frame of ψ(f), for an increasing ψ, in which it separates into
// blocks, if there are signs of that: five Hessians or more leave the typical pair of
// components far less coupled for the right numbers c_k. (Pairs within blocks stay coupled,
// but they are few.) It looks first for one number that stands for all, since the typical
// coupling grows on both sides of the right one, and then finds numbers and coordinates in
// turn.
func (m mapper) blocks(chain hessian.Chain) (proposal, error) {
	if m.p.g.psi != nil || m.p.g.mapless || m.p.mapless {
		return proposal{}, nil
	}
	m.p.mapless = true
	samples := samplesOf(chain)
	plain, _ := m.typical(samples, make([]float64, len(samples)))
	c := m.numbers(samples, plain)
	left, w := m.typical(samples, c)
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
		now, next := m.typical(samples, c)
		if next == nil || now >= left && numbers != nil {
			break
		}
		numbers, left, w = given, now, next
	}
	if left > signOfBlocks*plain {
		return proposal{}, nil
	}
	for k, n := range numbers {
		c[k] = n.C
	}
	squares, err := m.squares(samples, c, chain.Base)
	if err != nil {
		return proposal{}, err
	}
	psi := clearing(squares, numbers)
	if psi == nil {
		return proposal{}, nil
	}
	return m.on(mapped(m.p.g, psi, samples), chain)
}

// squares asks for f at squares along the blocks that joint diagonalisation of samples without
// c_k g_k g_kᵀ shows; nil if it shows none.
func (m mapper) squares(samples []outer.Sample, c []float64, base hessian.Basis) ([]outer.Corners, error) {
	without := make([]*mat.Dense, len(samples))
	for k, s := range samples {
		without[k] = s.Without(c[k])
	}
	j, err := jointdiag.Diagonalise(without, m.p.g.other)
	if err != nil {
		return nil, nil
	}
	blocks := jointdiag.Blocks(j.Couplings(), splitCoarse)
	f, err := frame.New(kernel.Times(j.W, base.Dual))
	if err != nil || len(blocks) < 2 {
		return nil, nil
	}
	return squaresOf(m.p.g, f, blocks, mapSplits)
}

// typical returns the median coupling of pairs that joint diagonalisation leaves of samples
// without c_k g_k g_kᵀ, and its coordinates; nil if there are none.
func (m mapper) typical(samples []outer.Sample, c []float64) (float64, *mat.Dense) {
	without := make([]*mat.Dense, len(samples))
	for k, s := range samples {
		without[k] = s.Without(c[k])
	}
	j, err := jointdiag.Diagonalise(without, m.p.g.other)
	if err != nil {
		return math.Inf(1), nil
	}
	var all []float64
	couplings := j.Couplings()
	n, _ := couplings.Dims()
	for i := range n {
		all = append(all, couplings.RawRowView(i)[:i]...)
	}
	slices.Sort(all)
	return all[len(all)/2], j.W
}

// numbers returns the numbers c_k that leave the typical pair coupled least, of those that are
// the same for all samples, as for a logarithm, and those that are as 1/f, as for powers of f.
func (m mapper) numbers(samples []outer.Sample, plain float64) []float64 {
	unit, mean := 0.0, 0.0
	for _, s := range samples {
		unit += mat.Norm(s.Hessian, 2) / floats.Dot(s.Gradient, s.Gradient) / math.Sqrt(float64(len(s.Gradient)*len(samples)*len(samples)))
		mean += s.Value / float64(len(samples))
	}
	best, least := make([]float64, len(samples)), plain
	for _, like := range []func(f float64) float64{func(float64) float64 { return 1 }, func(f float64) float64 { return mean / f }} {
		at := func(a float64) float64 {
			c := make([]float64, len(samples))
			for k, s := range samples {
				c[k] = a * unit * like(s.Value)
			}
			left, _ := m.typical(samples, c)
			if left < least {
				best, least = c, left
			}
			return left
		}
		from, lowest := 0.0, plain
		for _, a := range firstParts {
			for _, sign := range []float64{-1, 1} {
				if left := at(sign * a); left < lowest {
					from, lowest = sign*a, left
				}
			}
		}
		if lowest < promising*plain {
			golden(at, from/apartParts, from*apartParts)
		}
	}
	return best
}

// firstParts are the numbers that are tried first, in units of what makes c|g|² as large as an
// eigenvalue of the Hessian, each apartParts times the one before.
var firstParts = []float64{1. / 27, 1. / 9, 1. / 3, 1, 3, 9}

const apartParts = 3

// promising is the part of the typical coupling that is left at the nearest of these, if there is a
// right number: it is off by a factor of √3 at most, and what is left grows in proportion.
const promising = 0.8

// golden looks for the least value of a function by the golden section.
func golden(at func(float64) float64, lo, hi float64) {
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
}
