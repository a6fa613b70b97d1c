package identify

import (
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/floats"
)

// A noisyMapper looks for an outer map of a function with noise.
type noisyMapper struct{ noisyRoad }

// underMap looks for an outer map where Hessians contradict each other above noise, and for
// a frame of ψ(f), which it refines and certifies like one of f. It returns nil if there is
// no map, or none that passes or is likely: then everything is as before but for the queries.
func (w noisyMapper) underMap(found Finding, chain hessian.Chain, plain *belief) (*Finding, error) {
	n, pairs := len(chain.Hessians), len(plain.pairs)
	if n < 3 || pairs*(n-2) < enoughPairs*n {
		return nil, nil
	}
	on := noisyMapper{noisyRoad{new(work)}}
	*on.work = *w.work
	c, numbers, err := on.firstMap(chain, plain)
	if c == nil || err != nil {
		return nil, err
	}
	w.stage(refinement)
	if c, err = noisySteps(on.g, c, looks); err != nil {
		return found.orBest(c), err
	}
	c, b, err := on.secondMap(chain, numbers, c)
	if c == nil || err != nil {
		return nil, err
	}
	if c, err = on.refined(chain, numbers, c, b); err == nil {
		err = on.conclude(&found, c, b)
	} else {
		found.cut(c, b)
	}
	if found.Certificate.Verdict != certify.Separable && err == nil && (!found.Likely || plain.limitedByNoise()) {
		return nil, nil
	}
	found.Map = on.g.psi.Scaled(1 / on.g.factor)
	*w.work = *on.work
	return &found, err
}

// maybeMapped reports whether a map explains what Hessians contradict each other by.
func (w noisyMapper) maybeMapped(chain hessian.Chain, plain *belief) (bool, error) {
	on := noisyMapper{noisyRoad{new(work)}}
	*on.work = *w.work
	c, _, err := on.firstMap(chain, plain)
	return c != nil, err
}

// enoughPairs is how many equations there have to be for each number c that they determine,
// besides those that determine E.
const enoughPairs = 5

// firstMap goes over to the ground of ψ(f), for the ψ that Hessians show, and returns the frame
// that they have there; nil if ψ does not explain what they contradict each other by.
func (w noisyMapper) firstMap(chain hessian.Chain, plain *belief) (*candidate, []outer.Number, error) {
	samples := samplesOf(chain)
	c := make([]float64, len(samples))
	if first, left := outer.Numbers([3]outer.Sample(samples)); left <= signOfMap {
		copy(c, first[:])
	}
	numbers, _, _ := mapper{&proposer{g: w.g}}.alternate(samples, c)
	psi := outer.Fitted(nil, numbers)
	if psi == nil {
		return nil, nil, nil
	}
	w.g = mapped(w.g, psi, samples)
	frame, b, err := w.from(under(psi, chain))
	if frame == nil || err != nil || !explains(len(samples), plain, b) {
		return nil, nil, err
	}
	return frame, numbers, nil
}

// explains reports whether n numbers c explain what n Hessians contradict each other by: most of
// it, or where that may be noise, significantly more than by chance,
//
//	F = (S₀ − S₁)/n / (S₁/ν),
//
// where S₀ and S₁ are the sums of squares without a map and with it, and ν equations are left.
func explains(n int, plain, b *belief) bool {
	if b.typical() <= signOfMap*plain.typical() {
		return true
	}
	before, after := floats.Sum(plain.misfit), floats.Sum(b.misfit) // S₀ and S₁ but for a factor
	left := len(b.pairs)*(n-2) - n
	return plain.limitedByNoise() && after <= clearPart*before && (before-after)/float64(n) > significant*after/float64(left)
}

// clearPart is the part of S₀ that may be left: what long steps do to Hessians is significant
// too, but little.
const clearPart = 0.85

// significant is the least F. Without a map it was 2.3 at most on the suite, and once in a
// million times it is 8 by chance.
const significant = 12

// secondMap fits ψ again, to squares along components: the steps of Hessians are so long
// where there is noise that they show a map that is not quite the right one. It returns
// the frame corrected by what the Hessians say under that map, and how well it is known.
func (w noisyMapper) secondMap(chain hessian.Chain, numbers []outer.Number, c *candidate) (*candidate, *belief, error) {
	pairs, err := crosses(w.g, c)
	if err != nil {
		return nil, nil, err
	}
	if psi := outer.FittedUnderNoise(nil, pairs, numbers, w.g.psi); psi != nil {
		w.g = mapped(w.g.plain, psi, samplesOf(chain))
	}
	c, b := w.again(chain, c, c.curvature)
	return c, b, nil
}

// refined refines a frame of ψ(f).
func (w noisyMapper) refined(chain hessian.Chain, numbers []outer.Number, c *candidate, b *belief) (*candidate, error) {
	r := w.refiner(b)
	r.doubts, r.doubt = mostDoubts, func(c *candidate) (*candidate, error) { return w.thirdMap(chain, numbers, c, b) }
	return r.rounds(c)
}

// mostDoubts is how often a map is fitted again at most.
const mostDoubts = 3

// thirdMap fits ψ once more: the better the frame is known, the more squares along components
// say. It returns nil if ψ is as good as it was.
func (w noisyMapper) thirdMap(chain hessian.Chain, numbers []outer.Number, c *candidate, b *belief) (*candidate, error) {
	pairs, err := crosses(w.g, c)
	if err != nil {
		return nil, err
	}
	psi := outer.FittedUnderNoise(nil, pairs, numbers, w.g.psi)
	if psi == nil || outer.Left(psi, pairs) > better*outer.Left(w.g.psi, pairs) {
		return nil, nil
	}
	*w.g = *mapped(w.g.plain, psi, samplesOf(chain))
	next, known := w.again(chain, c, b.unit)
	if next != nil {
		*b = *known
	}
	return next, nil
}

// again returns a frame, with the curvatures of its components, corrected by what Hessians say
// under a map, and how well they know it; nil if there is none.
func (w noisyMapper) again(chain hessian.Chain, c *candidate, curvature []float64) (*candidate, *belief) {
	there, known := under(w.g.psi, chain), *c
	known.seen, known.curvature = there.Own(), curvature
	b := newBelief(&known)
	next := b.redrawn(w.g, &known, w.refiner(b).fromHessians(&known, there))
	return next, b
}

// under returns the Hessians, slopes and values of ψ(f), which are ψ′(H − c ggᵀ), ψ′g and ψ,
// from those of f.
func under(psi *outer.Map, chain hessian.Chain) hessian.Chain {
	there := chain
	there.Hessians, there.Values, there.Slopes = nil, nil, nil
	for _, s := range samplesOf(chain) {
		slope, of := psi.Slope(s.Value), s.Without(psi.Number(s.Value))
		of.Scale(slope, of)
		there.Hessians = append(there.Hessians, of)
		there.Values = append(there.Values, psi.Of(s.Value))
		there.Slopes = append(there.Slopes, scaledBy(slope, s.Gradient))
	}
	there.Base.Seen = there.Hessians
	return there
}

// better is the part of what squares leave that another map may leave.
const better = 0.9
