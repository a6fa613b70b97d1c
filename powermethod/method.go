// Package powermethod is Algorithm 1 of Fiedler and Roith, "Consensus-based optimization
// for linearly separable functions", section 2.2, from the Hessians on. Matrices go in,
// directions come out; no function is asked for anything.
//
// If f(x) = Σ_j f_j(⟨w_j, x⟩), every Hessian of f lies in
//
//	𝒲 = span{w_1⊗w_1, …, w_m⊗w_m}.
//
// Span estimates 𝒲 from sampled Hessians, and Method.Directions finds the w_j in it.
// Start there. Package hessian samples the Hessians, and identify.Paper puts it all
// together. What the section defines, and where it is:
//
//	μ, the distribution of the points x⁽ⁱ⁾       hessian.Region, hessian.Ball
//	Ĥ_ε, the Hessian by finite differences       hessian.Stencil, hessian.FourPoint
//	Ŷ and its singular value decomposition       Span
//	m, the gap in the spectrum of Ŷ              Rank, WidestGap, Above
//	𝒲̂                                            Subspace
//	𝒲                                            Ridges
//	α_H, the condition of identifiability        Subspace.Identifiability
//	‖P_𝒲 − P_𝒲̂‖ of the propositions              Subspace.Distance
//	‖P_𝒲̂(u⊗u)‖², what is maximised               Subspace.Value
//	ρ₂, the incoherence of the w_j               Coherence
//	v ← Π(v + γ∇‖P_𝒲̂(v⊗v)‖²)                     Method
//	the selection of different v                 Selection, Highest, AllLimits
//	Algorithm 1 as a whole                       identify.Paper.Recover
package powermethod

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Method is the subspace power method of Algorithm 1: from random starts on the
// sphere, L steps of gradient ascent on ‖P_𝒲̂(v⊗v)‖_F²,
//
//	v ← Π(v + γ∇‖P_𝒲̂(v⊗v)‖_F²) = Π(v + 4γ P_𝒲̂(v⊗v)v),   Π(x) = x/‖x‖.
//
// (On the sphere that is a step along the Riemannian gradient
// g − ⟨g, v⟩v, g = 4P_𝒲̂(v⊗v)v, of length γ/(1 + γ⟨g, v⟩).) Where the w_j are
// nearly orthogonal its limits are the ±w_j and some spurious points of lower
// value (the second proposition of section 2.2).
//
// A step costs md² + 2md multiply-adds for each start: at d = m = 100, 800
// starts and 200 steps take some seconds.
type Method struct {
	Gamma    float64 // γ, ½ or more; 0: 1, as in the paper's experiment
	Restarts int     // N_restarts; 0: 8m
	Steps    int     // L; 0: 200, as in the paper's experiment

	// Reject is the value ‖P_𝒲̂(v⊗v)‖_F² below which a limit counts as spurious;
	// 0: none does, as in the paper's experiment.
	Reject float64

	// Deflate starts again, as often as it finds something new, in what is left
	// of 𝒲̂ without the directions found. Fewer restarts suffice then.
	Deflate bool

	// Selection decides which limits become directions; nil: Highest. The authors' published
	// experiment has AllLimits.
	Selection Selection
}

// complete puts the defaults in and returns an *objective.OptionError if a field is bad.
func (p Method) complete(m int) (Method, error) {
	p.Gamma = cmp.Or(p.Gamma, 1)
	p.Restarts = cmp.Or(p.Restarts, 8*m)
	p.Steps = cmp.Or(p.Steps, 200)
	if p.Selection == nil {
		p.Selection = Highest{}
	}
	switch {
	case !(p.Gamma > 0) || math.IsInf(p.Gamma, 1):
		return p, objective.BadOption("Gamma", "%v, must be a number above 0", p.Gamma)
	case p.Restarts < 0:
		return p, objective.BadOption("Restarts", "%d, must be at least 1", p.Restarts)
	case p.Steps < 0:
		return p, objective.BadOption("Steps", "%d, must be at least 1", p.Steps)
	case !(p.Reject >= 0):
		return p, objective.BadOption("Reject", "%v, must be a number of at least 0", p.Reject)
	}
	return p, nil
}

// Directions returns the directions that the method finds in s, a row each, at
// least one and at most d: of the limits that differ those that Selection keeps. It ends
// early with ctx.
func (p Method) Directions(ctx context.Context, s *Subspace, random objective.Random) (*mat.Dense, error) {
	p, err := p.complete(s.Rank())
	if err != nil {
		return nil, err
	}
	found := &distinct{d: s.d}
	for rest := s; rest != nil; rest = s.without(found.rows) {
		v := rng.Sphere(p.Restarts, s.d, random)
		if err := p.ascend(ctx, rest, v); err != nil {
			return nil, err
		}
		if rest != s { // in the whole of 𝒲̂ the maximisers are the w_j themselves
			if err := p.ascend(ctx, s, v); err != nil {
				return nil, err
			}
		}
		before := len(found.rows)
		found.add(v, s, p.Reject)
		if !p.Deflate || len(found.rows) == before || len(found.rows) >= s.Rank() {
			break
		}
	}
	if len(found.rows) == 0 {
		return nil, fmt.Errorf("powermethod: none of %d starts came to a value of %g", p.Restarts, p.Reject)
	}
	return found.matrix(s, p.Selection), nil
}

// startsAtOnce is how many starts are moved together, so that their products with all
// B_k, m·d numbers for each, stay in the cache.
const startsAtOnce = 128

// ascend moves every row of v by p.Steps steps.
func (p Method) ascend(ctx context.Context, s *Subspace, v *mat.Dense) error {
	n, d := v.Dims()
	m := s.Rank()
	beside := s.beside()
	z := make([]float64, startsAtOnce*m*d)
	c, g := make([]float64, m), make([]float64, d)
	for lo := 0; lo < n; lo += startsAtOnce {
		rows := min(startsAtOnce, n-lo)
		part := blas64.General{Rows: rows, Cols: d, Stride: d, Data: v.RawMatrix().Data[lo*d:]}
		zs := blas64.General{Rows: rows, Cols: m * d, Stride: m * d, Data: z}
		for range p.Steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			kernel.Mul(zs, 1, part, beside.RawMatrix(), 0)
			for r := range rows {
				vr := part.Data[r*d : (r+1)*d]
				// Row k of zr is B_k v: c_k = vᵀB_k v and g = Σ c_k B_k v.
				zr := blas64.General{Rows: m, Cols: d, Stride: d, Data: z[r*m*d : (r+1)*m*d]}
				kernel.MulVec(c, zr, vr)
				kernel.MulVecT(g, zr, c)
				kernel.AddScaled(vr, 4*p.Gamma, g)
				kernel.Normalise(vr)
			}
		}
	}
	return nil
}

// beside returns the matrix (B_1 … B_m), d×md.
func (s *Subspace) beside() *mat.Dense {
	m := s.Rank()
	out := mat.NewDense(s.d, m*s.d, nil)
	for k := range m {
		for i := range s.d {
			copy(out.RawRowView(i)[k*s.d:], s.basis.RawRowView(k)[i*s.d:(i+1)*s.d])
		}
	}
	return out
}

// without returns the part of s that is orthogonal to v⊗v for all rows v, nil
// if there is none.
func (s *Subspace) without(rows [][]float64) *Subspace {
	m := s.Rank()
	if len(rows) >= m {
		return nil
	}
	// In the coordinates of the basis: the complement of c_k = ⟨B_k, v⊗v⟩.
	coordinates := mat.NewDense(m, len(rows), nil)
	z := make([]float64, s.d)
	for j, v := range rows {
		for k := range m {
			kernel.MulVec(z, mat.NewDense(s.d, s.d, s.basis.RawRowView(k)).RawMatrix(), v)
			coordinates.Set(k, j, kernel.Dot(z, v))
		}
	}
	var qr mat.QR
	qr.Factorize(coordinates)
	var q mat.Dense
	qr.QTo(&q)
	left := mat.DenseCopyOf(q.Slice(0, m, len(rows), m).T())
	rest := &Subspace{d: s.d, basis: mat.NewDense(m-len(rows), s.d*s.d, nil)}
	kernel.Mul(rest.basis.RawMatrix(), 1, left.RawMatrix(), s.basis.RawMatrix(), 0)
	return rest
}
