package cbo

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Mirror keeps particles in a set by moving duals y instead: with a function φ that is finite
// on the set only,
//
//	y ← y − λτH (x − c) + σ√τ D(x − c) ξ,   x = ∇φ*(y)
//
// (Bungert, Hoffmann, Kim and Roith 2025, "MirrorCBO"). Particles are drawn as duals.
//
// The interface is sealed: None, Onto, Entropy and Barrier are its values.
type Mirror interface {
	// same reports whether x is y.
	same() bool
	// dual sets y to a dual of x.
	dual(y, x []float64)
	// image sets each row of x to ∇φ*(y). x may be y; scratch has room for one point.
	image(x, y *mat.Dense, scratch []float64)
}

func (None) same() bool                         { return true }
func (None) dual(y, x []float64)                { copy(y, x) }
func (None) image(_, _ *mat.Dense, _ []float64) {}
func (o Onto) same() bool                       { return false }
func (o Onto) dual(y, x []float64)              { copy(y, x) }
func (Entropy) same() bool                      { return false }
func (Barrier) same() bool                      { return false }

// Onto is φ(x) = ‖x‖²/2 on a set and ∞ elsewhere: ∇φ* is the projection onto the set. (The same
// set as Config.Domain gives projected CBO, in which it is x that moves and is projected.)
type Onto struct{ Set Domain }

// Check returns an error if Set is bad.
func (o Onto) Check(d int) error {
	switch set := o.Set.(type) {
	case nil:
		return fmt.Errorf("a mirror map onto no Set")
	case interface{ Check(d int) error }:
		return set.Check(d)
	}
	return nil
}

func (o Onto) image(x, y *mat.Dense, scratch []float64) {
	if x != y {
		x.Copy(y)
	}
	o.Set.Confine(x, scratch)
}

// Entropy is φ(x) = Σ x_j log x_j on the simplex x_j ≥ 0, Σ x_j = 1:
//
//	∇φ*(y)_j = exp(y_j) / Σ_k exp(y_k).
//
// Start says in which units, as for Scaled.
type Entropy struct{ Start objective.Box }

func (e Entropy) dual(y, x []float64) {
	for j, v := range x {
		if !e.Start.IsZero() {
			v = e.Start.Lo[j] + float64((e.Start.Hi[j]-e.Start.Lo[j])*(1+v)/2)
		}
		y[j] = kernel.LogOf(max(v, math.SmallestNonzeroFloat64))
	}
}

func (e Entropy) image(x, y *mat.Dense, _ []float64) {
	n, _ := y.Dims()
	for i := range n {
		xi := x.RawRowView(i)
		top := slices.Max(y.RawRowView(i))
		for j, v := range y.RawRowView(i) {
			xi[j] = v - top
		}
		kernel.Exp(xi, xi)
		floats.Scale(1/floats.Sum(xi), xi)
	}
	scale(x, e.Start, unscaled)
}

// Barrier is φ(x) = −Σ log(1 − s_j²), s the coordinates of x in which Box is [−1, 1]^d:
//
//	∇φ*(y)_j = y_j / (1 + √(1 + y_j²)),   in these coordinates.
type Barrier struct{ Box objective.Box }

// Check returns an error unless Box is finite and has d dimensions.
func (b Barrier) Check(d int) error { return Reflect(b).Check(d) }

func (b Barrier) dual(y, x []float64) {
	for j, v := range x {
		s := clip((2*v-b.Box.Lo[j]-b.Box.Hi[j])/(b.Box.Hi[j]-b.Box.Lo[j]), 1-singular)
		y[j] = 2 * s / (1 - float64(s*s))
	}
}

func (b Barrier) image(x, y *mat.Dense, _ []float64) {
	n, _ := y.Dims()
	for i := range n {
		xi := x.RawRowView(i)
		for j, v := range y.RawRowView(i) {
			lo, hi := b.Box.Lo[j], b.Box.Hi[j]
			s := v / (1 + math.Hypot(1, v))
			xi[j] = min(max(lo+float64((hi-lo)*(1+s)/2), lo), hi)
		}
	}
}
