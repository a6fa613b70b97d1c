package identify

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/outer"
	"gonum.org/v1/gonum/mat"
)

// modelled finds the frame by one model of f, package model, and certifies it. Where it does not
// separate f the finding has the best frame, and says whether it is likely.
func (w *work) modelled() (*Finding, error) {
	m := &modelling{work: w}
	w.stage(hessians)
	request := model.Request{Box: w.g.box, Bounds: w.g.bounds, Grain: w.g.grain, Seed: w.seed, Budget: w.Budget, Certify: m.certify}
	if w.Pause != nil {
		request.Before = m.before
	}
	r, err := model.Identify(w.g.ctx, w.g.f, request)
	for ours, theirs := range map[error]error{ErrConstant: model.ErrConstant, ErrNotFinite: model.ErrNotFinite, ErrNoStep: model.ErrNoStep} {
		if errors.Is(err, theirs) {
			err = ours
		}
	}
	if r.Verdict == model.Separable && m.found != nil {
		if err == nil {
			err = scaled(m.on, m.found, w.Measures)
		}
		return m.found, err
	}
	found, err := m.rest(r, err)
	if err != nil || r.Misfit <= hopelessly || found.Certificate.Verdict != certify.NotSeparable {
		return found, err
	}
	return noisyRoad{w}.inBlocks(found)
}

// A modelling is a survey by one model.
type modelling struct {
	*work
	found *Finding // the last that was certified
	on    *ground  // and the ground on which it was
}

// modelSlack is the error of a frame that the model lets pass: mixed differences may be ten times
// that.
const modelSlack = 4e-4

// before lets others go first, as long as nothing is known.
func (m *modelling) before(queries int) error {
	defer m.stage(hessians)
	return m.Pause(Doubt{Queries: queries, Even: true})
}

// certify certifies the frame of a result.
func (m *modelling) certify(r *model.Result) (bool, float64, error) {
	m.stage(certificate)
	found, g, err := m.finding(r)
	if err != nil {
		return false, 1, nil
	}
	m.found, m.on = found, g
	test := g.test(modelSlack, found.Quadratic)
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
	found.Quadratic = r.Looks == 1
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
	if err != nil {
		found.Likely = r.Usual < startError
		return found, err
	}
	m.stage(certificate)
	test := g.test(0, false)
	test.Nearly = nearLimit
	if found.Certificate, err = test.Splits(g.ctx, g.f, found.Frame, found.Blocks); err != nil {
		return found, err
	}
	if found.Certificate.Verdict == certify.Separable { // flat components may be mixed, and no split sees it
		found.Certificate.Verdict = certify.Unknown
	}
	found.Likely = found.Certificate.Verdict != certify.NotSeparable && r.Usual < startError
	return found, nil
}

// spectrumOf returns the absolute eigenvalues of a matrix, in descending order.
func spectrumOf(h *mat.Dense) []float64 {
	var e mat.EigenSym
	if !kernel.AllFinite(h) || !e.Factorize(kernel.Symmetrised(h, 1), false) {
		return nil
	}
	all := e.Values(nil)
	for k, v := range all {
		all[k] = math.Abs(v)
	}
	slices.Sort(all)
	return reversed(all)
}
