package identify

import (
	"context"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/objective"
)

// Survey finds the frame of a function by joint diagonalisation and large-step
// refinement, and certifies it. It is the road to take; Paper is there for
// comparison.
//
// First it looks whether f separates in the coordinates as given, and then whether f has
// few components. If so it finds their span from gradients, and all that follows is in m
// dimensions. Then it proposes a frame from more and more Hessians: one is enough for a
// quadratic, two by forward differences for a rough frame of most functions and three for
// an exact one, symmetric ones where curvatures are of very different size, and five or
// more for blocks. The first
// Hessian whitens the directions along which the others are taken, so that the condition
// of W does not matter. Last the frame is refined by large steps at points composed so
// that no component is flat, blocks that couple are joined, others are split, and the
// result is certified.
//
// What decides at every stage is a check, which tests each component against all
// others at once for 2m + 2 queries.
//
// docs/data/scoreboard.md says what it takes. It fails with kinks and
// curvatures that span more than about six orders of magnitude.
//
// Where Request.Grain says that f has noise one model is fitted to all that is asked. Where that
// contradicts itself in every frame, what was said above follows, and may find blocks or small
// couplings. Finding.Residual is the standard error of the frame then.
//
// The zero value is ready to use.
type Survey struct {
	// Tolerance is the error E of a frame that is small enough; 0: 1e-7. Where it is
	// larger the certificate allows for ten times as much.
	Tolerance float64
	// Slack is the error E that a frame given to Judge may have; 0: only rounding.
	Slack float64
	// Measures is at how many points Finding.Scale is measured; 0: only where it
	// is needed to find the frame. One point may miss a ripple, three hardly will.
	Measures int
	// Pause, if not nil, is called before each part of the survey that may well be in
	// vain, and where f looks as if it had one minimum. It may ask f in the meantime. An
	// error ends the survey.
	Pause func(Doubt) error
	// Budget is how many queries there are for the survey and for what comes after it;
	// 0: enough. With less than Least(d) the survey looks only for what it can afford:
	// coordinates as given (from 160d queries on), few components, and quadratics (from
	// d²/2 + 110d on). If f is none of these the error is ErrSmallBudget.
	Budget int

	// Sums says that sums of single components are looked for by one model of f where there is no
	// noise, too, as Probe and auto do. That takes up to a third fewer queries. If Tolerance is 0 frames are
	// right to 4e-4, and in fewer than 40 dimensions to 4e-4·(d/40)².
	Sums bool
}

// defaultTolerance is below what searches need, and far above rounding. What two rounds
// of refinement leave is mostly below it anyway.
const defaultTolerance = 1e-7

// Name returns "survey".
func (Survey) Name() string { return "survey" }

// Identify surveys f. Random numbers come from the stream ("identify", "survey").
//
// That f is constant is an error, ErrConstant, and so are ErrNotFinite, ErrNoStep and
// ErrSingular, which a function without second derivatives may lead to. One
// coordinate separates whatever f is: no query is spent on it.
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
	slack    float64 // the error of a frame of single components that is small enough
	thorough bool    // a frame that was settled has not passed its certificate
	g        *ground
	stage    func(objective.Stage)
	seed     uint64
	forecast int           // about how many queries a frame takes
	seen     hessian.Basis // the last Hessians, for the record

	by        *proposer // of the last frames
	nearTried bool      // it was looked whether f nearly separates
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
	slack := s.Tolerance
	if s.Tolerance == 0 {
		s.Tolerance, slack = defaultTolerance, modelSlack*square(min(1, float64(f.Dim())/manyDims))
	}
	return &work{Survey: s, slack: slack, g: newGround(ctx, f, r), stage: r.Stage, seed: r.Seed}, nil
}

// identify goes the whole road: the coordinates as given, few components, all of them.
func (w *work) identify() (*Finding, error) {
	d := w.g.f.Dim()
	if d == 1 {
		found := Known(frame.Identity(1), certify.Singles(1))
		if err := w.certify(found, 0); err != nil {
			return found, err
		}
		return found, scaled(w.g, found, w.Measures)
	}
	w.stage(firstLook)
	if err := w.g.rescale(); err != nil {
		return Known(nil, nil), err
	}
	w.forecast = model.Forecast(d, w.g.grain.Of(0))
	if w.g.grain.Noisy() {
		return (&modelling{work: w}).noisy()
	}
	if w.Budget == 0 || w.Budget >= leastAsGiven(d) {
		found, err := asGiven(w.g)
		if err != nil {
			return Known(nil, nil), err
		}
		if found != nil {
			return found, scaled(w.g, found, w.Measures)
		}
	}
	return w.exactly()
}

// exactly goes the road of exact functions: few components, all of them.
func (w *work) exactly() (*Finding, error) {
	s, err := w.reduce()
	if err != nil {
		return Known(nil, nil), err
	}
	return w.survey(s)
}

// reduce returns the span of f if it has few components, otherwise all of space.
func (w *work) reduce() (*span, error) {
	w.stage(reduction)
	d := w.g.f.Dim()
	n, err := few(w.g, w.Budget)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		if s, err := findSpan(w.g, n-1); s != nil || err != nil {
			return s, err
		}
	}
	if w.Budget > 0 && w.Budget < leastQuadratic(d) {
		return nil, ErrSmallBudget
	}
	return &span{curved: kernel.Identity(d)}, nil
}
