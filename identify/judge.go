package identify

import (
	"context"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
)

// Judge certifies a frame that is known from elsewhere, with its blocks (nil: all
// of one component), after an outer map if f has one, and measures what Survey.Measures asks
// for. It looks for no other; as with Identify the Finding is never nil, and random numbers come from
// the stream ("identify", "survey").
func (s Survey) Judge(ctx context.Context, f objective.Objective, given *frame.Frame, blocks [][]int, r Request) (*Finding, error) {
	w, err := s.begin(ctx, f, r)
	if err != nil {
		return Known(nil, nil), err
	}
	if given == nil || given.Dim() != f.Dim() {
		return Known(nil, nil), objective.BadOption("Frame", "is nil, or has another number of coordinates than f, which has %d", f.Dim())
	}
	if blocks == nil {
		blocks = certify.Singles(given.Components())
	}
	if err := certify.CheckBlocks(blocks, given.Components()); err != nil {
		return Known(nil, nil), err
	}
	w.stage(firstLook)
	if err := w.g.rescale(); err != nil {
		return Known(nil, nil), err
	}
	found := Known(given, blocks)
	if err := w.certify(found, s.Slack); err != nil {
		return found, err
	}
	if found.Certificate.Verdict == certify.NotSeparable {
		var err error
		if found, err = w.under(found); err != nil {
			return found, err
		}
	}
	if found.Certificate.Verdict == certify.NotSeparable {
		if err := w.givenNearly(found); err != nil {
			return found, err
		}
	}
	w.stage(scales)
	return found, w.lengths(found)
}

const (
	// mapSplits is at how many squares of values a map is fitted.
	mapSplits = 12
	// clearly is the part of the mixed differences of f that those of ψ(f) may be, and
	// mixedMost what they may be of single ones. A rough frame left 0.02 or less where
	// there is a map, and Ackley's and Griewank's functions 0.15 and more.
	clearly   = 0.5
	mixedMost = 0.06
)

// under certifies a known frame, which f itself has failed, under the map that it tells: the ψ that makes the mixed
// differences of f over random squares least. It returns the finding as it was if none makes them clearly less.
func (w *work) under(found *Finding) (*Finding, error) {
	w.stage(certificate)
	if len(found.Blocks) < 2 {
		return found, nil
	}
	given, err := w.given(found.Frame)
	if err != nil {
		return found, err
	}
	squares, err := given.Corners(found.Blocks, mapSplits)
	if err != nil || len(squares) < mapSplits/2 {
		return found, err
	}
	psi := outer.Fitted(squares)
	if psi == nil || outer.Coupling(psi, squares) > min(mixedMost, clearly*outer.Coupling(nil, squares)) {
		return found, nil
	}
	var values []float64
	for _, c := range squares {
		values = append(values, c[:]...)
	}
	on, next := *w, *found
	on.g, next.Map = mapped(w.g, psi, values), psi.Scaled(1/w.g.factor)
	if err := on.certify(&next, 0); err != nil {
		return found, err
	}
	if v := next.Certificate.Verdict; v != certify.Separable && v != certify.Blocks {
		return found, nil
	}
	w.g, w.known = on.g, nil
	return &next, nil
}

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
	return w.known, err
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
