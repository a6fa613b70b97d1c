package cbo

import (
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Sight says which particles a particle sees.
//
// The interface is sealed: None and Polarised are its only values.
type Sight interface {
	// all reports whether there is one consensus for all.
	all() bool
	// consensus sets each row of own to that of a member. near, as large as own, and scratch,
	// as long as members, are scratch.
	consensus(own, x *mat.Dense, energies []float64, members []int, alpha float64, near *mat.Dense, scratch []float64)
	// minimisers returns where particles have come together.
	minimisers(x *mat.Dense, energies []float64) []Minimiser
}

func (None) all() bool                                    { return true }
func (None) minimisers(*mat.Dense, []float64) []Minimiser { return nil }
func (None) consensus(_, _ *mat.Dense, _ []float64, _ []int, _ float64, _ *mat.Dense, _ []float64) {
}

// Polarised lets a particle see those that are near, so that particles form a consensus in each
// of several minimisers at once,
//
//	c(x) = Σ ω_i(x) x^(i) / Σ ω_i(x),   ω_i(x) = exp(−αf(x^(i)) − ‖x − x^(i)‖²/2κ²)
//
// (Bungert, Roith and Wacker 2022, "Polarized consensus-based dynamics for optimization and
// sampling"). κ = ∞ is None. Of two minimisers that are r apart the worse one is kept if it is
// worse by less than about r²/2ακ². The particles have to be many: some ten for each minimiser. It
// takes O(n²d) time a step.
type Polarised struct {
	Kappa float64 // κ, in the unit of x
}

// Check returns an error if Kappa is bad.
func (p Polarised) Check(int) error {
	if !(p.Kappa > 0) {
		return fmt.Errorf("a polarised consensus with Kappa %v, which must be above 0", p.Kappa)
	}
	return nil
}

func (Polarised) all() bool { return false }

func (p Polarised) consensus(own, x *mat.Dense, energies []float64, members []int, alpha float64, near *mat.Dense, scratch []float64) {
	base := least(energies, members)
	for m, i := range members {
		copy(near.RawRowView(m), x.RawRowView(i))
	}
	for m := range members {
		xi, c := near.RawRowView(m), own.RawRowView(m)
		for k, j := range members {
			scratch[k] = -float64(alpha*excess(energies[j], base)) - squared(xi, near.RawRowView(k))/(2*p.Kappa*p.Kappa)
		}
		top := slices.Max(scratch)
		if math.IsInf(top, -1) || math.IsNaN(top) { // all that it sees have failed: it stays
			copy(c, xi)
			continue
		}
		for k := range scratch {
			scratch[k] -= top
		}
		kernel.Exp(scratch, scratch)
		floats.Scale(1/floats.Sum(scratch), scratch)
		kernel.MulVecT(c, near.RawMatrix(), scratch)
	}
}

func squared(x, y []float64) (sum float64) {
	for j, v := range x {
		sum += float64((v - y[j]) * (v - y[j]))
	}
	return sum
}

// A Minimiser is one of several.
type Minimiser struct {
	Point     []float64
	Value     float64
	Particles int // how many have come there
}

// minimisers takes the particles from the best to the worst. One that is within 2κ of a
// minimiser belongs to it, and any other is one. (The Gaussians around two points of equal weight
// have two modes if these are more than 2κ apart, else one.) Those to which no other particle has
// come are left out.
func (p Polarised) minimisers(x *mat.Dense, energies []float64) (found []Minimiser) {
	for _, i := range inOrder(energies) {
		at := slices.IndexFunc(found, func(m Minimiser) bool { return floats.Distance(m.Point, x.RawRowView(i), 2) <= 2*p.Kappa })
		if at < 0 {
			found = append(found, Minimiser{Point: slices.Clone(x.RawRowView(i)), Value: energies[i]})
			at = len(found) - 1
		}
		found[at].Particles++
	}
	return slices.DeleteFunc(found, func(m Minimiser) bool { return m.Particles < 2 })
}
