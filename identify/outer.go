package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// signOfMap is the part of the couplings of Hessians that a map may leave unexplained.
	// With d = 10, of functions under a map a quarter was left or less, and mostly a
	// hundredth; of functions that separate without one mostly 0.8 and more.
	signOfMap = 0.5
	// alternations is how often numbers and coordinates are found in turn.
	alternations = 12
	// foundNumbers is the change of a number, as a part of it, at which that ends.
	foundNumbers = 1e-7
	// mapSplits is at how many squares of values a map is fitted.
	mapSplits = 12
	// clearly is the part of the mixed differences of f that those of ψ(f) may be, and
	// mixedMost what they may be of single ones. A rough frame left 0.02 or less where
	// there is a map, and Ackley's and Griewank's functions 0.15 and more.
	clearly   = 0.5
	mixedMost = 0.06
)

// A mapper looks for an outer map of f, on behalf of a proposer.
type mapper struct{ p *proposer }

// single proposes a frame of ψ(f), for an increasing ψ, if three Hessians show that there
// may be one. If not, or if ψ(f) does not pass a certificate, it returns an empty proposal;
// then everything is as it was before but for the queries.
func (m mapper) single(chain hessian.Chain, without float64) (proposal, error) {
	if m.p.g.psi != nil || m.p.g.mapless || len(chain.Hessians) < 3 {
		return proposal{}, nil
	}
	samples := samplesOf(chain)
	first, left := outer.Numbers([3]outer.Sample(samples))
	if left > signOfMap {
		return proposal{}, nil
	}
	numbers, w, off := m.alternate(samples, first[:])
	if w == nil || off > signOfMap*without {
		return proposal{}, nil
	}
	f, err := frame.New(kernel.Times(w, chain.Base.Dual))
	if err != nil {
		return proposal{}, nil
	}
	squares, err := squaresOf(m.p.g, f, certify.Singles(f.Components()), mapSplits)
	if err != nil {
		return proposal{}, err
	}
	psi := clearing(squares, numbers)
	if psi == nil {
		return proposal{}, nil
	}
	return m.on(mapped(m.p.g, psi, samples), chain)
}

// clearing returns the map that makes the mixed differences at some squares clearly less, and
// small, and agrees with numbers; nil: none does.
func clearing(squares []outer.Corners, numbers []outer.Number) *outer.Map {
	if len(squares) < mapSplits/2 {
		return nil
	}
	return outer.FittedWithin(squares, numbers, min(mixedMost, clearly*outer.Coupling(nil, squares)))
}

// withFirst returns a chain with the Hessian that has whitened its directions as well, which
// was taken along other ones.
func (m mapper) withFirst(chain hessian.Chain) hessian.Chain {
	n := len(m.p.first.Points) - 1
	gradient, slopes := make([]float64, m.p.g.f.Dim()), make([]float64, len(m.p.first.Slopes[n]))
	kernel.MulVecT(gradient, m.p.first.Base.Dual.RawMatrix(), m.p.first.Slopes[n])
	kernel.MulVec(slopes, chain.Base.T.RawMatrix(), gradient)
	chain.Hessians = append(slices.Clip(chain.Hessians), chain.Base.Seen[0])
	chain.Points = append(slices.Clip(chain.Points), m.p.first.Points[n])
	chain.Values = append(slices.Clip(chain.Values), m.p.first.Values[n])
	chain.Slopes = append(slices.Clip(chain.Slopes), slopes)
	return chain
}

// coupled returns the size of what joint diagonalisation has left of a candidate's Hessians;
// an infinite one if there is none.
func coupled(c *candidate) float64 {
	if c == nil || c.couplings == nil {
		return math.Inf(1)
	}
	return mat.Norm(c.couplings, 2)
}

// samplesOf returns what a chain knows of f, along its directions.
func samplesOf(chain hessian.Chain) []outer.Sample {
	samples := make([]outer.Sample, len(chain.Hessians))
	for k, h := range chain.Hessians {
		samples[k] = outer.Sample{Value: chain.Values[k], Gradient: chain.Slopes[k], Hessian: h}
	}
	return samples
}

// alternate finds the numbers c_k of samples and the coordinates W in turn, from given
// numbers.
func (m mapper) alternate(samples []outer.Sample, c []float64) (numbers []outer.Number, w *mat.Dense, off float64) {
	for range alternations {
		without := make([]*mat.Dense, len(samples))
		for k, s := range samples {
			without[k] = s.Without(c[k])
		}
		j, err := jointdiag.Diagonalise(without, m.p.g.other)
		if err != nil {
			return numbers, w, off
		}
		w, off = j.W, mat.Norm(j.Couplings(), 2)
		var inverse mat.Dense
		if err := inverse.Inverse(w); err != nil {
			return nil, nil, 0
		}
		change, most := 0.0, 0.0
		numbers = outer.Given(samples, &inverse, nil)
		for k, n := range numbers {
			change, most = max(change, math.Abs(n.C-c[k])), max(most, math.Abs(n.C))
			c[k] = n.C
		}
		if change <= foundNumbers*most {
			break
		}
	}
	return numbers, w, off
}

// on goes on with the ordinary road on the ground of ψ(f), from Hessians of f. If that leads nowhere, f
// is no sum and ψ(f) is not either: what follows may well be in vain.
func (m mapper) on(g *ground, chain hessian.Chain) (proposal, error) {
	proposed, err := m.onGround(g, chain)
	if proposed.done() || err != nil {
		return proposed, err
	}
	return proposal{}, m.p.doubt(hessian.Forward.Queries(len(m.p.white.Lambda)))
}

// onGround is on without that.
func (m mapper) onGround(g *ground, chain hessian.Chain) (proposal, error) {
	s := &settler{g: g, tolerance: m.p.settler.tolerance, thorough: m.p.settler.thorough, measures: m.p.settler.measures, stage: m.p.stage, doubt: m.p.doubt}
	by := &proposer{g: g, settler: s, pause: m.p.pause, stage: m.p.stage, white: m.p.white, step: m.p.step, exact: m.p.exact, nearTried: true}
	there := under(g.psi, chain)
	by.seen = there.Own()
	c, err := by.diagonal(there.Hessians, there, checkPoints)
	if c == nil || err != nil {
		return proposal{}, err
	}
	var settled *candidate
	switch n := len(there.Hessians); {
	case c.check.worst() <= defaultTolerance:
		settled = c
	case c.check.usable():
		if !g.psi.Exact() && c.check.worst() > s.tolerance {
			if c, err = remapped(s, c); err != nil {
				return proposal{}, err
			}
		}
		settled, _, err = s.settle(c)
	case n >= blocksFrom:
		settled, _, err = by.inBlocks(c, atMost(len(c.spread), n))
	}
	if err != nil {
		return proposal{}, err
	}
	if settled == nil && !m.p.exact && likely(c, uncoupledForward) {
		if err := by.doubt(lengths[0] * hessian.Symmetric.Queries(len(by.white.Lambda))); err != nil {
			return proposal{}, err
		}
		proposed, err := by.symmetric(by.white)
		if err != nil {
			return proposal{}, err
		}
		return m.accept(by, proposed)
	}
	return m.accept(by, proposal{settled: settled})
}

// accept returns a proposal on another ground if it passes a certificate there, and
// otherwise an empty one.
func (m mapper) accept(by *proposer, proposed proposal) (proposal, error) {
	c := proposed.settled
	if c == nil {
		return proposal{}, nil
	}
	k, err := by.g.test(by.settler.tolerance, false).Certify(by.g.ctx, by.g.f, c.frame, c.blocks)
	if err != nil || k.Verdict != certify.Separable && k.Verdict != certify.Blocks {
		return proposal{}, err
	}
	m.p.seen, m.p.settler.best = by.seen, by.settler.best
	proposed.ground = by.g
	return proposed, nil
}

// underMap makes a finding of what was proposed under a map. If it does not pass its certificate
// it looks again for a frame, without a map.
func (w *work) underMap(before Finding, s *span, p proposal, best *candidate) (*Finding, *span, error) {
	found, plain := before, w.g
	w.g = p.ground
	if err := w.conclude(&found, s, p, best); err != nil {
		return found.orBest(best), nil, err
	}
	if v := found.Certificate.Verdict; v == certify.Separable || v == certify.Blocks {
		psi, err := simpler(w.g, &found)
		found.Map = psi.Scaled(1 / w.g.factor)
		return &found, nil, err
	}
	plain.mapless = true
	w.g = plain
	return w.attempt(before, s)
}

// under returns the Hessians, slopes and values of ψ(f), which are ψ′(H − c ggᵀ), ψ′g and ψ,
// from those of f.
func under(psi *outer.Map, chain hessian.Chain) hessian.Chain {
	there := chain
	there.Hessians, there.Values, there.Slopes = nil, nil, nil
	for _, s := range samplesOf(chain) {
		slope, of := psi.Slope(s.Value), s.Without(psi.Number(s.Value))
		of.Scale(slope, of)
		there.Hessians = append(there.Hessians, of)
		there.Values = append(there.Values, psi.Of(s.Value))
		slopes := slices.Clone(s.Gradient)
		floats.Scale(slope, slopes)
		there.Slopes = append(there.Slopes, slopes)
	}
	there.Base.Seen = there.Hessians
	return there
}
