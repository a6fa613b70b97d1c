package identify

import (
	"github.com/untwist/untwist/hessian"
)

// A singleRoad proposes frames where f computes in single precision. Forward differences with steps
// of h leave σ/h² + h, which is ∛σ at best: 1e-5 of f in double precision, and a hundredth in
// single precision. Symmetric ones leave σ/h² + h², √σ at best: a thousandth then. So all Hessians
// but the first are symmetric.
type singleRoad struct{ *proposer }

// Hessians are taken along directions that others have whitened, fewChains times before it is in
// doubt whether f separates, and up to mostSingle times while they come near a frame.
const fewChains, mostSingle = 2, 4

// find proposes frames from Hessians of which errors may hide the smaller eigenvalues. So one only
// shows directions along which to take others, and where two or three of these do not serve they
// show directions for further ones. If none serve it returns the directions that the last have
// whitened.
func (p singleRoad) find(white hessian.Basis) (proposal, hessian.Basis, error) {
	p.white = white
	near := false
	for k := 0; k <= fewChains || near && k <= mostSingle; k++ {
		even, err := evened(p.g, white, p.step)
		if err != nil {
			return proposal{}, white, err
		}
		chain, err := p.g.chain(hessian.Symmetric, even)
		if err != nil {
			return proposal{}, white, err
		}
		if k == 0 {
			chain, err = p.g.extended(chain, 1)
		} else {
			var settled, c *candidate
			if settled, c, chain, err = p.pair(chain); settled != nil {
				return proposal{settled: settled}, white, err
			}
			near = c != nil && c.check.typical() <= rough
		}
		if err != nil {
			return proposal{}, white, err
		}
		if white, err = whitened(chain); err != nil {
			return proposal{}, white, err
		}
		p.step, p.white = chain.Step, white
	}
	return proposal{}, white, p.doubt(lengths[0] * hessian.Symmetric.Queries(len(white.Lambda)))
}

// pair proposes frames from two and three Hessians of a chain, and settles them; nil: they do not
// serve. It returns the last one, too.
func (p singleRoad) pair(chain hessian.Chain) (settled, c *candidate, of hessian.Chain, err error) {
	if c, chain, err = p.diagonalise(chain, 2); err != nil {
		return nil, c, chain, err
	}
	if settled, err = p.settler.early(c); settled != nil || err != nil {
		return settled, c, chain, err
	}
	if c, chain, err = p.diagonalise(chain, lengths[0]); c == nil || err != nil || !c.check.usable() {
		return nil, c, chain, err
	}
	settled, _, err = p.settler.settle(c)
	return settled, c, chain, err
}
