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

// Where f separates but for couplings,
//
//	f(x) = Σ f_j(y_j) + Σ c_ij(y_i, y_j),
//
// Hessians are nearly diagonal in the frame, and what couplings add off the diagonals
// differs from point to point. So the frame that diagonalises K Hessians best is wrong by
// about 1/√K of what one that diagonalises two is wrong by. K is doubled until the frame is
// known well enough. Points are drawn from nearly the whole box: most f_j curve more
// outside than in the middle, and couplings do not.
//
// How well the frame is known is seen from two halves of the Hessians, each of which makes
// a frame of its own. The error of the mean of two independent estimates is half of the
// distance between them. Where f does not separate at all the halves have nothing to do
// with each other.

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
	agree = 1.9

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

// A nearness is a frame in which f nearly separates.
type nearness struct {
	c *candidate
	// unsure is the error of a typical row.
	unsure float64
}

// errNearly ends a refinement that makes no progress, as long as nobody has looked whether f
// nearly separates.
var errNearly = errors.New("identify: f may nearly separate")

// errNotNearly says that there is no frame in which f nearly separates.
var errNotNearly = errors.New("identify: f does not nearly separate")

// suspect says, before a round of refinement that may well be in vain, that f may nearly
// separate; later it is a doubt like others.
func (p *proposer) suspect(queries int) error {
	if !p.nearTried {
		return errNearly
	}
	return p.doubt(queries)
}

// nearly looks for a frame in which f nearly separates; nil: there is none. It does so once.
// In doubt, Pause is called before. A frame that is to be sure has no tightly coupled pairs.
func (p *proposer) nearly(white hessian.Basis, inDoubt, toBeSure bool) (*nearness, error) {
	m, _ := white.T.Dims()
	if p.g.valley != nil || p.nearTried || p.unseen && p.elsewhere != nil || m < leastNear {
		return nil, nil
	}
	p.nearTried = true
	each := hessian.Forward.Queries(m)
	if p.budget > 0 && fewestNear*each > p.budget/nearShare {
		return nil, nil
	}
	if inDoubt {
		if err := p.doubt(fewestNear * each); err != nil {
			return nil, err
		}
	}
	near, err := p.halves(white, toBeSure)
	for _, nothing := range []error{errNotNearly, ErrNotFinite, ErrNoStep, ErrSingular, jointdiag.ErrSingular} {
		if errors.Is(err, nothing) {
			return nil, nil
		}
	}
	return near, err
}

// halves takes more and more Hessians until two halves of them show the same frame.
func (p *proposer) halves(white hessian.Basis, toBeSure bool) (*nearness, error) {
	p.stage(hessians)
	wide := *p.g
	wide.inner, wide.finite = shrunk(p.g.box, widely), nil
	even, err := evened(&wide, white, p.step)
	if err != nil {
		return nil, err
	}
	chain, err := wide.chain(hessian.Forward, even)
	if err != nil {
		return nil, err
	}
	m, _ := white.T.Dims()
	each := hessian.Forward.Queries(m)
	for n := fewestNear; ; n *= 2 {
		if chain, err = wide.extended(chain, n); err != nil {
			return nil, err
		}
		near, err := p.compare(chain)
		if near == nil || err != nil || !near.holds(n, toBeSure) {
			return nil, err
		}
		if n == fewestNear {
			if err := p.resolve(near, toBeSure); err != nil {
				return nil, err
			}
		}
		if near.unsure <= nearEnough || n == mostNear || p.budget > 0 && 2*n*each > p.budget/nearShare {
			p.seen = chain.Own()
			return near, nil
		}
	}
}

// holds reports whether n Hessians do not speak against a frame: their halves agree, and no
// pair is tightly coupled. If the frame need not be sure there may be such pairs, unless
// components fall into blocks by them.
func (near *nearness) holds(n int, toBeSure bool) bool {
	if !(2*near.unsure <= agree/math.Sqrt(float64(n))) {
		return false
	}
	if mat.Max(offDiagonal(near.c.couplings)) <= loosely {
		return true
	}
	m := len(near.c.spread)
	return !toBeSure && 4*largest(jointdiag.Blocks(near.c.couplings, loosely/10)) > 3*m
}

// resolve says that there is no doubt any more. Its error is errNotNearly if a frame that is
// to be sure is wrong from one end of the box to the other, or if it separates f but for
// single components: then it is for another reason that refinement has failed.
func (p *proposer) resolve(near *nearness, toBeSure bool) error {
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
func (p *proposer) compare(chain hessian.Chain) (*nearness, error) {
	n := len(chain.Hessians)
	var frames [2]*frame.Frame
	for k := range frames {
		_, c, err := p.diagonalised(chain, k*n/2, (k+1)*n/2)
		if c == nil || err != nil {
			return nil, err
		}
		frames[k] = c.frame
	}
	j, c, err := p.diagonalised(chain, 0, n)
	if c == nil || err != nil {
		return nil, err
	}
	c.couplings = j.Couplings()
	apart := slices.Sorted(slices.Values(frame.Compare(frames[0], frames[1]).Distance))
	near := &nearness{c: c, unsure: apart[len(apart)/2] / 2}
	return near, nil
}

// diagonalised makes a candidate of some Hessians of a chain; nil if there is none.
func (p *proposer) diagonalised(chain hessian.Chain, from, to int) (*jointdiag.Joint, *candidate, error) {
	j, err := jointdiag.Diagonalise(chain.Hessians[from:to], p.g.random)
	if err != nil {
		return nil, nil, err
	}
	return j, fromHessians(p.g, j.W, j.Lambda, chain.Base, chain.Points[from:to]), nil
}

// offDiagonal returns a matrix with zeros on its diagonal.
func offDiagonal(a *mat.Dense) *mat.Dense {
	a = mat.DenseCopyOf(a)
	n, _ := a.Dims()
	for i := range n {
		a.Set(i, i, 0)
	}
	return a
}

// The verdict. Up to nearLimit couplings are small beside single differences; up to
// sparseLimit they are if few pairs carry them, a third of all at most, so that it is known
// what couples with what.
const (
	exactCoupling = 1e-3 // below, f separates

	nearLimit   = 0.2
	sparseLimit = 0.5
	fewPairs    = 3
)

// nearSplits is over how many splits the size of couplings is measured: the ratio of two
// sums of as many squares is then known to a quarter or so.
const nearSplits = 100

// pairPoints is at how many points all pairs are measured.
const pairPoints = 4

// concludeNear makes a finding of a frame in which f nearly separates.
func (w *work) concludeNear(found *Finding, s *span, near *nearness) error {
	c, err := w.widened(near.c)
	if err != nil {
		return err
	}
	if c, err = c.withSteps(w.g, max(1, w.Measures)); err != nil {
		return err
	}
	rounded, err := c.rounded(w.g)
	if err != nil {
		return err
	}
	found.Residual = near.unsure
	if err := w.assemble(found, s, pruned{frame: c.frame, blocks: c.blocks, linear: -1, scale: c.h}, 0); err != nil {
		return err
	}
	test := w.g.test(0, false)
	test.Most = nearSplits
	if found.Pairs, err = test.Pairs(w.g.ctx, w.g.f, found.Frame, pairPoints); err != nil {
		return err
	}
	m := found.Frame.Components()
	few := len(certify.Carriers(found.Pairs))*fewPairs <= m*(m-1)/2
	if test.Nearly = nearLimit; few {
		test.Nearly = sparseLimit
	}
	if !rounded {
		test.Nearly = 0
	}
	found.Certificate, err = test.Certify(w.g.ctx, w.g.f, found.Frame, found.Blocks)
	if found.Certificate.Verdict == certify.NotSeparable && !(few && rounded) { // a search would not know what to do
		found.Pairs = nil
	}
	return err
}

// nearOr concludes with a frame in which f nearly separates. If it separates f but for single
// components, couplings are not what is wrong with f, and it attempts again without.
func (w *work) nearOr(before Finding, s *span, near *nearness) (*Finding, *span, error) {
	found := before
	err := w.concludeNear(&found, s, near)
	if k := found.Certificate; err == nil && k.Verdict == certify.NotSeparable && k.Coupling <= exactCoupling {
		return w.attempt(before, s)
	}
	return &found, nil, err
}

// orNearly looks whether f nearly separates, if it does not separate and Hessians have left
// no more than loose couplings; nil: it does not.
func (w *work) orNearly(found *Finding, best *candidate) (*nearness, error) {
	if found.Certificate.Verdict != certify.NotSeparable || best == nil {
		return nil, nil
	}
	if best.couplings != nil && mat.Max(offDiagonal(best.couplings)) > loosely {
		return nil, nil
	}
	near, err := w.by.nearly(w.by.white, false, true)
	w.nearTried = w.by.nearTried
	return near, err
}
