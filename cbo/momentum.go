package cbo

import (
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// A Momentum decides what a particle makes of the drift p = −λτH(x − c) and the noise
// q = σ√τ D(x − c)ξ of a step, by what it did before. With memory the terms of that are in p
// and q too.
//
// The interface is sealed: None, Inertia and Adam are its values.
type Momentum interface {
	// keeps reports whether particles keep anything.
	keeps() bool
	// move adds to x. past, 2d numbers that are 0 at first, is what the particle keeps; k counts
	// the steps, and rate is λτ.
	move(x, p, q, past []float64, k int, rate, tau float64)
}

// None is the neutral member of Momentum (x ← x + p + q), of Mirror (x is y) and of Sight
// (all particles see all).
type None struct{}

func (None) keeps() bool { return false }

func (None) move(x, p, q, _ []float64, _ int, _, _ float64) {
	for j := range x {
		x[j] = x[j] + p[j] + q[j]
	}
}

// Inertia gives particles a mass m: u = τV is how they moved last, V being their velocity, and
//
//	u ← (m u + τ(p + q)) / (m + γτ),   x ← x + u,   γ = 1 − m
//
// (Grassi and Pareschi 2021, "From particle swarm optimization to consensus based
// optimization"; with Memory it is their stochastic PSO). m = 0 is plain
// CBO, its limit of zero inertia (Cipriani, Huang and Qiu 2022).
type Inertia struct {
	Mass float64 // m, at least 0 and below 1
}

// Check returns an error if Mass is bad.
func (i Inertia) Check(int) error {
	if !(i.Mass >= 0 && i.Mass < 1) {
		return fmt.Errorf("an inertia with Mass %v, which must be at least 0 and below 1", i.Mass)
	}
	return nil
}

func (Inertia) keeps() bool { return true }

func (i Inertia) move(x, p, q, past []float64, _ int, _, tau float64) {
	u := past[:len(x)]
	whole := i.Mass + float64((1-i.Mass)*tau)
	for j := range u {
		u[j] = (float64(i.Mass*u[j]) + float64(tau*(p[j]+q[j]))) / whole
		x[j] += u[j]
	}
}

// Adam divides the drift in each coordinate by how large it usually is. With z = p/λτ,
//
//	m ← β₁m + (1−β₁)z,   v ← β₂v + (1−β₂)z²,
//	x ← x + λτ m̂/(√v̂ + ε) + q,   m̂ = m/(1−β₁ᵏ),   v̂ = v/(1−β₂ᵏ),
//
// k counting steps from 1 (Chen, Jin and Lyu 2022, "A consensus-based global optimization
// method with adaptive momentum estimation"). It goes as far in a flat coordinate
// as in a steep one, λτ a step, and needs a small λτ in the end.
type Adam struct {
	Beta1, Beta2 float64 // 0: 0.9 and 0.99
}

// usualBeta1 and usualBeta2 are the customary constants, and adamEpsilon keeps 0/0 away.
const usualBeta1, usualBeta2, adamEpsilon = 0.9, 0.99, 1e-8

// Check returns an error if a field is bad.
func (a Adam) Check(int) error {
	if !(a.Beta1 >= 0 && a.Beta1 < 1 && a.Beta2 >= 0 && a.Beta2 < 1) {
		return fmt.Errorf("an Adam with Beta1 %v and Beta2 %v, which must be at least 0 and below 1", a.Beta1, a.Beta2)
	}
	return nil
}

func (Adam) keeps() bool { return true }

func (a Adam) move(x, p, q, past []float64, k int, rate, _ float64) {
	setDefault(&a.Beta1, usualBeta1)
	setDefault(&a.Beta2, usualBeta2)
	if rate == 0 {
		kernel.AddScaled(x, 1, q)
		return
	}
	m, v := past[:len(x)], past[len(x):]
	first, second := 1-math.Pow(a.Beta1, float64(k+1)), 1-math.Pow(a.Beta2, float64(k+1))
	for j := range x {
		z := p[j] / rate
		m[j] = float64(a.Beta1*m[j]) + float64((1-a.Beta1)*z)
		v[j] = float64(a.Beta2*v[j]) + float64((1-a.Beta2)*z*z)
		x[j] += float64(rate*(m[j]/first)/(math.Sqrt(v[j]/second)+adamEpsilon)) + q[j]
	}
}
