// Package identify finds the coordinates in which a function separates: a
// frame W̃ whose rows are the w_j of
//
//	f(x) = Σ_j f_j(⟨w_j, x⟩),
//
// up to order and sign, from values of f alone. Everything rests on
//
//	H(x) = Σ_j f_j''(⟨w_j, x⟩) w_j⊗w_j:
//
// all Hessians lie in the span 𝒲 of the w_j⊗w_j.
//
// There are two ways from queries to a frame, both an Identifier. Survey is the one to take: one
// model of f (package internal/model) that looks at f teach, and a certificate of how well f
// separates in what was found, into single components or blocks (package certify). Start with
// Survey.Identify; docs/identify.md has the model, and FLOW.md the way from there.
//
// Paper is Algorithm 1 of Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions", section 2.2: it samples Hessians, estimates 𝒲 from them and finds
// the w_j in it (package powermethod, which lists where each symbol of the section is).
//
// Where a comment says that a number was measured on the suite, the suite is all problems
// of package problem, each in its own coordinates, with d = 10, 20 and 30 and seeds 0 to
// 9: 270 functions that separate, 60 of blocks and 90 of neither kind.
package identify

import (
	"context"
	"math"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/objective"
)

// Survey finds the frame of a function by one model of it, and certifies the frame. It is what to take; Paper is
// there for comparison.
//
// First it looks whether f separates in the coordinates as given. Then the model of package internal/model is fitted
// to looks, as docs/identify.md says: few components are seen by gradients, one look is enough for a quadratic, three
// and more for other sums, under a map as well, and where looks contradict each other as many as it takes for blocks,
// or for a frame that separates f but for couplings.
//
// docs/data/scoreboard.md says what it takes. It fails with kinks and
// curvatures that span more than about six orders of magnitude.
//
// Where Request.Grain says that f has noise, Finding.Residual is the standard error of the frame.
//
// The zero value is ready to use.
type Survey struct {
	// Tolerance is the error E of a frame that is small enough; 0: 4e-4. The certificate allows for ten times as much.
	Tolerance float64
	// Slack is the error E that a frame given to Judge may have; 0: only rounding.
	Slack float64
	// Measures is at how many points Finding.Scale is measured; 0: only where it
	// is needed to find the frame. One point may miss a ripple, three hardly will.
	Measures int
	// Pause, if not nil, is called before each part of the survey of which it is not known whether it helps, and
	// where f looks as if it had one minimum. It may ask f in the meantime. An error ends the survey.
	Pause func(Next) error
	// Budget is how many queries there are for the survey and for what comes after it;
	// 0: enough. With less than Least(d) the survey looks only for what it can afford:
	// coordinates as given (from 160d queries on), few components, and quadratics (from
	// d²/2 + 110d on). If f is none of these the error is ErrSmallBudget.
	Budget int
}

// Name returns "survey".
func (Survey) Name() string { return "survey" }

// Identify surveys f. Random numbers come from the stream ("identify", "survey").
//
// That f is constant is an error, ErrConstant, and so are ErrNotFinite, ErrNoStep and
// ErrSmallBudget. One coordinate separates whatever f is: no query is spent on it.
func (s Survey) Identify(ctx context.Context, f objective.Objective, r Request) (*Finding, error) {
	w, err := s.begin(ctx, f, r)
	if err != nil {
		return Known(nil, nil), err
	}
	found, err := w.identify()
	found.Forecast, found.Odds = w.forecast, evens
	return found, err
}

// evens is the probability of what nothing is known about.
const evens = 0.5

// A work is a survey under way.
type work struct {
	Survey
	g        *sampler
	stage    func(objective.Stage)
	seed     uint64
	forecast int      // about how many queries a frame takes
	found    *Finding // the last of the model that was certified
	known    *model.Given
}

// Check returns an *objective.OptionError if a field, or the request, is bad.
func (s Survey) Check(d int, r Request) error {
	switch {
	case s.Tolerance != 0 && !(s.Tolerance > 0 && s.Tolerance < 1):
		return objective.BadOption("Tolerance", "%v, must be between 0 and 1", s.Tolerance)
	case s.Measures < 0:
		return objective.BadOption("Measures", "%d, must be at least 0", s.Measures)
	case s.Budget < 0:
		return objective.BadOption("Budget", "%d, must be at least 0", s.Budget)
	}
	return r.complete(d)
}

// begin puts the defaults in and returns an *objective.OptionError if a field is bad.
func (s Survey) begin(ctx context.Context, f objective.Objective, r Request) (*work, error) {
	if err := s.Check(f.Dim(), r); err != nil {
		return nil, err
	}
	if err := r.complete(f.Dim()); err != nil {
		return nil, err
	}
	return &work{Survey: s, g: newSampler(ctx, f, r), stage: r.Stage, seed: r.Seed}, nil
}

// identify looks for all there may be: the coordinates as given, few components, all of them.
func (w *work) identify() (*Finding, error) {
	d := w.g.f.Dim()
	if d == 1 {
		found := Known(frame.Identity(1), certify.Singles(1))
		if err := w.certify(found, 0); err != nil {
			return found, err
		}
		return found, w.lengths(found)
	}
	w.stage(firstLook)
	if err := w.g.rescale(); err != nil {
		return Known(nil, nil), err
	}
	w.forecast = model.Forecast(d, w.g.grain.Of(0))
	if !w.g.grain.Noisy() && (w.Budget == 0 || w.Budget >= leastAsGiven(d)) {
		found, err := asGiven(w.g)
		if err != nil {
			return Known(nil, nil), err
		}
		if found != nil {
			return found, w.lengths(found)
		}
	}
	return w.model()
}

// certify certifies the frame of a finding, whose error is known to be at most slack; 0:
// nothing is known.
func (w *work) certify(found *Finding, slack float64) (err error) {
	w.stage(certificate)
	found.Certificate, err = w.g.test(slack, found.Quadratic).Certify(w.g.ctx, w.g.f, found.Frame, found.Blocks)
	return err
}

// lengths measures the scale of every component of a finding; 0 measures: it does not.
func (w *work) lengths(found *Finding) error {
	if w.Measures == 0 {
		return nil
	}
	given, err := w.given(found.Frame)
	if err == nil {
		found.Scale, err = given.Lengths()
	}
	if err == ErrConstant || err == ErrNoStep || err == ErrNotFinite {
		found.Scale, err = make([]float64, found.Frame.Components()), nil
		for i := range found.Scale {
			found.Scale[i] = w.g.spread(found.Frame.Matrix().RawRowView(i)) / firstLarge
		}
	}
	return err
}

// spread returns the standard deviation of ⟨w, x⟩ over the inner box.
func (g *sampler) spread(w []float64) float64 {
	sum := 0.0
	for k, v := range w {
		half := v * (g.inner.Hi[k] - g.inner.Lo[k]) / 2
		sum = math.FMA(half, half, sum)
	}
	return math.Sqrt(sum / 3) // a number that is uniform on [-a, a] has the variance a²/3
}

// firstLarge divides how far a component goes in the box for a scale that nothing tells.
const firstLarge = 4
