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
	// (n×Width). work (n×Width) is scratch.
	Apply(dst, z, xi, work *mat.Dense)
}

// Isotropic is D(z) = ‖z‖ I: the same strength in every direction. Its steps
// grow with the dimension, so σ has to be about √(2/d).
type Isotropic struct{}

// Width returns d.
func (Isotropic) Width(d int) int { return d }

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

// Transformed is D(z) = W̃† diag(W̃z), anisotropic noise in the coordinates of
// a frame (section 3.2, equation "noisetrafo"). CBO on f(x) = g(W̃x) with this
// noise moves as CBO on g with anisotropic noise does. For a frame of m < d
// components ξ has m numbers, and particles explore only in the span of W̃†.
//
// It takes two matrix products per step: O(nmd) time.
type Transformed struct{ Frame *frame.Frame }

// Width returns m, the number of components of the frame.
func (t Transformed) Width(int) int { return t.Frame.Components() }

// Check returns an error unless Frame is a frame of d dimensions.
func (t Transformed) Check(d int) error { return checkFrame(t.Frame, d) }

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

// Apply sets dst to W̃†((W̃z) ∘ ξ).
func (t Transformed) Apply(dst, z, xi, work *mat.Dense) {
	t.Frame.Coordinates(work, z)
	n, _ := z.Dims()
	for i := range n {
		y := work.RawRowView(i)
		kernel.Product(y, y, xi.RawRowView(i))
	}
	t.Frame.Points(dst, work)
}
