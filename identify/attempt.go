package identify

import (
	"cmp"
	"errors"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/objective"
)

// survey finds and certifies a frame of a span, and of a smaller one if f turns out not
// to need it all.
func (w *work) survey(s *span) (*Finding, error) {
	found := Known(nil, nil)
	for {
		next, smaller, err := w.attempt(*found, s)
		if smaller == nil || err != nil {
			return next, err
		}
		found, s = next, smaller
	}
}

// attempt finds and certifies a frame of a span. It returns what is known then, in
// addition to what was known before, and the smaller span in which to look instead; nil
// if there is none.
func (w *work) attempt(found Finding, s *span) (*Finding, *span, error) {
	if s.curved == nil {
		return &found, nil, w.assemble(&found, s, pruned{linear: -1}, 0)
	}
	whole, learning := s.curved.RawMatrix().Rows == w.g.f.Dim(), hessians
	if whole {
		learning.Forecast = w.forecast
	}
	w.stage(learning)
	first, white, err := firstWhitened(w.g, s.curved)
	if err == ErrSingular { // no curvature at all
		smaller, err := w.uncurved()
		return &found, smaller, err
	}
	if err != nil {
		return &found, nil, err
	}
	found.Spectrum, found.Before = Spectrum{Eigenvalues, reversed(white.Lambda)}, hessian.Couplings(first.Hessians)
	if whole {
		if smaller, err := suspect(w.g, first, white, many(w.g.f.Dim()), w.stage); smaller != nil || err != nil {
			return &found, smaller, err
		}
	}
	elsewhere := &elsewhere{w: w, found: found, span: s}
	p, best, err := w.propose(white, first, elsewhere.look, s)
	if err != nil && p.found != nil {
		return p.found, nil, err
	}
	if err != nil {
		return elsewhere.or(found.orBest(best)), nil, elsewhere.end(err)
	}
	var again func() (*span, error)
	if whole {
		again = func() (*span, error) { return w.secondThought(first, white) }
	}
	return w.weigh(found, s, p, best, elsewhere, again)
}

// weigh makes a finding of what was proposed. If f does not separate in it, it looks for a map,
// for couplings that are small, once more but thoroughly, elsewhere, and last whether there
// is a smaller span after all, which again (nil: does not) returns.
func (w *work) weigh(found Finding, s *span, p proposal, best *candidate, elsewhere *elsewhere, again func() (*span, error)) (*Finding, *span, error) {
	before := found
	switch {
	case p.found != nil:
		p.found.Spectrum, p.found.Before = found.Spectrum, found.Before
		return p.found, nil, nil
	case p.smaller != nil:
		return &found, p.smaller, nil
	case p.near != nil:
		return nearEnd{w}.conclude(before, s, p.near)
	case p.ground != nil:
		return w.underMap(found, s, p, best)
	}
	if err := w.conclude(&found, s, p, best); err != nil {
		return found.orBest(best), nil, err
	}
	if mapped, err := w.bent(before, s, p.settled, found.Certificate.Verdict); mapped != nil || err != nil {
		return cmp.Or(mapped, &found), nil, err
	}
	if next, smaller, err := (nearEnd{w}).instead(found, before, s, best); next != nil {
		return next, smaller, err
	}
	if p.settled != nil && !w.thorough && found.Certificate.Verdict == certify.NotSeparable { // a check was blind
		w.thorough = true
		return w.attempt(before, s)
	}
	if found.Certificate.Verdict == certify.NotSeparable && p.settled != nil && unseen(p.settled) {
		if err := elsewhere.look(); err != nil {
			return elsewhere.or(&found), nil, elsewhere.end(err)
		}
	}
	if again != nil && p.settled == nil && found.Certificate.Verdict == certify.NotSeparable {
		smaller, err := again()
		return &found, smaller, err
	}
	return &found, nil, nil
}

// propose proposes a frame, given directions that one Hessian at a point has whitened:
// from that Hessian, then from some by forward differences, and where these are not
// enough from more and more by symmetric ones. Before these it may call elsewhere. Instead of
// forward differences the model may be asked about a span; nil: not. It returns the best candidate too,
// settled or not.
func (w *work) propose(white hessian.Basis, first hessian.Chain, elsewhere func() error, in *span) (proposal, *candidate, error) {
	s := &settler{g: w.g, tolerance: w.Tolerance, thorough: w.thorough, measures: w.Measures, stage: w.stage}
	by := &proposer{g: w.g, settler: s, pause: w.Pause, stage: w.stage, seen: w.seen, white: white, step: first.Step, first: first, elsewhere: elsewhere, budget: w.Budget, nearTried: w.nearTried}
	s.doubt, w.by = (mapper{by}).stalled, by
	defer func() { w.seen, w.nearTried = by.seen, by.nearTried }()
	small := w.Budget > 0 && w.Budget < Least(w.g.f.Dim())
	modelled := w.Sums && in != nil && white.T.RawMatrix().Rows <= mostModelled && in.linear == nil && w.g.psi == nil && w.g.valley == nil && w.g.grain.Kind != objective.SinglePrecision && w.g.first != nil
	p, white, err := by.quadratic(white, first, small || modelled)
	if p.done() || err != nil {
		return p, s.best, err
	}
	if p, err := by.bowl(first, false); p.done() || err != nil {
		return p, s.best, err
	}
	if m, d := white.T.Dims(); m == d && small {
		return p, s.best, ErrSmallBudget
	}
	if err := basin(by, white); err != nil {
		return p, s.best, err
	}
	switch {
	case w.g.grain.Kind == objective.SinglePrecision:
		p, white, err = singleRoad{by}.find(white)
	case modelled:
		p, white, err = (&modelling{work: w}).sum(in, by, white)
	default:
		p, white, err = by.forward(white)
	}
	if !p.done() && err == nil && w.g.valley == nil { // in a valley Hessians are as good as they can be
		p, err = by.symmetric(white)
	}
	if errors.Is(err, errInstead) {
		return by.instead, s.best, nil
	}
	return p, s.best, err
}
