package identify

import (
	"errors"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/jointdiag"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A proposer proposes frames from Hessians, more and more of them, and has them
// settled.
type proposer struct {
	g       *ground
	settler *settler
	pause   func(Doubt) error // nil: none
	stage   func(objective.Stage)
	white   hessian.Basis // the directions that the last Hessians have whitened
	seen    hessian.Basis // the last Hessians, for the record
	step    float64       // with which they were taken
	first   hessian.Chain // with the Hessian that the directions have seen first

	elsewhere func() error // looks where components curve, if few points see them; nil: does not
	unseen    bool         // the last frame has components that few points see
	exact     bool         // the last Hessians are by symmetric differences
	doubted   bool         // there was a doubt
	told      bool         // it was looked whether f has one minimum
	lined     bool         // f was asked along a line down a bowl
	looked    bool         // it was looked elsewhere, or there was no need to
	nearTried bool         // it was looked whether f nearly separates
	hollow    bool         // many exact Hessians have shown neither a frame nor blocks
	budget    int          // of the survey and what follows; 0: enough

	chain    hessian.Chain // the last one
	unmapped bool          // a refinement that made no progress has shown no map
	instead  proposal      // what it led to instead, under a map or with couplings
	mapless  bool          // a map with blocks was looked for already
}

// A proposal is what Hessians have led to: a candidate whose blocks are apart, or a
// smaller span in which to look instead, or neither.
type proposal struct {
	settled   *candidate
	quadratic bool // f has the same Hessian everywhere
	smaller   *span
	ground    *ground   // on which it was settled; nil: that of the survey
	near      *nearness // f separates but for couplings
	found     *Finding  // what the model has found and certified
}

// done reports whether the proposal ends the search.
func (p proposal) done() bool {
	return p.settled != nil || p.smaller != nil || p.near != nil || p.found != nil
}

// diagonalise extends a chain to n Hessians and offers the frame that diagonalises
// them; nil if they are singular.
func (p *proposer) diagonalise(chain hessian.Chain, n int) (*candidate, hessian.Chain, error) {
	chain, err := p.g.extended(chain, n)
	if err != nil {
		return nil, chain, err
	}
	p.seen, p.chain = chain.Own(), chain
	points := min(n-1, checkPoints) // two Hessians diagonalise in any case: one look is enough
	c, err := p.diagonal(chain.Hessians, chain, points)
	return c, chain, err
}

// diagonal offers the frame that diagonalises Hessians along the directions of a chain,
// checked at some points; nil if there is none.
func (p *proposer) diagonal(hessians []*mat.Dense, chain hessian.Chain, points int) (*candidate, error) {
	j, err := jointdiag.Diagonalise(hessians, p.g.random)
	if errors.Is(err, jointdiag.ErrSingular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := fromHessians(p.g, j.W, j.Lambda, chain.Base, chain.Points)
	if c == nil {
		return nil, nil
	}
	coupled := *c
	coupled.couplings, coupled.seen = j.Couplings(), chain.Base
	coupled.seen.Seen = hessians
	p.unseen = unseen(&coupled)
	return p.settler.offer(&coupled, points)
}

// forwards is how many Hessians by forward differences there are at most, after the first
// one: with three there is something that joint diagonalisation may fail to do.
const forwards = 3

// forward proposes frames from two and three Hessians by forward differences. If they
// do not serve it returns directions that they have whitened.
func (p *proposer) forward(white hessian.Basis) (proposal, hessian.Basis, error) {
	p.white = white
	even, err := evened(p.g, white, p.step)
	if err != nil {
		return proposal{}, white, err
	}
	chain, err := p.g.chain(hessian.Forward, even)
	if err != nil {
		return proposal{}, white, err
	}
	p.step = chain.Step
	proposed, c := proposal{}, (*candidate)(nil)
	if proposed, chain, err = p.hopeless(chain, white); proposed.done() || err != nil {
		return proposed, white, err
	}
	if c, chain, err = p.diagonalise(chain, 2); err != nil {
		return proposal{}, white, err
	}
	if c != nil && c.check.worst() <= defaultTolerance { // nothing to refine
		return proposal{settled: c}, white, nil
	}
	if c != nil {
		if settled, err := p.settler.early(c); settled != nil || err != nil {
			return proposal{settled: settled}, white, err
		}
	}
	if c, chain, err = p.diagonalise(chain, forwards); err != nil {
		return proposal{}, white, err
	}
	return forwarded(p, c, chain, white)
}

// forwarded proposes what a candidate from three and more Hessians by forward differences leads to, by
// itself, under a map, or with couplings. If it does not serve it returns directions that they have
// whitened.
func forwarded(p *proposer, c *candidate, chain hessian.Chain, white hessian.Basis) (proposal, hessian.Basis, error) {
	if c != nil && c.check.worst() <= defaultTolerance { // nothing to refine
		return proposal{settled: c}, white, nil
	}
	if mapped, err := (mapper{p}).single(chain, coupled(c)); mapped.done() || err != nil {
		return mapped, white, err
	}
	if c != nil && c.check.usable() {
		if proposed, err := (mapper{p}).settled(c, chain); proposed.done() || err != nil {
			return proposed, white, err
		}
		if near, err := (nearRoad{p}).find(white, false, true); near.done() || err != nil {
			return near, white, err
		}
	}
	white, err := whitened(chain)
	if err != nil {
		return proposal{}, white, err
	}
	p.white = white
	proposed, err := nearRoad{p}.unsettled(c, white)
	return proposed, white, err
}

// lengths are how many Hessians by symmetric differences are tried.
var lengths = []int{3, 4, 5, 6, 8}

// blocksFrom is from how many Hessians on blocks are looked for: with three or four joint
// diagonalisation still finds something that looks diagonal.
const blocksFrom = 5

// atMost is the size up to which blocks are believed that n Hessians show: an eighth of all
// m components, and four in any case. Larger ones are what errors of the Hessians look like
// too; they are believed if all else fails.
func atMost(m, n int) int {
	if n == lengths[len(lengths)-1] {
		return m - 1
	}
	return max(4, m/8)
}

// otherwise looks in exact Hessians for an outer map, and for fewer components.
func otherwise(p *proposer, chain hessian.Chain, c *candidate) (proposal, error) {
	if mapped, err := (mapper{p}).single(chain, coupled(c)); mapped.done() || err != nil {
		return mapped, err
	}
	smaller, err := p.reconsider(chain)
	return proposal{smaller: smaller}, err
}

// symmetric proposes frames from three to eight Hessians by symmetric differences, and
// looks for blocks from five on.
func (p *proposer) symmetric(white hessian.Basis) (proposal, error) {
	even, err := evened(p.g, white, p.step)
	if err != nil {
		return proposal{}, err
	}
	chain, err := p.g.chain(hessian.Symmetric, even)
	if err != nil {
		return proposal{}, err
	}
	p.exact = true
	m, _ := white.T.Dims()
	c, chain, err := p.diagonalise(chain, 2)
	if err != nil {
		return proposal{}, err
	}
	if settled, err := p.settler.early(c); settled != nil || err != nil {
		return proposal{settled: settled}, err
	}
	enough := p.g.psi != nil || p.hollow // three are, for single components under a map
	for k, n := range lengths {
		if p.settler.lost() || enough && k > 0 {
			break
		}
		if k > 0 {
			if err := p.before(c, (n-lengths[k-1])*hessian.Symmetric.Queries(m)); err != nil {
				return proposal{}, err
			}
		}
		if c, chain, err = p.diagonalise(chain, n); err != nil {
			return proposal{}, err
		}
		if c != nil && c.check.usable() {
			settled, now, err := p.settler.settle(c)
			if settled != nil || err != nil {
				return proposal{settled: settled}, err
			}
			c = now
			if near, err := (nearRoad{p}).find(white, false, true); near.done() || err != nil {
				return near, err
			}
		}
		if n == lengths[0] {
			if other, err := otherwise(p, chain, c); other.done() || err != nil {
				return other, err
			}
		}
		if c == nil || n < blocksFrom || p.settler.lost() {
			continue
		}
		var settled *candidate
		if settled, c, err = p.inBlocks(c, atMost(m, n)); settled != nil || err != nil {
			return proposal{settled: settled}, err
		}
		if mapped, err := (mapper{p}).blocks(chain); mapped.done() || err != nil {
			return mapped, err
		}
	}
	return nearRoad{p}.find(white, true, true)
}

// inBlocks looks for blocks of at most so many components and settles them. It returns the
// candidate that has them too, nil if there are none.
func (p *proposer) inBlocks(c *candidate, most int) (settled, grouped *candidate, err error) {
	if grouped, err = p.settler.regroup(c, most); grouped == nil || err != nil {
		return nil, grouped, err
	}
	settled, _, err = p.settler.settle(grouped)
	return settled, grouped, err
}
