package identify

import (
	"errors"
	"math"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/jointdiag"
)

// A nearRoad looks for a frame in which f separates but for couplings,
//
//	f(x) = Σ f_j(y_j) + Σ c_ij(y_i, y_j).
//
// There Hessians are nearly diagonal, and what couplings add beside the diagonals differs
// from point to point. So the frame that diagonalises K Hessians best is wrong by about 1/√K
// of what one that diagonalises two is wrong by. K is doubled until the frame is known well
// enough. Points are drawn from nearly the whole box: most f_j curve more outside than in the
// middle, and couplings do not.
//
// How well the frame is known is seen from two halves of the Hessians, each of which makes
// a frame of its own. The error of the mean of two independent estimates is half of the
// distance between them. Where f does not separate at all the halves have nothing to do
// with each other.
type nearRoad struct{ p *proposer }

// A nearness is a frame in which f nearly separates.
type nearness struct {
	c         *candidate
	unsure    float64 // the error of a typical row
	separates bool    // f separates in it, by a certificate
	round     bool    // minima are round in it
	vain      bool    // f does not even nearly separate in it, nor will it in a better one
}

const (
	fewestNear = 4  // Hessians at first, enough if halves of them show the same frame,
	enoughNear = 8  // those that may be enough to tell halves that differ from a frame,
	mostNear   = 32 // and at most

	// nearShare is the part of a budget, an eighth, that may be spent on them.
	nearShare = 8

	// widely is the part of the box in which their points are drawn.
	widely = 0.9

	// nearEnough is how well the frame is to be known: as well as a search needs.
	nearEnough = 5e-3
	// agree is by how much halves may differ: rows are to be nearer to parallel than to
	// orthogonal. Of frames that have nothing to do with each other they are 0.8 to 1 apart.
	agree = math.Sqrt2 / 2

	// leastNear is the number of components from which on couplings can be few of all pairs,
	// and manyNear that from which on blocks of four are few of them, too: with fewer, blocks
	// are looked for first.
	leastNear = 8
	manyNear  = 16

	// loosely is the coupling that joint diagonalisation leaves, |M_ij|/√|M_ii M_jj|, up
	// to which a pair counts as nearly apart: pairs of Rosenbrock's function stood at 0.2
	// and more.
	loosely = 0.15
)

// errNearly ends a refinement that makes no progress, where f is known to separate nearly if
// not exactly.
var errNearly = errors.New("identify: f may nearly separate")

// errNotNearly says that there is no frame in which f nearly separates.
var errNotNearly = errors.New("identify: f does not nearly separate")

// stalled is called where a refinement makes no progress. It looks whether f nearly separates,
// and if not it is a doubt like others. The refinement goes on as if nobody had looked. Where
// there are blocks it looks when these have failed.
func (n nearRoad) stalled(queries int) error {
	if now := n.p.settler.now; now != nil && largest(now.blocks) > 1 {
		return n.p.doubt(queries)
	}
	proposed, err := n.find(n.p.white, false, true)
	if err != nil {
		return err
	}
	if proposed.done() {
		n.p.instead = proposed
		return errInstead
	}
	return n.p.doubt(queries)
}

// unsettled is called where Hessians by forward differences have not shown the frame, of which
// c is the last. It looks whether f nearly separates, and elsewhere, before and after a doubt.
func (n nearRoad) unsettled(c *candidate, white hessian.Basis) (proposal, error) {
	if likely(c, uncoupledForward) {
		return proposal{}, n.p.aside()
	}
	if near, err := n.inDoubt(white); near.done() || err != nil {
		return near, err
	}
	if err := n.p.doubt(lengths[0] * hessian.Symmetric.Queries(len(white.Lambda))); err != nil {
		return proposal{}, err
	}
	if err := n.p.aside(); err != nil {
		return proposal{}, err
	}
	return n.inDoubt(white) // if it had to wait until then
}

// inDoubt looks for such a frame where three Hessians have shown nothing, if there are so many
// components that blocks would have been likely.
func (n nearRoad) inDoubt(white hessian.Basis) (proposal, error) {
	if len(white.Lambda) < manyNear {
		return proposal{}, nil
	}
	return n.find(white, true, false)
}

// find looks for a frame in which f nearly separates, or separates after all. It does so once,
// but not before it was looked elsewhere if few points see the components.
// Pause is called before, in doubt or for an even share. A frame that is to be sure has no
// tightly coupled pairs.
func (n nearRoad) find(white hessian.Basis, inDoubt, toBeSure bool) (proposal, error) {
	p := n.p
	m := len(white.Lambda)
	if p.g.valley != nil || p.nearTried || p.unseen && !p.looked || m < leastNear {
		return proposal{}, nil
	}
	p.nearTried = true
	if p.budget > 0 && enoughNear*hessian.Forward.Queries(m) > p.budget/nearShare {
		return proposal{}, nil
	}
	if toBeSure {
		if hope, err := n.hope(); !hope || err != nil {
			return proposal{}, err
		}
	}
	wait := n.evenly
	if inDoubt {
		wait = p.doubt
	}
	near, err := n.halves(white, toBeSure, wait)
	for _, nothing := range []error{errNotNearly, ErrNotFinite, ErrNoStep, ErrSingular, jointdiag.ErrSingular} {
		if errors.Is(err, nothing) {
			return proposal{}, nil
		}
	}
	if err != nil {
		return proposal{}, err
	}
	if settled, err := n.exactly(near); settled != nil || err != nil {
		return proposal{settled: settled}, err
	}
	return proposal{near: near}, nil
}

// evenly calls Survey.Pause before a part that takes so many queries and may well be worth it,
// although f does not separate exactly.
func (n nearRoad) evenly(queries int) error {
	if n.p.pause == nil {
		return nil
	}
	return n.p.pause(Doubt{Queries: queries, Even: true})
}

// hope reports whether what is known already does not speak against a frame in which f nearly
// separates: halves of as many Hessians, and, if the best frame so far is nearly right, its
// coupling from one end of the box to the other.
func (n nearRoad) hope() (bool, error) {
	p := n.p
	if k := len(p.chain.Hessians); k >= enoughNear {
		near, err := n.compare(p.chain)
		if err != nil || !near.holds(false) {
			return false, nil
		}
	}
	best := p.settler.best
	if best == nil || !best.check.usable() {
		return true, nil
	}
	k, err := beside(p.g).test(0, false).Splits(p.g.ctx, p.g.f, best.frame, best.blocks)
	return k.Coupling <= sparseLimit, err
}

// exactly refines the frame as if f separated, to the default tolerance whatever that of the
// survey is, as long as that makes progress. It returns the result if f separates in it,
// otherwise nil.
func (n nearRoad) exactly(near *nearness) (*candidate, error) {
	g, by := beside(n.p.g), n.p.settler
	s := &settler{g: g, tolerance: defaultTolerance, measures: by.measures, stage: by.stage, doubt: func(int) error { return errNearly }}
	c, err := s.offer(near.c, checkPoints)
	if err != nil || !c.check.usable() {
		return nil, err
	}
	if c, _, err = s.settle(c); c == nil || err != nil {
		return nil, err
	}
	k, err := g.test(defaultTolerance, false).Certify(g.ctx, g.f, c.frame, c.blocks)
	if err != nil || k.Verdict != certify.Separable {
		return nil, err
	}
	return c, nil
}
