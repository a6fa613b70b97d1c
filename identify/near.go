package identify

import (
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/model"
)

// The verdict where f separates but for couplings. Up to nearLimit couplings are small beside single differences; up to
// sparseLimit they are if few pairs carry them, one in fewPairs at most, so that it is known what couples with what.
const (
	nearLimit   = 0.2
	sparseLimit = 0.5
	fewPairs    = 3
)

const (
	// nearSplits is over how many splits the size of couplings is measured: the ratio of two
	// sums of as many squares is then known to a quarter or so.
	nearSplits = 100
	// pairPoints is at how many points all pairs are measured.
	pairPoints = 4
	// leastNear is the number of components from which on couplings can be few of all pairs.
	leastNear = 8
)

// nearly measures the couplings of a finding's frame and reaches the verdict.
func (w *work) nearly(found *Finding) (err error) {
	w.stage(certificate)
	test := w.g.test(0, false)
	test.Most = nearSplits
	test.Nearly = sparseLimit
	found.Certificate, err = test.Certify(w.g.ctx, w.g.f, found.Frame, found.Blocks)
	if err != nil || found.Certificate.Verdict != certify.NearlySeparable {
		return err
	}
	if found.Pairs, err = test.Pairs(w.g.ctx, w.g.f, found.Frame, pairPoints); err != nil {
		return err
	}
	m := found.Frame.Components()
	if found.Certificate.Coupling > nearLimit && len(certify.Carriers(found.Pairs))*fewPairs > m*(m-1)/2 {
		found.Certificate.Verdict, found.Pairs = certify.NotSeparable, nil // a search would not know what to do
	}
	return nil
}

// given prepares to look at f in a frame that is known, once.
func (w *work) given(f *frame.Frame) (_ *model.Given, err error) {
	if g := w.g; w.known == nil {
		w.known, err = model.NewGiven(g.ctx, g.f, model.Request{Box: g.box, Bounds: g.bounds, Grain: g.grain, Seed: g.random.Uint64()}, f.Matrix())
	}
	return w.known, named(err)
}

// givenNearly looks whether f nearly separates in a frame that was given and in which it does not
// separate.
func (w *work) givenNearly(found *Finding) error {
	if found.Frame.Components() < leastNear || len(found.Blocks) < found.Frame.Components() || w.g.grain.Noisy() {
		return nil
	}
	given, err := w.given(found.Frame)
	if err != nil {
		return err
	}
	if round, err := given.Round(); err != nil || !round {
		return err
	}
	return w.nearly(found)
}
