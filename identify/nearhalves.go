package identify

import (
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/mat"
)

// halves takes more and more Hessians until two halves of them show the same frame. It waits
// before some for as long as there is doubt. Where eight have not shown one sixteen decide.
func (n nearRoad) halves(white hessian.Basis, toBeSure bool, wait func(queries int) error) (*nearness, error) {
	p := n.p
	each := hessian.Forward.Queries(len(white.Lambda))
	if err := wait(fewestNear * each); err != nil {
		return nil, err
	}
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
	var last *nearness // resolved
	for k := fewestNear; ; k *= 2 {
		if chain, err = wide.extended(chain, k); err != nil {
			return nil, err
		}
		near, err := n.compare(chain)
		if err != nil {
			return nil, err
		}
		known := near.unsure <= nearEnough
		if k < enoughNear && !known || k == enoughNear && !near.agrees() {
			if err := wait(k * each); err != nil {
				return nil, err
			}
			continue
		}
		if !near.holds(toBeSure) {
			p.hollow = wellConditioned(white) && !near.agrees() && largest(jointdiag.Blocks(near.c.couplings, splitCoarse)) == len(near.c.spread)
			return nil, errNotNearly
		}
		if last == nil {
			err = n.resolve(near, toBeSure)
		} else {
			near.round, near.separates = last.round, last.separates
		}
		if last = near; err != nil {
			return nil, err
		}
		if near.vain, err = n.inVain(near, toBeSure); err != nil {
			return nil, err
		}
		if known || near.vain || k == mostNear || p.budget > 0 && 2*k*each > p.budget/nearShare {
			if toBeSure && !near.separates {
				if err := n.beRound(near); err != nil {
					return nil, err
				}
			}
			p.seen = chain.Own()
			return near, nil
		}
	}
}

// beRound returns errNotNearly if a frame is known well and minima are not round in it.
func (n nearRoad) beRound(near *nearness) (err error) {
	if near.round || near.unsure > wellKnown {
		return nil
	}
	if near.round, err = roundIn(beside(n.p.g), near.c); err == nil && !near.round {
		err = errNotNearly
	}
	return err
}

// inVain reports whether a frame that need not be sure is known well, and f does not nearly
// separate in it: its couplings are as large as what single components do and many pairs carry
// them, or some pairs are tightly coupled and minima are not round.
func (n nearRoad) inVain(near *nearness, toBeSure bool) (bool, error) {
	if toBeSure || near.round || near.unsure > wellKnown {
		return false, nil
	}
	g := beside(n.p.g)
	k, err := overTheBox(g, near.c, g.random.Uint64())
	if err != nil {
		return false, err
	}
	if k > sparseLimit { // if few pairs carry them a search can do something
		pairs, err := g.test(0, false).Pairs(g.ctx, g.f, near.c.frame, 1)
		return len(certify.Carriers(pairs))*fewPairs > len(pairs), err
	}
	if tightest(near.c.couplings) <= loosely {
		return false, nil
	}
	near.round, err = roundIn(g, near.c)
	return !near.round, err
}

// widened returns the ground with points from nearly the whole box.
func widened(g *ground) *ground {
	wide := beside(g)
	wide.inner = shrunk(g.box, widely)
	return wide
}

// agrees reports whether halves of the Hessians show the same frame.
func (near *nearness) agrees() bool { return 2*near.unsure <= agree }

// holds reports whether Hessians do not speak against a frame: their halves agree, and no
// pair is tightly coupled. If the frame need not be sure there may be such pairs, unless
// components fall into blocks by them.
func (near *nearness) holds(toBeSure bool) bool {
	if !near.agrees() {
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
// to be sure is wrong from one end of the box to the other, if it separates f but for
// single components, or if minima are not round in it: then it is for another reason that
// refinement has failed.
func (n nearRoad) resolve(near *nearness, toBeSure bool) error {
	p := n.p
	if toBeSure {
		g := beside(p.g)
		k, err := g.test(0, false).Certify(g.ctx, g.f, near.c.frame, near.c.blocks)
		switch {
		case err != nil:
			return err
		case k.Coupling > sparseLimit, k.Coupling <= exactCoupling && k.Verdict != certify.Separable:
			return errNotNearly
		}
		if near.separates = k.Verdict == certify.Separable; !near.separates {
			if err := n.beRound(near); err != nil {
				return err
			}
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
		j, err := jointdiag.Diagonalise(chain.Hessians[some[0]:some[1]], n.p.g.other)
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
