package identify

import (
	"context"
	"errors"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Survey finds the frame of a function by joint diagonalisation and large-step
// refinement, and certifies it. It is the road to take; Paper is there for
// comparison.
//
// First it looks whether f has few components (few), and if so finds their span
// from gradients (span); all that follows is in m dimensions. Then a frame is
// proposed (find) from more and more Hessians: one is enough for a quadratic,
// three by forward differences for most functions, three by symmetric ones
// where curvatures are of very different size, five or more for blocks. The
// first Hessian whitens the directions along which the others are taken, so that
// the condition of W does not matter. Last the frame is refined by large steps
// at points composed so that no component is flat (polish), blocks that couple
// are joined and others split, and the result is certified.
//
// What decides at every stage is a check, which tests each component against all
// others at once for 2m + 4 queries.
//
// For the problems of the paper at d = 100 it takes 35,000 to 80,000 queries,
// 7,000 to 18,000 for a quadratic, and half a second. Where f does not separate
// it gives up after some 12d² queries, more at small d. It fails with noise, kinks and curvatures
// that span more than about six orders of magnitude.
type Survey struct {
	// Box is where to sample: points are drawn in the middle of it, two fifths
	// as wide, and composed points may lie anywhere.
	Box objective.Box
	// Bounds limit what is asked. Sides may be infinite.
	Bounds objective.Box
	// Tolerance is the error E of a frame that is small enough; 0: 1e-7. Where it is
	// larger the certificate allows for ten times as much.
	Tolerance float64
	// Measures is at how many points Finding.Scale is measured; 0: only where it
	// is needed to find the frame. One point may miss a ripple, three hardly do.
	Measures int
	// Pause, if not nil, is called before each part that costs several times as much
	// as all before: when three Hessians by forward differences were not enough, and
	// when three by symmetric ones were not; with the inverse of their mean size,
	//
	//	S⁻¹, S² = mean_k H_k²,
	//
	// to scale. It may ask f in the meantime. An error ends the survey.
	Pause func(inverse *mat.SymDense) error
	// Budget is how many queries f has for the survey and what comes after it, if that
	// is little: below Least(d) only the coordinates as given, from 160d on, few
	// components, and quadratics, from d²/2 + 60d on, are looked for, and ErrDear says
	// that it is none of these. 0: enough.
	Budget int
	// Stage, if not nil, is told what is being done from now on, in a word.
	Stage func(name string)
}

// middle is the part of the box in which points are drawn. In the middle there
// is room for steps; and where curvature grows outwards, as that of a
// polynomial, components differ less in size there.
const middle = 0.4

// defaultTolerance is below what searches need, and far above rounding.
const defaultTolerance = 1e-7

// Least is how many queries it takes at least to find d coordinates, and to use them.
func Least(d int) int { return 3*d*d + 50*d }

// ErrDear says that f does not separate in the coordinates as given and has no few
// components, and that the budget does not allow to look any further.
var ErrDear = errors.New("identify: the budget is too small to find the coordinates")

// Identify surveys f. Random numbers come from the stream ("identify",
// "survey"). If f ends the survey by an error, a spent budget for one, what has
// been found so far comes with the error: the Finding is never nil, and its
// Frame is nil if there was none yet.
//
// That f is constant is an error, ErrConstant, and so are ErrNotFinite and
// ErrSingular, which a function without second derivatives may lead to. One
// coordinate separates whatever f is: no query is spent on it.
func (s Survey) Identify(ctx context.Context, f objective.Objective, seed rng.Seed) (*Finding, error) {
	r := s.road(ctx, f, seed)
	err := r.run()
	if err != nil && r.finding.Frame == nil && r.best != nil {
		r.finding.Frame, r.finding.Blocks = r.best.chart.frame, r.best.chart.blocks
		r.finding.Residual = r.best.check.worst()
	}
	return r.finding, err
}

// road returns the beginning of a road.
func (s Survey) road(ctx context.Context, f objective.Objective, seed rng.Seed) *road {
	r := &road{
		surveyor: &surveyor{
			ctx: ctx, f: f, bounds: s.Bounds, reach: 1, measures: s.Measures,
			inner:  hessian.Box{Box: inner(s.Box)},
			box:    hessian.Box{Box: s.Box},
			stream: seed.Stream("identify", "survey"),
		},
		tolerance: s.Tolerance,
		pause:     s.Pause,
		budget:    s.Budget,
		stage:     s.Stage,
		finding:   &Finding{Linear: -1, Certificate: Certificate{Verdict: Unknown}},
	}
	if r.tolerance == 0 {
		r.tolerance = defaultTolerance
	}
	if r.stage == nil {
		r.stage = func(string) {}
	}
	return r
}

// inner returns the middle of a box.
func inner(box objective.Box) objective.Box {
	in := objective.Cube(len(box.Lo), 0, 0)
	for i := range box.Lo {
		half := (box.Hi[i] - box.Lo[i]) / 2
		in.Lo[i], in.Hi[i] = box.Lo[i]+float64((1-middle)*half), box.Hi[i]-float64((1-middle)*half)
	}
	return in
}

// run goes the whole road.
func (r *road) run() error {
	d := r.f.Dim()
	if d == 1 {
		if err := r.conclude(frame.Identity(1), singles(1)); err != nil {
			return err
		}
		return r.scaleAsGiven()
	}
	r.stage("first look")
	if err := r.rescale(); err != nil {
		return err
	}
	if r.budget == 0 || r.budget >= min(160*d, Least(d)) { // enough to measure scales and to search
		if done, err := r.asGiven(); done || err != nil {
			return err
		}
	}
	r.stage("reduction")
	n, err := r.few(r.budget)
	if err != nil {
		return err
	}
	if n > 0 {
		s, err := r.span(n - 1)
		if err != nil {
			return err
		}
		if s != nil {
			return r.survey(s)
		}
	}
	if r.budget > 0 && r.budget < least(d) {
		return ErrDear
	}
	return r.survey(&span{curved: eye(d)})
}

// least is how many queries it takes at least to find out that f is quadratic.
func least(d int) int { return d*d/2 + 60*d }

// survey finds and certifies a frame of a span. If that is all of space but f
// turns out not to need it, it finds the span first.
func (r *road) survey(s *span) error {
	r.finding.Linear, r.finding.Quadratic, r.best, r.strikes, r.slack = -1, false, nil, 0, 0
	if s.curved == nil {
		r.finding.Scale = nil
		return r.assemble(s, nil, nil)
	}
	r.stage("hessians")
	first, err := r.newChain(hessian.Forward, basis{t: s.curved, dual: s.curved})
	if err != nil {
		return err
	}
	if err := r.extend(first, 1); err != nil {
		return err
	}
	white, err := first.base.whitened()
	if errors.Is(err, ErrSingular) { // no curvature at all
		return r.uncurved()
	}
	if err != nil {
		return err
	}
	r.finding.Spectrum = reversed(white.lambda)
	r.finding.Before = couplings(first.hessian)
	whole := s.curved.RawMatrix().Rows == r.f.Dim()
	if whole {
		smaller, err := r.suspect(first, white, max(2, r.f.Dim()/10), 0.03)
		if err != nil {
			return err
		}
		if smaller != nil {
			return r.survey(smaller)
		}
	}
	p, err := r.find(white, first.points)
	if errors.Is(err, errSmaller) {
		return r.survey(r.smaller)
	}
	if err != nil {
		return err
	}
	settled := p != nil
	if settled {
		r.slack = r.tolerance
	} else if p = r.best; p == nil {
		return ErrSingular
	}
	if r.measures > 0 && !p.chart.measured && !r.finding.Quadratic {
		if err := r.measure(p.chart); err != nil {
			return err
		}
	}
	f, blocks, err := r.prune(p.chart)
	if err != nil {
		return err
	}
	r.finding.Residual = p.check.worst()
	if err := r.assemble(s, f, blocks); err != nil {
		return err
	}
	r.finding.Quadratic = r.finding.Quadratic && r.finding.Certificate.Verdict == Separable
	if whole && !settled && r.finding.Certificate.Verdict == NotSeparable {
		return r.secondThought(first, white)
	}
	return nil
}

// secondThought surveys again where nothing separated because of a single flat
// direction: that is not worth looking for earlier.
func (r *road) secondThought(first *chain, white basis) error {
	smaller, err := r.suspect(first, white, 1, 1e-6)
	if errors.Is(err, ErrNotFinite) || errors.Is(err, ErrConstant) || smaller == nil && err == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return r.survey(smaller)
}

// assemble puts the frame of the curved directions and the linear one together,
// and certifies them.
func (r *road) assemble(s *span, f *frame.Frame, blocks [][]int) error {
	if s.linear != nil {
		m := 0
		if f != nil {
			m = f.Components()
		}
		rows := mat.NewDense(m+1, len(s.linear), nil)
		if f != nil {
			rows.Slice(0, m, 0, len(s.linear)).(*mat.Dense).Copy(f.Matrix())
		}
		rows.SetRow(m, s.linear)
		var err error
		if f, err = frame.New(rows); err != nil {
			return err
		}
		blocks = append(blocks, []int{m})
		r.finding.Linear = m
		r.finding.Scale = append(r.finding.Scale, r.spread(s.linear))
	}
	return r.conclude(f, blocks)
}

// conclude certifies a frame.
func (r *road) conclude(f *frame.Frame, blocks [][]int) error {
	r.stage("certificate")
	r.finding.Frame, r.finding.Blocks = f, blocks
	if len(r.seen.seen) > 0 {
		r.finding.After = r.seen.inFrame(f)
	}
	var err error
	r.finding.Certificate, err = r.certify(f, blocks, r.slack)
	if !r.finding.Quadratic && mat.Norm(f.Inverse(), 2) > longest {
		r.finding.Certificate.Verdict = Unknown
	}
	return err
}

// longest is the norm of W̃†, whose rows have length 1, up to which a frame can be
// certified: single differences along directions that are longer hide any coupling. (Of a
// quadratic it may be a conjugate basis, which is certified by its Hessian.)
const longest = 1e7
