package cbo

import (
	"cmp"
	"fmt"

	"github.com/untwist/untwist/internal/kernel"
)

// A Correction decides how much of its drift a particle keeps, depending on how
// much worse it is than the consensus: x ← x − λτ H(f(x) − f(c)) (x − c) + …
//
// The interface is open: any type with these methods is a Correction.
type Correction interface {
	// Asks reports whether H depends on f(c), which costs a query each step.
	Asks() bool
	// Factor returns H for a particle with f(x) − f(c) = excess.
	Factor(excess float64) float64
}

// Full is no correction, H = 1: every particle drifts.
type Full struct{}

// Asks returns false.
func (Full) Asks() bool { return false }

// Factor returns 1.
func (Full) Factor(float64) float64 { return 1 }

// Heaviside is H(e) = 1 for e > 0, else 0: particles at least as good as the
// consensus do not drift (Pinnau et al. 2017).
type Heaviside struct{}

// Asks returns true.
func (Heaviside) Asks() bool { return true }

// Factor returns 1 if excess > 0, else 0.
func (Heaviside) Factor(excess float64) float64 {
	if excess > 0 {
		return 1
	}
	return 0
}

// Regularised is H(e) = ½ + ½ tanh(e/Epsilon), a smooth Heaviside function.
type Regularised struct {
	Epsilon float64 // 0: 1e-3
}

// usualEpsilon is the default of Epsilon, in units of f. With it H is a step except for
// particles whose value is almost that of the consensus.
const usualEpsilon = 1e-3

// Asks returns true.
func (Regularised) Asks() bool { return true }

// Check returns an error if Epsilon is bad.
func (r Regularised) Check(int) error {
	if !nonNegative(r.Epsilon) {
		return fmt.Errorf("a regularised correction with Epsilon %v, which must be a number of at least 0", r.Epsilon)
	}
	return nil
}

// Factor returns ½ + ½ tanh(excess/ε) = 1/(1 + exp(−2 excess/ε)).
func (r Regularised) Factor(excess float64) float64 {
	epsilon := r.Epsilon
	epsilon = cmp.Or(epsilon, usualEpsilon)
	return 1 / (1 + kernel.ExpOf(-2*excess/epsilon))
}

// excess returns f(x) − f(c), or 0 where both have failed.
func excess(fx, fc float64) float64 {
	if fx == fc {
		return 0
	}
	return fx - fc
}
