package identify

import (
	"context"
	"errors"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Paper is Algorithm 1 of the paper: sample Hessians, take their span 𝒲̂, find
// the w_j in it.
//
// It costs Samples·2(d²+d) queries: 3,030,000 for 150 Hessians at d = 100. It
// fails where Hessians do not vary enough for 𝒲̂ to have rank m, as on any
// quadratic, whose Hessian is constant: then Rank is 1, and the one direction
// means nothing. The squared norm is such.
type Paper struct {
	Samples int            // N_H, at least 1
	Region  hessian.Region // μ
	Step    float64        // ε

	// Threshold is the singular value from which on directions of 𝒲̂ count; 0:
	// those before the widest gap.
	Threshold float64
	Power     Power

	// Fill completes what was found to d rows by random orthonormal ones.
	Fill bool

	// Stage, if not nil, is told what is being done from now on, in a word.
	Stage func(name string)
}

// ErrOneDimensional says that all Hessians are multiples of one: f is quadratic
// where it was sampled. The paper's road cannot tell components apart then.
var ErrOneDimensional = errors.New("identify: all sampled Hessians are multiples of one, so that they span one dimension: f is quadratic there, and the paper's road cannot tell its components apart")

// half is half the width of the paper's start box.
const half = 5.12

// PapersSettings are those of the paper's experiment, for a function whose start
// box is [-1, 1]^d where the paper's is [-5.12, 5.12]^d: 1.5d Hessians in a ball
// of radius 20, ε = 1e-3, 8d starts; with deflation.
func PapersSettings(d int) Paper {
	return Paper{
		Samples: (3*d + 1) / 2, Region: hessian.Ball{Radius: 20 / half}, Step: 1e-3 / half,
		Power: Power{Restarts: 8 * d, Deflate: true},
	}
}

// PapersExperiment are the settings behind the paper's table, for a start box as above:
// singular values above 1e-3 count, no deflation, and what is missing of d directions is
// filled up at random.
func PapersExperiment(d int) Paper {
	p := PapersSettings(d)
	p.Threshold = 1e-3 * half * half
	p.Power.Deflate = false
	p.Fill = true
	return p
}

// Find runs the algorithm and certifies what it found, at points of a box.
func (p Paper) Find(ctx context.Context, f objective.Objective, box objective.Box, seed rng.Seed) (*Finding, error) {
	found := &Finding{Linear: -1, Certificate: Certificate{Verdict: Unknown}}
	r, err := p.Identify(ctx, f, seed)
	if r.Subspace != nil {
		found.Spectrum = r.Subspace.Singular
	}
	if err != nil {
		return found, err
	}
	if r.Subspace.Rank() == 1 && f.Dim() > 1 && !p.Fill {
		return found, ErrOneDimensional
	}
	if found.Frame, err = frame.New(r.Directions); err != nil {
		return found, err
	}
	found.Blocks = singles(found.Frame.Components())
	p.enter("certificate")
	s := &surveyor{
		ctx: ctx, f: f, box: hessian.Box{Box: box}, stream: seed.Stream("identify", "certificate"),
		bounds: objective.Cube(f.Dim(), math.Inf(-1), math.Inf(1)),
	}
	found.Certificate, err = s.certify(found.Frame, found.Blocks, 0)
	return found, err
}

// enter begins a stage.
func (p Paper) enter(stage string) {
	if p.Stage != nil {
		p.Stage(stage)
	}
}

// A Recovery is what the paper's road has found.
type Recovery struct {
	Subspace   *Subspace
	Directions *mat.Dense // the w̃_j, a row each
	Found      int        // how many of them the power method has found
}

// Identify runs the algorithm on f. Random numbers come from the streams
// ("identify", "sample"), ("identify", "power") and ("identify", "fill").
func (p Paper) Identify(ctx context.Context, f objective.Objective, seed rng.Seed) (Recovery, error) {
	var hessians []*mat.Dense
	x, stream := make([]float64, f.Dim()), seed.Stream("identify", "sample")
	p.enter("hessians")
	for range p.Samples {
		p.Region.Draw(x, stream)
		e, err := hessian.FourPoint.At(ctx, f, x, nil, p.Step)
		if err != nil {
			return Recovery{}, err
		}
		hessians = append(hessians, e.Hessian)
	}
	s, err := Span(hessians, p.Threshold)
	if err != nil {
		return Recovery{}, err
	}
	p.enter("power method")
	w, err := p.Power.Directions(ctx, s, seed.Stream("identify", "power"))
	if err != nil {
		return Recovery{Subspace: s}, err
	}
	r := Recovery{Subspace: s, Directions: w, Found: w.RawMatrix().Rows}
	if p.Fill {
		r.Directions = Complete(w, f.Dim(), seed.Stream("identify", "fill"))
	}
	return r, nil
}
