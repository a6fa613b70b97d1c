package identify

import (
	"cmp"

	"github.com/untwist/untwist/certify"
	"gonum.org/v1/gonum/mat"
)

// A nearEnd makes a finding of a frame in which f nearly separates.
type nearEnd struct{ w *work }

// The verdict. Up to nearLimit couplings are small beside single differences; up to
// sparseLimit they are if few pairs carry them, one in fewPairs at most, so that it is known
// what couples with what. Below exactCoupling f separates.
const (
	exactCoupling = 1e-3
	nearLimit     = 0.2
	sparseLimit   = 0.5
	fewPairs      = 3
)

const (
	// nearSplits is over how many splits the size of couplings is measured: the ratio of two
	// sums of as many squares is then known to a quarter or so.
	nearSplits = 100
	// pairPoints is at how many points all pairs are measured.
	pairPoints = 4
)

// instead looks whether f nearly separates, if it does not separate and Hessians have left
// no more than loose couplings; the finding is nil if it does not.
func (n nearEnd) instead(found, before Finding, s *span, best *candidate) (*Finding, *span, error) {
	w := n.w
	if best == nil || w.by == nil || found.Certificate.Verdict != certify.NotSeparable {
		return nil, nil, nil
	}
	if best.couplings != nil && tightest(best.couplings) > loosely {
		return nil, nil, nil
	}
	p, err := nearRoad{w.by}.find(w.by.white, false, true)
	w.nearTried = w.by.nearTried
	switch {
	case err != nil:
		return &found, nil, err
	case p.settled != nil:
		return &before, nil, w.conclude(&before, s, p, best)
	case p.near == nil:
		return nil, nil, nil
	}
	side := *w
	side.g = beside(w.g)
	next, smaller, err := nearEnd{&side}.conclude(before, s, p.near)
	if err == nil && smaller == nil && next.Certificate.Verdict == certify.NotSeparable && next.Pairs == nil {
		return nil, nil, nil // as if nobody had looked
	}
	return next, smaller, err
}

// conclude makes the finding. If the frame separates f but for single components, couplings
// are not what is wrong with f, and it attempts again without.
func (n nearEnd) conclude(before Finding, s *span, near *nearness) (*Finding, *span, error) {
	if !near.vain { // a frame of couplings and one under a map are alike
		if mapped, err := n.w.bent(before, s, near.c, certify.NotSeparable); mapped != nil || err != nil {
			return cmp.Or(mapped, &before), nil, err
		}
	}
	found := before
	err := n.certify(&found, s, near)
	if k := found.Certificate; err == nil && k.Verdict == certify.NotSeparable && k.Coupling <= exactCoupling {
		return n.w.attempt(before, s)
	}
	return &found, nil, err
}

// certify refines the frame, measures couplings and scales, and reaches the verdict.
func (n nearEnd) certify(found *Finding, s *span, near *nearness) error {
	w := n.w
	c, round, err := n.rounded(near)
	if err != nil {
		return err
	}
	found.Residual = near.unsure
	if err := w.assemble(found, s, pruned{frame: c.frame, blocks: c.blocks, linear: -1, scale: c.h}, 0); err != nil {
		return err
	}
	if !round {
		return nil
	}
	return n.measure(found)
}

// measure measures the couplings of a finding's frame and reaches the verdict.
func (n nearEnd) measure(found *Finding) (err error) {
	w := n.w
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
	found.Certificate, err = test.Certify(w.g.ctx, w.g.f, found.Frame, found.Blocks)
	if found.Certificate.Verdict == certify.NotSeparable && !few { // a search would not know what to do
		found.Pairs = nil
	}
	return err
}

// given looks whether f nearly separates in a frame that was given and in which it does not
// separate.
func (n nearEnd) given(found *Finding) error {
	g := beside(n.w.g)
	if found.Frame.Components() < leastNear || largest(found.Blocks) > 1 || g.grain.Noisy() {
		return nil
	}
	c, err := newCandidate(g, found.Frame, found.Blocks).looked(g)
	if err != nil {
		return err
	}
	if k, err := overTheBox(g, c, g.random.Uint64()); err != nil || k > sparseLimit {
		return err
	}
	if ok, err := roundIn(g, c); err != nil || !ok {
		return err
	}
	return n.measure(found)
}

// wellKnown is the error of a frame up to which minima that are not round in it will not be
// in a better one.
const wellKnown = 0.05

// rounded returns the refined candidate, with its steps, and whether minima are round in it.
// Where they are not, and the frame is well known, it is not refined.
func (n nearEnd) rounded(near *nearness) (c *candidate, ok bool, err error) {
	if near.vain {
		c, err = near.c.withSteps(n.w.g, 1)
		return c, false, err
	}
	if ok = near.round; !ok {
		if c, err = near.c.withSteps(n.w.g, 1); err != nil {
			return nil, false, err
		}
		if ok, err = round(n.w.g, c); err != nil || !ok && near.unsure <= wellKnown {
			return c, false, err
		}
	}
	if c, err = n.refined(near); err != nil {
		return nil, false, err
	}
	if c, err = c.withSteps(n.w.g, max(1, n.w.Measures)); err != nil || ok {
		return c, ok, err
	}
	ok, err = round(n.w.g, c)
	return c, ok, err
}

// Over long steps couplings matter less beside single differences than in Hessians: they
// are bounded by their size, and not by their curvature. So the frame is refined by designs
// of long steps, more of them than there are unknowns, as couplings are noise in them: first
// of half as long ones, if the frame is rough, then of long ones, and of twice as many if that
// has helped much.
var byLength = []struct {
	length  float64 // of steps, in standard deviations of y_j over the box
	designs int
}{{0.5, 8}, {1, 8}, {1, 16}}

const (
	// roughNear is the error of a frame from which on steps are not so long at first.
	roughNear = 0.02
	// leastGain is by what factor couplings are to become smaller, and muchGain by what
	// factor to go on.
	leastGain = 1.02
	muchGain  = 1.1
)

// refined returns the candidate refined by designs of long steps, for as long as that makes
// the couplings over the whole box smaller.
func (n nearEnd) refined(near *nearness) (*candidate, error) {
	n.w.stage(refinement)
	c := near.c
	seed := n.w.g.random.Uint64() // the same splits for all, so that their couplings can be compared
	coupling, err := overTheBox(n.w.g, c, seed)
	for _, by := range byLength {
		if err != nil || by.length < 1 && near.unsure < roughNear {
			continue
		}
		next, err := byLongSteps(n.w.g, c, by.length, by.designs)
		if next == nil || err != nil {
			return c, err
		}
		now, err := overTheBox(n.w.g, next, seed)
		if err != nil {
			return c, err
		}
		gain := coupling / now
		if gain > leastGain {
			c, coupling = next, now
		}
		if by.length == 1 && !(gain > muchGain) {
			break
		}
	}
	return c, err
}

// overTheBox measures the couplings of a candidate over the whole box.
func overTheBox(g *ground, c *candidate, seed uint64) (float64, error) {
	test := g.test(0, false)
	test.Most, test.Random, test.Seed = nearSplits, nil, seed
	k, err := test.Splits(g.ctx, g.f, c.frame, c.blocks)
	return k.Coupling, err
}

// byLongSteps returns the candidate refined once by so many designs, with steps of such a
// length; nil if that is no frame.
func byLongSteps(g *ground, c *candidate, length float64, count int) (*candidate, error) {
	wide := widened(g)
	long, err := c.withSteps(wide, 1)
	if err != nil {
		return nil, err
	}
	for i := range long.h {
		long.h[i] = length * c.spread[i] / middle
	}
	designs, err := newDesigns(wide, long, count)
	if err != nil {
		return nil, err
	}
	groups := allGroups(c.blocks)
	if err := measure(wide, long, designs, groups); err != nil {
		return nil, err
	}
	r := &leastSquares{at: places(c.blocks), unit: c.curvature}
	for _, d := range designs {
		r.take(d, groups)
	}
	var e *mat.Dense
	for range passes {
		e = r.pass(groups, e)
	}
	return c.redrawn(g, e), nil
}
