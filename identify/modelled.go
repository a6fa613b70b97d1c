package identify

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// model finds the frame by one model of f, package model, and certifies it.
func (w *work) model() (*Finding, error) {
	learning := hessians
	learning.Forecast = w.forecast
	w.stage(learning)
	request := model.Request{Box: w.g.box, Bounds: w.g.bounds, Grain: w.g.grain, Seed: w.seed, Certify: w.certifyResult, Before: w.before, Rough: w.slack(roughSlack) / modelSlack}
	if w.g.grain.Noisy() {
		request.Budget = w.Budget
	}
	r, err := model.Identify(w.g.ctx, w.g.f, request)
	if r.Verdict == model.Separable && w.found != nil && err == nil {
		return w.found, w.scaled(w.found, r)
	}
	return w.rest(r, err)
}

// slack is the error of a frame that is let pass: the tolerance, but not more than is of use, and modelSlack where there is noise.
func (w *work) slack(most float64) float64 {
	if w.g.grain.Noisy() {
		return modelSlack
	}
	return min(cmp.Or(w.Tolerance, modelSlack), most)
}

const (
	// modelSlack is the error of a frame that is let pass: mixed differences may be ten times that.
	// roughSlack is the most that a search can use.
	modelSlack, roughSlack = 4e-4, 2e-3
	// mostSlack is the error of a frame that is let pass at most, where noise hides more.
	mostSlack = 0.01
	// rightRows is the error of a row up to which it counts as found.
	rightRows = mostSlack
	// usableError is the typical error of a frame with which a search may be tried.
	usableError = 0.03
)

// certifyResult certifies the frame of a result.
func (w *work) certifyResult(r *model.Result) (bool, float64, error) {
	w.stage(certificate)
	found, g, err := w.finding(r)
	if err != nil {
		return false, 1, nil
	}
	w.found = found
	test := g.test(w.slack(roughSlack), found.Quadratic)
	test.Most = modelSplits
	found.Certificate, err = test.Certify(g.ctx, g.f, found.Frame, found.Blocks)
	ok := found.Certificate.Verdict == certify.Separable || found.Certificate.Verdict == certify.Blocks
	if !ok && err == nil {
		w.stage(hessians)
	}
	return ok, found.Certificate.Coupling, err
}

// modelSplits is how many random splits a certificate has.
const modelSplits = 20

// finding returns what a result says, and the sampler of the function that its frame separates.
func (w *work) finding(r *model.Result) (*Finding, *sampler, error) {
	f, err := frame.New(r.W)
	if err != nil {
		return nil, nil, err
	}
	found := Known(f, r.Blocks)
	if found.Blocks == nil {
		found.Blocks = certify.Singles(f.Components())
	}
	if found.Quadratic = r.Quadratic; r.Linear {
		found.Linear = f.Components() - 1
	}
	found.Residual = r.Error
	if r.First != nil {
		found.Spectrum = Spectrum{Eigenvalues, spectrumOf(r.First)}
		found.Before = hessian.Couplings([]*mat.Dense{r.First})
		found.After = hessian.Couplings(r.InFrame)
	}
	g := w.g
	if r.Theta != (model.Theta{}) {
		psi := r.Theta.Map(r.Mid, r.Unit)
		g = mapped(g, psi, r.Values)
		found.Map = psi.Scaled(1 / w.g.factor)
	}
	return found, g, nil
}

// rest returns the finding of a frame that was not certified.
func (w *work) rest(r *model.Result, err error) (*Finding, error) {
	if r.W == nil || r.Looks == 0 {
		return Known(nil, nil), err
	}
	found, g, wrong := w.finding(r)
	if wrong != nil {
		return Known(nil, nil), err
	}
	if err != nil { // the scales are not known
		found.Scale = scalesOf(r)
		found.Tentative = r.Usual < usableError && r.Kappa == 0 && r.Pair == 0 && r.Coupling < nearLimit
		return found, err
	}
	if r.Verdict == model.Nearly && r.Theta == (model.Theta{}) && found.Frame.Components() >= leastNear {
		if err = w.nearly(found); err != nil || found.Certificate.Verdict != certify.NearlySeparable && found.Certificate.Verdict != certify.Separable {
			return found, err
		}
		return found, w.scaled(found, r)
	}
	w.stage(certificate)
	slack := w.slack(math.Inf(1)) // couplings that are not an error of the frame may be as large
	if r.Kappa == 0 {             // noise hides how exact the frame is, and nothing else
		slack = min(max(slack, r.Expected/3), mostSlack)
	}
	test := g.test(slack, false)
	if found.Certificate, err = test.Splits(g.ctx, g.f, found.Frame, found.Blocks); err != nil {
		return found, err
	}
	switch v := found.Certificate.Verdict; {
	case v == certify.Separable && r.Rows > rightRows: // flat components may be mixed, and no split sees it
		found.Certificate.Verdict = certify.Unknown
	case v != certify.Separable && r.Kappa == 0 && r.Verdict != model.Not: // in this frame, and looks allow for others
		found.Certificate.Verdict = certify.Unknown
		if r.Usual > usableError {
			found.Notes = append(found.Notes, "noise hides what the coordinates are")
		}
	}
	found.Tentative = found.Certificate.Verdict != certify.NotSeparable && r.Usual < usableError
	if !found.Tentative {
		found.Map = nil
		return found, nil
	}
	return found, w.scaled(found, r)
}

// scaled sets the scale of every component of the finding of a result.
func (w *work) scaled(found *Finding, r *model.Result) error {
	if w.Measures == 0 {
		return nil
	}
	err := r.MeasureLengths()
	found.Scale = scalesOf(r)
	return err
}

// scalesOf returns ℓ of each component, for rows of length 1.
func scalesOf(r *model.Result) []float64 {
	all := slices.Clone(r.Scale)
	for i := range all {
		all[i] /= floats.Norm(r.W.RawRowView(i), 2)
	}
	return all
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
	slices.Reverse(all)
	return all
}
