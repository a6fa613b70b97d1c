package identify

import (
	"context"
	"errors"
	"math"
	"strings"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/powermethod"
	"gonum.org/v1/gonum/mat"
)

// Paper is Algorithm 1 of the paper: sample Hessians Ĥ_ε at points x⁽ⁱ⁾ ∼ μ, take their
// span 𝒲̂, and find the w_j in it.
//
// Its zero value has the settings of the authors' published experiment, but for
// Power.Selection, of which a line below tells. The start box, which must
// have the same width in all coordinates, stands for the paper's, [-5.12, 5.12]^d. In its
// units there are 1.5d Hessians from a ball of radius 20, ε is 1e-3, singular values above
// 1e-3 count, there are 8d starts without deflation, and directions that are missing to d
// are filled up at random. Paper takes no bounds.
//
// It costs 2(d²+d) queries for each Hessian: 3,030,000 for 150 Hessians at d = 100. It
// fails where Hessians do not vary enough for 𝒲̂ to have rank m, as on any
// quadratic, whose Hessian is constant: then the rank is 1, and the one direction
// means nothing. The squared norm is such. There the published experiment keeps all limits
// of the power method (powermethod.AllLimits), and Paper only as many as the rank is.
type Paper struct {
	// Samples is N_H; 0: 1.5d.
	Samples int
	// Region is μ, where Hessians are sampled, in coordinates in which the start box is
	// [-1, 1]^d; nil: a ball of radius 20/5.12.
	Region hessian.Region
	// Step is ε, in the same coordinates; 0: 1e-3/5.12.
	Step float64
	// Rank decides how many singular values count; nil: those above 1e-3·5.12².
	Rank powermethod.Rank
	// Power is the subspace power method; zero: 8d starts without deflation.
	Power powermethod.Method
	// Unfilled leaves what was found as it is, even if that is fewer than d rows. Then a
	// rank of 1 is the error ErrOneDimensional.
	Unfilled bool
}

// allLimits is Paper with the selection of the authors' published experiment.
var allLimits = Paper{Power: powermethod.Method{Selection: powermethod.AllLimits{}}}

// Name returns "paper", and "paper-all-limits" if Power.Selection is powermethod.AllLimits.
func (p Paper) Name() string {
	if _, all := p.Power.Selection.(powermethod.AllLimits); all {
		return "paper-all-limits"
	}
	return "paper"
}

// The settings of the paper's experiment (section 4), in its own coordinates.
const (
	startHalf     = 5.12 // half the width of its start box
	ballRadius    = 20   // of μ
	epsilon       = 1e-3 // ε
	leastSingular = 1e-3 // singular values above count
	startsPerRow  = 8    // N_restarts/d
)

// complete puts the paper's settings in, in coordinates in which the start box is
// [-1, 1]^d, and returns an *objective.OptionError if a field is bad.
func (p Paper) complete(d int) (Paper, error) {
	if p.Samples == 0 {
		p.Samples = (3*d + 1) / 2
	}
	if p.Samples < 0 {
		return p, objective.BadOption("Samples", "%d, must be at least 1", p.Samples)
	}
	if p.Region == nil {
		p.Region = hessian.Ball{Radius: ballRadius / startHalf}
	}
	if p.Step == 0 {
		p.Step = epsilon / startHalf
	}
	if !(p.Step > 0) || math.IsInf(p.Step, 1) {
		return p, objective.BadOption("Step", "%v, must be a number above 0", p.Step)
	}
	if p.Rank == nil {
		p.Rank = powermethod.Above(leastSingular * startHalf * startHalf) // H is in units of the box
	}
	if p.Power.Restarts == 0 {
		p.Power.Restarts = startsPerRow * d
	}
	return p, nil
}

// Check returns an *objective.OptionError if a field, or the request, is bad.
func (p Paper) Check(d int, r Request) error {
	if err := r.complete(d); err != nil {
		return err
	}
	if r.bounded() {
		return objective.BadOption("Bounds", "the paper's way does not take any")
	}
	_, err := p.complete(d)
	return err
}

// Identify runs the algorithm and certifies what it found, at points of the box. Random
// numbers come from the streams ("identify", "sample"), ("identify", "power"),
// ("identify", "fill") and ("identify", "certificate").
func (p Paper) Identify(ctx context.Context, f objective.Objective, r Request) (*Finding, error) {
	found := Known(nil, nil)
	if err := p.Check(f.Dim(), r); err != nil {
		return found, err
	}
	if err := r.complete(f.Dim()); err != nil {
		return found, err
	}
	unit, err := unitBox(f, r.Box)
	if err != nil {
		return found, err
	}
	recovery, err := p.Recover(ctx, unit, r)
	if recovery.Subspace != nil {
		found.Spectrum = Spectrum{SingularValues, recovery.Subspace.Singular}
	}
	if err != nil {
		return found, err
	}
	if recovery.Subspace.Rank() == 1 && f.Dim() > 1 {
		if p.Unfilled {
			return found, ErrOneDimensional
		}
		found.Notes = append(found.Notes, strings.TrimPrefix(ErrOneDimensional.Error(), "identify: "))
	}
	if found.Frame, err = p.frame(recovery.Directions); err != nil {
		return found, err
	}
	found.Blocks = certify.Singles(found.Frame.Components())
	r.Stage(certificate)
	test := certify.Test{Box: r.Box, Random: rng.Seed(r.Seed).Stream("identify", "certificate")}
	found.Certificate, err = test.Certify(ctx, f, found.Frame, found.Blocks)
	return found, err
}

// frame makes a frame of directions. All limits may be dependent.
func (p Paper) frame(directions *mat.Dense) (*frame.Frame, error) {
	if p.Name() == allLimits.Name() {
		return frame.Pseudo(directions)
	}
	return frame.New(directions)
}

// sameWidth is how far two widths may differ, as a part of them, and still be the same but
// for rounding.
const sameWidth = 1e-9

// unitBox returns f in coordinates in which the box is [-1, 1]^d.
func unitBox(f objective.Objective, box objective.Box) (objective.Objective, error) {
	width, unit := box.Hi[0]-box.Lo[0], true
	for k := range box.Lo {
		if math.Abs(box.Hi[k]-box.Lo[k]-width) > sameWidth*width {
			return nil, objective.BadOption("Box", "coordinate %d: %v:%v is not as wide as the first; the paper's way needs the same width everywhere", k+1, box.Lo[k], box.Hi[k])
		}
		unit = unit && box.Lo[k] == -1 && box.Hi[k] == 1
	}
	if unit {
		return f, nil
	}
	return query.NewScale(f, box, unbounded(f.Dim())), nil
}

// A Recovery is what Algorithm 1 has found.
type Recovery struct {
	Subspace   *powermethod.Subspace
	Directions *mat.Dense // the w̃_j, a row each
	Found      int        // how many of them the power method has found
}

// Recover runs the algorithm on a function whose start box is [-1, 1]^d, and certifies
// nothing. Of the request it uses Seed and Stage.
func (p Paper) Recover(ctx context.Context, f objective.Objective, r Request) (Recovery, error) {
	d := f.Dim()
	if err := r.complete(d); err != nil {
		return Recovery{}, err
	}
	p, err := p.complete(d)
	if err != nil {
		return Recovery{}, err
	}
	seed := rng.Seed(r.Seed)
	var sampled []*mat.Dense
	x, stream := make([]float64, d), seed.Stream("identify", "sample")
	r.Stage(hessians)
	for range p.Samples {
		p.Region.Draw(x, stream)
		e, err := hessian.FourPoint.At(ctx, f, x, nil, p.Step)
		if err != nil {
			return Recovery{}, err
		}
		sampled = append(sampled, e.Hessian)
	}
	s, err := powermethod.Span(sampled, p.Rank)
	if err != nil {
		return Recovery{}, uncurved(err)
	}
	r.Stage(powerMethod)
	w, err := p.Power.Directions(ctx, s, seed.Stream("identify", "power"))
	if err != nil {
		return Recovery{Subspace: s}, err
	}
	out := Recovery{Subspace: s, Directions: w, Found: w.RawMatrix().Rows}
	if !p.Unfilled {
		out.Directions = powermethod.Complete(w, d, seed.Stream("identify", "fill"))
	}
	return out, nil
}

// uncurved says in the words of this package why Hessians have no span.
func uncurved(err error) error {
	if errors.Is(err, powermethod.ErrFlat) {
		return ErrSingular
	}
	return ErrNotFinite
}
