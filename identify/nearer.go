package identify

import "gonum.org/v1/gonum/mat"

// Over long steps couplings matter less beside single differences than in Hessians: they
// are bounded by their size, and not by their curvature. So the frame is refined by designs
// of long steps, more of them than there are unknowns, as couplings are noise in them.
const (
	// longSteps is how many standard deviations of y_j over the box a step is.
	longSteps = 1
	// longDesigns is from how many designs E is estimated.
	longDesigns = 8
	mostLong    = 2 // times
	// nearerBy is by what factor couplings are to become smaller for another time.
	nearerBy = 1.2
	// leastGain is by what factor they are to become smaller at all.
	leastGain = 1.02
)

// widened returns the candidate refined by designs of long steps, for as long as that makes
// the couplings over the whole box smaller.
func (w *work) widened(c *candidate) (*candidate, error) {
	w.stage(refinement)
	seed := w.g.random.Uint64() // the same splits for all, so that their couplings can be compared
	coupling, err := w.coupling(c, seed)
	for k := 0; k < mostLong && err == nil; k++ {
		var next *candidate
		if next, err = w.byLongSteps(c, longDesigns<<k); next == nil || err != nil {
			break
		}
		var now float64
		if now, err = w.coupling(next, seed); err != nil || now*leastGain >= coupling {
			break
		}
		enough := now*nearerBy > coupling
		if c, coupling = next, now; enough {
			break
		}
	}
	return c, err
}

// coupling measures the couplings of a candidate over the whole box.
func (w *work) coupling(c *candidate, seed uint64) (float64, error) {
	test := w.g.test(0, false)
	test.Most, test.Random, test.Seed = nearSplits, nil, seed
	k, err := test.Splits(w.g.ctx, w.g.f, c.frame, c.blocks)
	return k.Coupling, err
}

// byLongSteps returns the candidate refined once by so many designs of long steps; nil if
// that is no frame.
func (w *work) byLongSteps(c *candidate, n int) (*candidate, error) {
	wide := *w.g
	wide.inner, wide.finite = shrunk(w.g.box, widely), nil
	long, err := c.withSteps(&wide, 1)
	if err != nil {
		return nil, err
	}
	for i := range long.h {
		long.h[i] = longSteps * c.spread[i] / middle
	}
	designs, err := newDesigns(&wide, long, n)
	if err != nil {
		return nil, err
	}
	groups := allGroups(c.blocks)
	if err := measure(&wide, long, designs, groups); err != nil {
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
	next := c.redrawn(w.g, e)
	if next != nil {
		next.couplings = c.couplings
	}
	return next, nil
}
