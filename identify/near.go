package identify

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/mat"
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
	c      *candidate
	unsure float64 // the error of a typical row
}

const (
	fewestNear = 8  // Hessians at first
	mostNear   = 32 // and at most

	// nearShare is the part of a budget, an eighth, that may be spent on them.
	nearShare = 8

	// widely is the part of the box in which their points are drawn.
	widely = 0.9

	// nearEnough is how well the frame is to be known: as well as a search needs.
	nearEnough = 5e-3
	// agree is by how much halves of K Hessians may differ, times √K: of frames that have
	// nothing to do with each other the rows are 0.8 to 1 apart.
	agree = 2.4

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

// errNearly ends a refinement that makes no progress, as long as nobody has looked whether f
// nearly separates.
var errNearly = errors.New("identify: f may nearly separate")

// errNotNearly says that there is no frame in which f nearly separates.
var errNotNearly = errors.New("identify: f does not nearly separate")

// suspect says, before a round of refinement that may well be in vain, that f may nearly
// separate; later it is a doubt like others.
func (n nearRoad) suspect(queries int) error {
	if n.p.pause != nil && !n.p.nearTried {
		return errNearly
	}
	return n.p.doubt(queries)
}

// unsettled is called where Hessians by forward differences have not shown the frame, of which
// c is the last. It looks whether f nearly separates, and elsewhere, before and after a doubt.
func (n nearRoad) unsettled(c *candidate, white hessian.Basis) (*nearness, error) {
	if likely(c, uncoupledForward) {
		return nil, n.p.aside()
	}
	if near, err := n.inDoubt(white); near != nil || err != nil {
		return near, err
	}
	if err := n.p.doubt(lengths[0] * hessian.Symmetric.Queries(len(white.Lambda))); err != nil {
		return nil, err
	}
	if err := n.p.aside(); err != nil {
		return nil, err
	}
	return n.inDoubt(white) // if it had to wait until then
}

// inDoubt looks for such a frame where three Hessians have shown nothing, if there are so many
// components that blocks would have been likely.
func (n nearRoad) inDoubt(white hessian.Basis) (*nearness, error) {
	if len(white.Lambda) < manyNear {
		return nil, nil
	}
	return n.find(white, true, false)
}

// find looks for a frame in which f nearly separates; nil: there is none. It does so once,
// but not before it was looked elsewhere if few points see the components.
// In doubt, Pause is called before. A frame that is to be sure has no tightly coupled pairs.
func (n nearRoad) find(white hessian.Basis, inDoubt, toBeSure bool) (*nearness, error) {
	p := n.p
	m := len(white.Lambda)
	if p.g.valley != nil || p.nearTried || p.unseen && !p.looked || m < leastNear {
		return nil, nil
	}
	p.nearTried = true
	queries := fewestNear * hessian.Forward.Queries(m)
	if p.budget > 0 && queries > p.budget/nearShare {
		return nil, nil
	}
	if inDoubt {
		if err := p.doubt(queries); err != nil {
			return nil, err
		}
	}
	near, err := n.halves(white, toBeSure)
	for _, nothing := range []error{errNotNearly, ErrNotFinite, ErrNoStep, ErrSingular, jointdiag.ErrSingular} {
		if errors.Is(err, nothing) {
			return nil, nil
		}
	}
	return near, err
}

// halves takes more and more Hessians until two halves of them show the same frame.
func (n nearRoad) halves(white hessian.Basis, toBeSure bool) (*nearness, error) {
	p := n.p
	p.stage(hessians)
	wide := widened(p.g)
	even, err := evened(wide, white, p.step)
	if err != nil {
		return nil, err
	}
	chain, err := wide.chain(hessian.Forward, even)
	if err != nil {
		return nil, err
	}
	each := hessian.Forward.Queries(len(white.Lambda))
	for k := fewestNear; ; k *= 2 {
		if chain, err = wide.extended(chain, k); err != nil {
			return nil, err
		}
		near, err := n.compare(chain)
		if err != nil {
			return nil, err
		}
		if !near.holds(k, toBeSure) {
			return nil, errNotNearly
		}
		if k == fewestNear {
			if err := n.resolve(near, toBeSure); err != nil {
				return nil, err
			}
		}
		if near.unsure <= nearEnough || k == mostNear || p.budget > 0 && 2*k*each > p.budget/nearShare {
			p.seen = chain.Own()
			return near, nil
		}
	}
}

// widened returns the ground with points from nearly the whole box.
func widened(g *ground) *ground {
	wide := *g
	wide.inner, wide.finite = shrunk(g.box, widely), nil
	return &wide
}

// holds reports whether k Hessians do not speak against a frame: their halves agree, and no
// pair is tightly coupled. If the frame need not be sure there may be such pairs, unless
// components fall into blocks by them.
func (near *nearness) holds(k int, toBeSure bool) bool {
	if !(2*near.unsure <= agree/math.Sqrt(float64(k))) {
		return false
	}
	if tightest(near.c.couplings) <= loosely {
		return true
	}
	const most, of = 3, 4 // of all components may be in a block
	m := len(near.c.spread)
	return !toBeSure && of*largest(jointdiag.Blocks(near.c.couplings, uncoupledForward)) > most*m
}

// tightest returns the largest coupling of a pair.
func tightest(couplings *mat.Dense) float64 {
	most := 0.0
	m, _ := couplings.Dims()
	for i := range m {
		for j := range i {
			most = max(most, couplings.At(i, j))
		}
	}
	return most
}

// resolve says that there is no doubt any more. Its error is errNotNearly if a frame that is
// to be sure is wrong from one end of the box to the other, or if it separates f but for
// single components: then it is for another reason that refinement has failed.
func (n nearRoad) resolve(near *nearness, toBeSure bool) error {
	p := n.p
	if toBeSure {
		k, err := p.g.test(0, false).Certify(p.g.ctx, p.g.f, near.c.frame, near.c.blocks)
		switch {
		case err != nil:
			return err
		case k.Coupling > sparseLimit, k.Coupling <= exactCoupling && k.Verdict != certify.Separable:
			return errNotNearly
		}
	}
	if p.pause == nil {
		return nil
	}
	return p.pause(Doubt{Resolved: true})
}

// compare makes frames of all Hessians of a chain and of either half of them.
func (n nearRoad) compare(chain hessian.Chain) (*nearness, error) {
	k := len(chain.Hessians)
	var made [3]*candidate
	for i, some := range [3][2]int{{0, k / 2}, {k / 2, k}, {0, k}} {
		j, err := jointdiag.Diagonalise(chain.Hessians[some[0]:some[1]], n.p.g.random)
		if err != nil {
			return nil, err
		}
		if made[i] = fromHessians(n.p.g, j.W, j.Lambda, chain.Base, chain.Points[some[0]:some[1]]); made[i] == nil {
			return nil, errNotNearly
		}
		made[i].couplings = j.Couplings()
	}
	apart := slices.Sorted(slices.Values(frame.Compare(made[0].frame, made[1].frame).Distance))
	return &nearness{c: made[2], unsure: apart[len(apart)/2] / 2}, nil
}
