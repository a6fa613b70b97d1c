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
// show directions for further ones, unless a map is the reason. If none serve it returns the
// directions that the last have whitened.
func (p singleRoad) find(white hessian.Basis) (proposal, hessian.Basis, error) {
	p.white = white
	var c *candidate
	for k := 0; k <= fewChains || c != nil && c.check.typical() <= rough && k <= mostSingle; k++ {
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
			var proposed proposal
			if proposed, c, chain, err = p.few(chain); proposed.done() {
				return proposed, white, err
			}
		}
		if err != nil {
			return proposal{}, white, err
		}
		if white, err = whitened(chain); err != nil {
			return proposal{}, white, err
		}
		p.step, p.white, p.exact = chain.Step, white, true
	}
	return proposal{}, white, p.before(c, lengths[0]*hessian.Symmetric.Queries(len(white.Lambda)))
}

// few proposes frames from two and three Hessians of a chain, and settles them. It returns the last
// one, too, and the chain.
func (p singleRoad) few(chain hessian.Chain) (proposed proposal, c *candidate, of hessian.Chain, err error) {
	if c, chain, err = p.diagonalise(chain, 2); err != nil {
		return proposal{}, c, chain, err
	}
	if proposed.settled, err = p.settler.early(c); proposed.done() || err != nil {
		return proposed, c, chain, err
	}
	if c, chain, err = p.diagonalise(chain, lengths[0]); err != nil {
		return proposal{}, c, chain, err
	}
	if c != nil && c.check.usable() {
		proposed.settled, _, err = p.settler.settle(c)
	} else {
		proposed, err = (mapper{p.proposer}).single(chain, coupled(c))
	}
	return proposed, c, chain, err
}
