package identify

import (
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// WellConditioned is the condition number of a Hessian up to which it is exact enough to
// show the frame, if there is one. For Rosenbrock's, Ackley's and Griewank's functions it
// was from 1.5 to 400 with orthogonal mixing matrices, and from 3,000 to 700,000 with the
// paper's (d = 10 and 40).
const WellConditioned = 1e3

const (
	// rough is the typical error from which on two such Hessians do not come near a
	// frame. On the suite (d = 10 and 20), functions that separate stood at 0.023 or
	// less, blocks at 0.16 and more, and functions of neither kind at 0.026 to 0.85.
	rough = 1. / 30
	// blatant is the coupling of a frame that is not merely inexact. On the suite (d =
	// 10 and 20), frames of functions that separate stood at 0.2 or less before
	// refinement, and those of functions that do not at 0.53 and more.
	blatant = 0.3
)

// hopeless interrupts the survey, and reports that it did, if two well-conditioned
// Hessians lead to a frame that is far from separating f: the first, which has whitened
// the directions, and another one. It returns the chain with the other one.
func (p *proposer) hopeless(chain hessian.Chain, white hessian.Basis) (hessian.Chain, bool, error) {
	m := len(white.Lambda)
	if p.pause == nil || white.Lambda[m-1] > WellConditioned*white.Lambda[0] {
		return chain, false, nil
	}
	chain, err := p.g.extended(chain, 1)
	if err != nil {
		return chain, false, err
	}
	c, err := p.diagonal([]*mat.Dense{chain.Hessians[0], chain.Base.Seen[0]}, chain, 1)
	if c == nil || err != nil || c.check.typical() <= rough {
		return chain, false, err
	}
	return chain, true, p.interrupt(white)
}

// hesitate interrupts the survey if a frame that looks right near points is wrong
// from one end of the box to the other, so that refinement would be in vain.
func (p *proposer) hesitate(c *candidate, white hessian.Basis) error {
	if p.pause == nil {
		return nil
	}
	k, err := p.g.test(0, false).Splits(p.g.ctx, p.g.f, c.frame, c.blocks)
	if err != nil || k.Coupling <= blatant {
		return err
	}
	return p.interrupt(white)
}

// interrupt calls Survey.Pause if the directions span all of space.
func (p *proposer) interrupt(white hessian.Basis) error {
	if m, d := white.T.Dims(); p.pause == nil || m < d {
		return nil
	}
	inverse := kernel.Times(mat.DenseCopyOf(white.T.T()), white.T) // TᵀT = VΛ⁻¹Vᵀ
	if err := p.pause(kernel.Symmetrised(inverse, 1)); err != nil {
		return err
	}
	p.stage(hessians)
	return nil
}
