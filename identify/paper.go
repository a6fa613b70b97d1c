package identify

import (
	"context"

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
	w, err := p.Power.Directions(ctx, s, seed.Stream("identify", "power"))
	if err != nil {
		return Recovery{}, err
	}
	r := Recovery{Subspace: s, Directions: w, Found: w.RawMatrix().Rows}
	if p.Fill {
		r.Directions = Complete(w, f.Dim(), seed.Stream("identify", "fill"))
	}
	return r, nil
}
