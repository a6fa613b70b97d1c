package identify

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
)

// A noisyRoad is a survey of a function with noise.
type noisyRoad struct{ *work }

// find finds the frame of a function with noise, and certifies it. Everything is held against
// the standard deviation of the noise: the coordinates as given, if splits do not say
// no; or else a frame from Hessians with steps chosen for the noise, more of them until their
// errors are small enough to start from; then designs with longer and longer steps. It
// reports too whether Hessians contradict each other far above noise: then f does not
// separate into single components, and the road of exact functions, which leads to blocks,
// can be gone as well.
func (w noisyRoad) find() (found *Finding, clear bool, err error) {
	if found, err = w.axes(); found != nil {
		return found, false, err
	}
	found = Known(nil, nil)
	if err != nil {
		return found, false, err
	}
	w.stage(hessians)
	c, b, chain, err := w.start(found)
	switch {
	case err != nil && err != ErrSingular:
		return found.orBest(c), false, err
	case c == nil:
		c = newCandidate(w.g, frame.Identity(w.g.f.Dim()), certify.Singles(w.g.f.Dim()))
		fallthrough
	case b.blank():
		found.Frame, found.Blocks = c.frame, c.blocks
		found.Notes = append(found.Notes, "noise hides what the coordinates are")
		return found, false, nil
	}
	if mapped, err := (noisyMapper{w}).underMap(*found, chain, b); mapped != nil || err != nil {
		return mapped, false, err
	}
	if b.contradicted() {
		return found.orBest(c), true, nil
	}
	if err := w.hesitate(b); err != nil {
		return found.orBest(c), false, err
	}
	w.stage(refinement)
	measured, err := noisySteps(w.g, c, looks)
	if err != nil {
		return found.orBest(c), false, err
	}
	b.to(measured)
	if c, err = w.refiner(b).rounds(measured); err != nil {
		return found.cut(c, b), false, err
	}
	return found, false, w.conclude(found, c, b)
}

// inBlocks goes the road of exact functions, which leads to blocks, after that for noise has
// found something. Where it fails that is all there is.
func (w noisyRoad) inBlocks(found *Finding) (*Finding, error) {
	next, err := w.exactly()
	for _, nothing := range []error{ErrSingular, ErrNoStep, ErrNotFinite, ErrConstant} {
		if errors.Is(err, nothing) {
			return found, nil
		}
	}
	next.mistrust()
	return next, err
}

// mistrust takes back the verdict on blocks if one is larger than a few Hessians show, or
// larger than most: noise looks like a coupling, too, and joins blocks.
func (f *Finding) mistrust() {
	if f.Certificate.Verdict != certify.Blocks {
		return
	}
	var sizes []int
	for _, block := range f.Blocks {
		if len(block) > 1 {
			sizes = append(sizes, len(block))
		}
	}
	slices.Sort(sizes)
	if n := len(sizes); sizes[n-1] > min(sizes[(n-1)/2], atMost(f.Frame.Components(), blocksFrom)) {
		f.Certificate.Verdict = certify.Unknown
		f.Notes = append(f.Notes, "noise may have joined blocks that are apart")
	}
}

// refiner is what refines a frame about which something is known.
func (w noisyRoad) refiner(b *belief) refiner { return refiner{g: w.g, b: b, tolerance: w.Tolerance} }

// conclude certifies a frame with errors that are known as far as designs bear the belief
// out. Otherwise f does not separate in it.
func (w noisyRoad) conclude(found *Finding, c *candidate, b *belief) error {
	found.Residual, found.Scale = max(b.error(), w.refiner(b).rest()), c.h
	found.Frame, found.Blocks = c.frame, c.blocks
	w.stage(certificate)
	found.After = w.seen.InFrame(found.Frame)
	test := w.g.test(0, false)
	if b.fits() {
		if w.refiner(b).harmless(c) {
			test.Slack = w.refiner(b).rest()
		}
		var err error
		if test.Error, err = w.refiner(b).mixed(c); err != nil {
			return err
		}
	}
	var err error
	found.Certificate, err = test.Certify(w.g.ctx, w.g.f, found.Frame, found.Blocks)
	if !b.fits() && found.Certificate.Verdict == certify.Separable {
		found.Certificate.Verdict = certify.NotSeparable
	}
	if found.Residual > startError && found.Certificate.Verdict == certify.Separable {
		found.Certificate.Verdict = certify.Unknown // flat components may be mixed, and no split sees it
	}
	found.Likely = found.Certificate.Verdict != certify.Separable && b.limitedByNoise()
	return err
}

// cut puts a frame into the finding that was not certified because its refinement was cut short.
func (f *Finding) cut(c *candidate, b *belief) *Finding {
	f.Frame, f.Blocks, f.Scale, f.Residual = c.frame, c.blocks, c.h, b.error()
	f.Likely = b.limitedByNoise() && !b.blank()
	return f
}

// axes returns the finding of the coordinates as they are; nil if f does not separate in
// them: random splits say so, or designs of short steps or of long ones.
func (w noisyRoad) axes() (*Finding, error) {
	g := w.g
	split, err := g.test(0, false).Splits(g.ctx, g.f, nil, nil)
	if err != nil || split.Verdict == certify.NotSeparable {
		return nil, err
	}
	w.stage(refinement)
	d := g.f.Dim()
	c, err := noisySteps(g, newCandidate(g, frame.Identity(d), certify.Singles(d)), looks)
	if err != nil {
		return nil, err
	}
	b := newBelief(c)
	b.exact = true
	for _, h := range [][]float64{c.h, c.spread} {
		if _, err := w.refiner(b).ask(c, h); err != nil {
			return nil, err
		}
		if !b.fits() {
			return nil, nil
		}
	}
	found := Known(c.frame, c.blocks)
	found.Scale = c.h
	if err := w.certify(found, 0); err != nil || found.Certificate.Verdict == certify.NotSeparable {
		return nil, err
	}
	return found, nil
}

// spreadOut is the four-point stencil, with points that entries share: for its queries it has
// the least noise in an entry of all stencils, a variance of σ²/4ε⁴ for four of them.
var spreadOut = hessian.Stencil{
	Name: "spread out", Pair: hessian.FourPoint.Pair, Diagonal: hessian.FourPoint.Diagonal, Slope: hessian.FourPoint.Slope,
}

const (
	// startError is the error of a frame from which designs can start, by what the noise of
	// its Hessians makes of it: what short steps miss adds as much again.
	startError = 0.03
	// nothing is the error of a pair of which next to nothing is known.
	nothing = 0.2
	// Hessians are taken to whiten directions only, two times whitening, and then again and
	// again, each time along directions that the last have whitened, startHessians to make a
	// frame of.
	whitening     = 2
	startHessians = 8
	mostChains    = 5
)

// noisyShare is the part of a budget, a quarter, that Hessians may take where there is noise;
// if that is not enough for startHessians, there are half as many.
const noisyShare = 4

// leastShare is that part, a third, for no more Hessians than it takes.
const leastShare = 3

// chainLengths returns how many Hessians are taken along directions of their own, as far as a
// budget (0: enough) allows; nil if it does not allow any.
func chainLengths(d, budget int) []int {
	each := spreadOut.Queries(d)
	for _, few := range []int{1, 2} {
		lengths := []int{whitening / few, whitening / few}
		spent := 2 * whitening / few * each
		for len(lengths) < mostChains {
			spent += startHessians / few * each
			share := noisyShare
			if few > 1 && len(lengths) == 2 {
				share = leastShare
			}
			if budget > 0 && spent > budget/share {
				break
			}
			lengths = append(lengths, startHessians/few)
		}
		if len(lengths) > 2 {
			return lengths
		}
	}
	return nil
}

// start returns the frame from which designs start, how well it is known, and the Hessians
// that it is from; nil if there is none.
func (w noisyRoad) start(found *Finding) (best *candidate, known *belief, of hessian.Chain, err error) {
	g := w.g
	base := hessian.Orthonormal(kernel.Identity(g.f.Dim()))
	lengths := chainLengths(g.f.Dim(), w.Budget)
	if lengths == nil {
		return nil, nil, of, ErrSmallBudget
	}
	least := 0.0 // the step, where more Hessians with a shorter one have not helped
	for k, n := range lengths {
		chain, err := g.chain(spreadOut, base)
		if err != nil {
			return best, known, of, err
		}
		chain.Step = max(chain.Step, least)
		half := math.Inf(1)
		if k < 2 {
			if err := w.evenly(n); err != nil {
				return best, known, of, err
			}
			chain, err = g.extended(chain, n)
		} else {
			chain, half, err = w.grown(chain, n)
		}
		if err != nil {
			return best, known, of, err
		}
		if k >= 2 {
			c, b, err := w.from(chain)
			if err != nil {
				return best, known, of, err
			}
			if c != nil && (known == nil || b.error() < known.error()) {
				best, known, of = c, b, chain
			}
			vain := known != nil && !(known.usual() < worthIt*half)
			if known == nil || known.error() < startError || !known.limitedByNoise() || vain && least > 0 {
				break
			}
			if vain {
				least = longerBy * chain.Step
			}
		}
		if base, err = limited(g, chain); err != nil {
			return best, known, of, err
		}
		if k == 0 {
			found.Spectrum = Spectrum{Eigenvalues, reversed(base.Lambda)}
			found.Before = hessian.Couplings(chain.Hessians)
		}
	}
	return best, known, of, nil
}

// from returns the frame that diagonalises the Hessians of a chain, and how well they know
// it; nil if there is none.
func (w noisyRoad) from(chain hessian.Chain) (*candidate, *belief, error) {
	w.seen = chain.Own()
	by := &proposer{g: w.g, settler: &settler{g: w.g}}
	c, err := by.diagonal(chain.Hessians, chain, 1)
	if c == nil || err != nil {
		return nil, nil, err
	}
	b := newBelief(c)
	e := w.refiner(b).fromHessians(c, chain)
	if c = b.redrawn(w.g, c, e); c == nil {
		return nil, nil, nil
	}
	return c, b, nil
}
