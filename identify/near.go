package identify

import (
	"math"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/query"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
	// stepPart is the part of how far a component goes in the box that is a short step, at least.
	stepPart = 1e-3
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

// shortStep is the part of how far a component goes in the box that is a short step: second differences over t have an
// error of t² + σ/t² or so.
func (g *sampler) shortStep() float64 { return max(stepPart, math.Sqrt(math.Sqrt(g.grain.Of(0)))) }

// steps returns short steps along the components of a frame, as rows.
func (w *work) steps(f *frame.Frame) *mat.Dense {
	u := mat.DenseCopyOf(f.Directions())
	for i := range f.Components() {
		floats.Scale(w.g.shortStep()*w.g.spread(f.Matrix().RawRowView(i)), u.RawRowView(i))
	}
	return u
}

// givenNearly looks whether f nearly separates in a frame that was given and in which it does not
// separate.
func (w *work) givenNearly(found *Finding) error {
	if found.Frame.Components() < leastNear || len(found.Blocks) < found.Frame.Components() || w.g.grain.Noisy() {
		return nil
	}
	if ok, err := round(w.g, w.steps(found.Frame)); err != nil || !ok {
		return err
	}
	return w.nearly(found)
}

// round reports whether minima are round in the frame of a result, and how many queries it took to see that.
func (m *modelling) round(r *model.Result) (is bool, queries int, err error) {
	f, err := frame.New(r.W)
	if err != nil {
		return false, 0, nil
	}
	g, meter := *m.g, query.NewMeter(m.g.f, math.MaxInt)
	g.f = meter
	is, err = round(&g, m.steps(f))
	return is, meter.Queries(), err
}
