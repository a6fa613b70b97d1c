package cbo

import (
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Noise is D, the matrix that shapes a particle's random step, depending on its
// distance z = x − c from the consensus.
//
// The interface is open: any type with these methods is a Noise.
type Noise interface {
	// Width returns how many random numbers ξ a particle of d dimensions needs.
	Width(d int) int
	// Apply sets each row of dst to D(z)ξ for the same row of z (n×d) and of xi
	// (n×Width). work (n×Width) is scratch. dst may be z.
	Apply(dst, z, xi, work *mat.Dense)
}

// UsualSigma returns the default of σ for a noise in d dimensions: 7.1, or what the noise has
// of its own.
func UsualSigma(noise Noise, d int) Schedule {
	if n, ok := noise.(interface{ usual(d int) float64 }); ok {
		return Constant(n.usual(d))
	}
	return Constant(7.1)
}

// Isotropic is D(z) = ‖z‖ I: the same strength in every direction. Its steps
// grow with the dimension, so the default of σ is √(2/d): a step changes the mean
// square distance of a particle from the consensus by the factor (1−λτ)² + σ²τd,
// which for λ = 1 is 1 at about that σ. With less noise the particles collapse
// early, with more they do not settle.
type Isotropic struct{}

// Width returns d.
func (Isotropic) Width(d int) int { return d }

func (Isotropic) usual(d int) float64 { return math.Sqrt(2 / float64(d)) }

// Apply sets dst to ‖z‖ ξ.
func (Isotropic) Apply(dst, z, xi, _ *mat.Dense) {
	n, _ := z.Dims()
	for i := range n {
		zi, xii, out := z.RawRowView(i), xi.RawRowView(i), dst.RawRowView(i)
		norm := 0.0
		for _, v := range zi {
			norm += float64(v * v)
		}
		norm = math.Sqrt(norm)
		for j := range out {
			out[j] = norm * xii[j]
		}
	}
}

// Anisotropic is D(z) = diag(z_1, …, z_d): each coordinate explores as far as
// it is from the consensus. It suits functions that separate in the standard
// coordinates, and fails where the coordinates are rotated.
type Anisotropic struct{}

// Width returns d.
func (Anisotropic) Width(d int) int { return d }

// Apply sets dst to diag(z) ξ.
func (Anisotropic) Apply(dst, z, xi, _ *mat.Dense) {
	n, _ := z.Dims()
	for i := range n {
		kernel.Product(dst.RawRowView(i), z.RawRowView(i), xi.RawRowView(i))
	}
}

// Additive is D(z) = I: noise that does not fade at the consensus. With λτ = 1 it is
// consensus hopping, see Hopping.
type Additive struct{}

// Width returns d.
func (Additive) Width(d int) int { return d }

// Apply sets dst to ξ.
func (Additive) Apply(dst, _, xi, _ *mat.Dense) { dst.Copy(xi) }

// Hopping returns c as consensus hopping with the radius σ̃: each step draws all particles
// anew around their consensus,
//
//	x ← c + σ̃ξ,
//
// which is a step with τ = λ = 1, σ = σ̃ and Additive noise (Riedl, Klock, Geldhauser and
// Fornasier 2024, "How consensus-based optimization can be interpreted as a stochastic
// relaxation of gradient descent").
func (c Config) Hopping(radius float64) Config {
	c.Tau, c.Lambda, c.Sigma, c.Noise = 1, 1, Constant(radius), Additive{}
	return c
}

// Truncated is D(z) = D_Of(z min(1, Most/‖z‖)): noise that grows with the distance from the
// consensus only up to Most. With Isotropic noise it is (‖z‖ ∧ M) I (Fornasier, Richtárik, Riedl
// and Sun 2024, "Consensus-based optimisation with truncated noise"; their other parameter,
// R, is ∞ here). Where Most is ∞ it is Of.
type Truncated struct {
	Of   Noise   // nil: Anisotropic
	Most float64 // M
}

// Width returns that of Of.
func (t Truncated) Width(d int) int { return orAnisotropic(t.Of).Width(d) }

func (t Truncated) usual(d int) float64 { return UsualSigma(t.Of, d).At(0) }

// Check returns an error if Most or Of is bad.
func (t Truncated) Check(d int) error {
	if !(t.Most > 0) {
		return fmt.Errorf("a truncated noise with Most %v, which must be above 0", t.Most)
	}
	return checkOf(t.Of, d)
}

// Apply sets dst to D_Of(z min(1, M/‖z‖)) ξ.
func (t Truncated) Apply(dst, z, xi, work *mat.Dense) {
	n, _ := z.Dims()
	for i := range n {
		zi, out := z.RawRowView(i), dst.RawRowView(i)
		part := 1.0
		if norm := math.Sqrt(kernel.Dot(zi, zi)); norm > t.Most {
			part = t.Most / norm
		}
		for j := range out {
			out[j] = part * zi[j]
		}
	}
	orAnisotropic(t.Of).Apply(dst, dst, xi, work)
}

// Transformed is D(z) = W̃† D_Of(W̃z), a noise in the coordinates of a frame: with
// Anisotropic noise W̃† diag(W̃z) (section 3.2, equation "noisetrafo"). CBO on
// f(x) = g(W̃x) with this noise moves as CBO on g with Of does. For a frame of m < d
// components ξ has m numbers, and particles explore only in the span of W̃†.
//
// It takes two matrix products per step: O(nmd) time.
type Transformed struct {
	Frame *frame.Frame
	Of    Noise // nil: Anisotropic
}

// Width returns m, the number of components of the frame.
func (t Transformed) Width(int) int { return t.Frame.Components() }

func (t Transformed) usual(d int) float64 { return UsualSigma(t.Of, d).At(0) }

// Check returns an error unless Frame is a frame of d dimensions and Of a noise for it.
func (t Transformed) Check(d int) error {
	if err := checkFrame(t.Frame, d); err != nil {
		return err
	}
	return checkOf(t.Of, t.Frame.Components())
}

// orAnisotropic returns of, or Anisotropic if it is nil.
func orAnisotropic(of Noise) Noise {
	if of == nil {
		return Anisotropic{}
	}
	return of
}

// checkOf returns an error unless of, a noise within another, can be that: it needs d
// numbers for d dimensions, and no weights.
func checkOf(of Noise, d int) error {
	switch of := of.(type) {
	case Transformed, Blended, Covariance:
		return fmt.Errorf("has %T within, which cannot be in another noise", of)
	case interface{ Check(d int) error }:
		return of.Check(d)
	}
	return nil
}

// checkFrame returns an error unless f is a frame of d dimensions.
func checkFrame(f *frame.Frame, d int) error {
	if f == nil {
		return errors.New("needs a Frame and has none")
	}
	if f.Dim() != d {
		return fmt.Errorf("has a Frame of %d dimensions, but the objective has %d", f.Dim(), d)
	}
	return nil
}

// Apply sets dst to W̃†D_Of(W̃z)ξ.
func (t Transformed) Apply(dst, z, xi, work *mat.Dense) {
	t.Frame.Coordinates(work, z)
	orAnisotropic(t.Of).Apply(work, work, xi, nil)
	t.Frame.Points(dst, work)
}
