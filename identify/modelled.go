package identify

import (
	"errors"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// noisy finds the frame of a function with noise, by one model. Where its looks contradict each other, whatever
// the frame, f may be a sum over blocks, or nearly separate.
func (m *modelling) noisy() (*Finding, error) {
	found, contradicted, err := m.model()
	if err != nil || !contradicted {
		return found, err
	}
	if err := m.doubt(); err != nil {
		return found, err
	}
	other, err := m.exactly()
	for _, nothing := range []error{ErrSingular, ErrNoStep, ErrNotFinite, ErrConstant} {
		if errors.Is(err, nothing) {
			return found, nil
		}
	}
	other.mistrust()
	is, was := other.Certificate, found.Certificate
	near := is.Verdict == certify.NearlySeparable && (was.Verdict != certify.NearlySeparable || is.Coupling < was.Coupling)
	if err == nil && is.Verdict != certify.Blocks && !near {
		return found, nil
	}
	return other, err
}

// model finds the frame by one model of f, package model, and certifies it. It reports too whether looks
// contradict each other in every frame.
func (m *modelling) model() (found *Finding, contradicted bool, err error) {
	w := m.work
	learning := hessians
	learning.Forecast = w.forecast
	w.stage(learning)
	r, err := model.Identify(w.g.ctx, w.g.f, model.Request{Box: w.g.box, Bounds: w.g.bounds, Grain: w.g.grain, Seed: w.seed, Budget: w.Budget, Certify: m.certify, Before: m.before})
	for ours, theirs := range map[error]error{ErrConstant: model.ErrConstant, ErrNotFinite: model.ErrNotFinite, ErrNoStep: model.ErrNoStep, ErrSmallBudget: model.ErrSmallBudget} {
		if errors.Is(err, theirs) {
			err = ours
		}
	}
	if r.Verdict == model.Separable && m.found != nil {
		if err == nil {
			err = m.scaled(m.found, r)
		}
		return m.found, false, err
	}
	found, err = m.rest(r, err)
	return found, err == nil && r.Kappa > 0, err
}

// sum finds the frame of a span in which f is a sum, by one model, and certifies it: the first Hessian
// is its first look. Where f is no sum of single components, it proposes what else its looks lead to, and
// returns the directions that they have whitened.
func (m *modelling) sum(s *span, by *proposer, white hessian.Basis) (p proposal, next hessian.Basis, err error) {
	w := m.work
	request := model.Request{Box: w.g.box, Bounds: w.g.bounds, Grain: w.g.grain, Seed: w.seed, Certify: m.certify, First: w.g.first, Sum: true, Rough: m.slack() / modelSlack}
	if rows, d := s.curved.Dims(); rows < d {
		request.Span = s.curved
	}
	r, err := model.Identify(w.g.ctx, w.g.f, request)
	for _, nothing := range []error{model.ErrConstant, model.ErrNotFinite, model.ErrNoStep} {
		if errors.Is(err, nothing) {
			return by.forward(white)
		}
	}
	if err != nil {
		p.found, err = m.rest(r, err)
		return p, white, err
	}
	if r.Verdict == model.Separable && m.found != nil {
		p.found = m.found
		return p, white, m.scaled(m.found, r)
	}
	chain, err := chained(r.Sights, by.first)
	if err != nil || len(chain.Hessians) < 2 {
		return by.forward(white)
	}
	by.white, by.seen, by.chain = chain.Base, chain.Own(), chain
	c, err := by.diagonal(chain.Hessians, chain, min(len(chain.Hessians)-1, checkPoints))
	if err != nil {
		return p, white, err
	}
	blocks := likely(c, uncoupledForward)
	if !blocks { // a map perhaps, which other Hessians may show if these do not
		if p, err = (mapper{by}).single(chain, coupled(c)); p.done() || err != nil {
			return p, white, err
		}
	}
	least := leastBlocks
	if !blocks {
		least = leastOthers
	}
	if by.budget > 0 && by.budget < least*Least(w.g.f.Dim()) {
		if err = by.doubt(forwards * hessian.Forward.Queries(len(white.Lambda))); err != nil {
			return p, white, err
		}
	}
	if !blocks {
		return by.forward(white)
	}
	return forwarded(by, c, chain, chain.Base)
}

// leastBlocks is how many times Least(d) it takes to find blocks and to use them, and leastOthers the same of whatever
// else three looks do not show.
const (
	leastBlocks = 2
	leastOthers = 2 * leastBlocks
)

// chained returns a chain of what the last looks have seen along the steps of a first one, along directions
// that they have whitened.
func chained(sights []model.Sight, first hessian.Chain) (hessian.Chain, error) {
	sights = sights[max(0, len(sights)-forwards):]
	base := first.Base
	base.Seen = nil
	for _, s := range sights {
		s.Hessian.Scale(1/square(first.Step), s.Hessian)
		base.Seen = append(base.Seen, s.Hessian)
	}
	white, err := base.Whitened()
	if err != nil {
		return first, err
	}
	chain := hessian.Chain{Base: white, Stencil: hessian.Forward, Step: first.Step, Hessians: white.Seen}
	m, d := white.T.Dims()
	for _, s := range sights {
		gradient, slopes := make([]float64, d), make([]float64, m)
		floats.Scale(1/first.Step, s.Slopes)
		kernel.MulVecT(gradient, base.Dual.RawMatrix(), s.Slopes)
		kernel.MulVec(slopes, white.T.RawMatrix(), gradient)
		chain.Points, chain.Values, chain.Slopes = append(chain.Points, s.X), append(chain.Values, s.Value), append(chain.Slopes, slopes)
	}
	return chain, nil
}

// doubt interrupts the survey before what follows a search that has not found a frame that separates f:
// Hessians, which may well be in vain.
func (m *modelling) doubt() error {
	if m.Pause == nil {
		return nil
	}
	return m.Pause(Doubt{Queries: forwards * hessian.Forward.Queries(m.g.f.Dim())})
}

// A modelling is a survey by one model.
type modelling struct {
	*work
	found *Finding // the last that was certified
	on    *ground  // and the ground on which it was
}

// slack is the error of a frame that the model lets pass: the tolerance, but not more than is of use,
// and that of modelSlack where there is noise.
func (m *modelling) slack() float64 {
	if m.g.grain.Noisy() {
		return modelSlack
	}
	return min(m.work.slack, roughSlack)
}

const (
	// modelSlack is the error of a frame that is let pass: mixed differences may be ten times that.
	// roughSlack is the most that a search can use.
	modelSlack, roughSlack = 4e-4, 2e-3
	// manyDims is from how many dimensions on one more look is dear.
	manyDims = 40
	// mostModelled is how many components the model is asked about, without noise: its computing grows with their
	// cube, to a minute and a half for 400.
	mostModelled = 500
	// mostSlack is the error of a frame that is let pass at most, where noise hides more.
	mostSlack = 0.01
	// rightRows is the error of a row up to which it counts as found.
	rightRows = mostSlack
	// usableError is the typical error of a frame with which a search may be tried.
	usableError = 0.03
)

// before lets others go first, as long as nothing is known.
func (m *modelling) before(queries int) error {
	if m.Pause == nil {
		return nil
	}
	defer m.stage(hessians)
	return m.Pause(Doubt{Queries: queries, Even: true, Forecast: m.forecast})
}

// certify certifies the frame of a result.
func (m *modelling) certify(r *model.Result) (bool, float64, error) {
	m.stage(certificate)
	found, g, err := m.finding(r)
	if err != nil {
		return false, 1, nil
	}
	m.found, m.on = found, g
	test := g.test(m.slack(), found.Quadratic)
	test.Most = modelSplits
	found.Certificate, err = test.Certify(g.ctx, g.f, found.Frame, found.Blocks)
	ok := found.Certificate.Verdict == certify.Separable
	if !ok && err == nil {
		m.stage(hessians)
	}
	return ok, found.Certificate.Coupling, err
}

// modelSplits is how many random splits a certificate has.
const modelSplits = 20

// finding returns what a result says, and the ground on which its frame separates f.
func (m *modelling) finding(r *model.Result) (*Finding, *ground, error) {
	f, err := frame.New(r.W)
	if err != nil {
		return nil, nil, err
	}
	found := Known(f, certify.Singles(f.Components()))
	found.Quadratic = r.Quadratic
	found.Residual = r.Error
	if r.First != nil {
		found.Spectrum = Spectrum{Eigenvalues, spectrumOf(r.First)}
		found.Before = hessian.Couplings([]*mat.Dense{r.First})
		found.After = hessian.Couplings(r.InFrame)
	}
	g := m.g
	if r.Theta != (model.Theta{}) {
		psi := outer.Power(r.Mid, r.Unit, -r.Theta.Gamma, r.Theta.Beta)
		var samples []outer.Sample
		for _, v := range r.Values {
			samples = append(samples, outer.Sample{Value: v})
		}
		g = mapped(g, psi, samples)
		found.Map = psi.Scaled(1 / m.g.factor)
	}
	return found, g, nil
}

// rest returns the finding of a frame that was not certified.
func (m *modelling) rest(r *model.Result, err error) (*Finding, error) {
	if r.W == nil || r.Looks == 0 {
		return Known(nil, nil), err
	}
	found, g, wrong := m.finding(r)
	if wrong != nil {
		return Known(nil, nil), err
	}
	if err != nil { // the scales are not known
		found.Scale = scalesOf(r)
		found.Likely = r.Usual < usableError && r.Kappa == 0 && r.Pair == 0 && r.Coupling < nearLimit
		return found, err
	}
	m.stage(certificate)
	slack := modelSlack
	if r.Kappa == 0 { // noise hides how exact the frame is, and nothing else
		slack = min(max(slack, r.Expected/3), mostSlack)
	}
	test := g.test(slack, false)
	test.Nearly = nearLimit
	if found.Certificate, err = test.Splits(g.ctx, g.f, found.Frame, found.Blocks); err != nil {
		return found, err
	}
	switch v := found.Certificate.Verdict; {
	case v == certify.Separable && r.Rows > rightRows: // flat components may be mixed, and no split sees it
		found.Certificate.Verdict = certify.Unknown
	case v != certify.Separable && r.Kappa == 0: // in this frame, and looks allow for others
		found.Certificate.Verdict = certify.Unknown
		if r.Usual > usableError {
			found.Notes = append(found.Notes, "noise hides what the coordinates are")
		}
	}
	found.Likely = found.Certificate.Verdict != certify.NotSeparable && r.Usual < usableError
	if !found.Likely {
		found.Map = nil
		return found, nil
	}
	return found, m.scaled(found, r)
}
