package cbo

import (
	"fmt"
	"math"

	"github.com/untwist/untwist/frame"
	"gonum.org/v1/gonum/mat"
)

// Blended is noise in a frame for a part β of the particles, and in the coordinates given for
// the others. Of n particles
//
//	D(z) = W̃†D_Of(W̃z)   for the first ⌊βn⌋,   D(z) = D_Of(z)   for the rest,
//
// so β = 0 is Of, by default Anisotropic, and β = 1 is Transformed. It suits a frame that is not certain:
// particles of both kinds form one consensus, and those that do better lead. A sum of both
// matrices for each particle, (1−β)diag(z) + βW̃†diag(W̃z), is no such thing: the least part
// of noise in the wrong coordinates keeps a particle from settling in the right ones.
//
// The frame has as many components as dimensions.
type Blended struct {
	Frame *frame.Frame
	Beta  float64 // β, from 0 to 1
	Of    Noise   // nil: Anisotropic
}

// Width returns d.
func (Blended) Width(d int) int       { return d }
func (b Blended) usual(d int) float64 { return UsualSigma(b.Of, d).At(0) }

// Check returns an error unless Frame is square, of d dimensions, and Beta is from 0 to 1.
func (b Blended) Check(d int) error {
	if !(b.Beta >= 0 && b.Beta <= 1) {
		return fmt.Errorf("has Beta %v, which must be from 0 to 1", b.Beta)
	}
	if err := checkFrame(b.Frame, d); err != nil {
		return err
	}
	if m := b.Frame.Components(); m != d {
		return fmt.Errorf("has a Frame of %d components, but the objective has %d dimensions", m, d)
	}
	return checkOf(b.Of, d)
}

// Apply sets dst to W̃†D_Of(W̃z)ξ in the first ⌊βn⌋ rows, and to D_Of(z)ξ in the others.
func (b Blended) Apply(dst, z, xi, work *mat.Dense) {
	n, _ := z.Dims()
	k := int(math.Floor(float64(b.Beta * float64(n))))
	parts(k, n, func(lo, hi int, inFrame bool) {
		apply := orAnisotropic(b.Of).Apply
		if inFrame {
			apply = Transformed{b.Frame, b.Of}.Apply
		}
		apply(rows(dst, lo, hi), rows(z, lo, hi), rows(xi, lo, hi), rows(work, lo, hi))
	})
}

// ClipBlended is the domain of Blended: the same particles are clipped in the frame, the
// others in the coordinates given.
type ClipBlended struct {
	Blended
	Radius float64
}

// Check returns an error if the frame, β or Radius is bad.
func (c ClipBlended) Check(d int) error {
	if err := c.Blended.Check(d); err != nil {
		return err
	}
	return checkRadius(c.Radius)
}

// Confine clips the first ⌊βn⌋ rows in the frame, and the others as they are.
func (c ClipBlended) Confine(points *mat.Dense, scratch []float64) {
	n, _ := points.Dims()
	k := int(math.Floor(float64(c.Beta * float64(n))))
	parts(k, n, func(lo, hi int, inFrame bool) {
		var domain Domain = Clip{c.Radius}
		if inFrame {
			domain = ClipIn{c.Frame, c.Radius}
		}
		domain.Confine(rows(points, lo, hi), scratch)
	})
}

// parts calls do for the rows 0…k−1, which are in the frame, and k…n−1, if there are any.
func parts(k, n int, do func(lo, hi int, inFrame bool)) {
	if k > 0 {
		do(0, k, true)
	}
	if k < n {
		do(k, n, false)
	}
}

func rows(m *mat.Dense, lo, hi int) *mat.Dense {
	_, columns := m.Dims()
	return m.Slice(lo, hi, 0, columns).(*mat.Dense)
}
