package cbo

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// A Memory decides what particles remember. The consensus is formed from the
// remembered positions, and each particle is also pulled towards its own.
//
// The interface is sealed: Forget and Remember are its only values.
type Memory interface {
	// recall returns the positions and energies from which the consensus is
	// formed, given the current ones at the start of a run.
	recall(x *mat.Dense, energies []float64) (*mat.Dense, []float64)
	// pull returns λ_m and σ_m, given σ.
	pull(sigma float64) (lambda, sigmaM float64)
}

// Forget remembers nothing. The consensus is formed from the current positions.
type Forget struct{}

func (Forget) recall(x *mat.Dense, energies []float64) (*mat.Dense, []float64) { return x, energies }
func (Forget) pull(float64) (lambda, sigmaM float64)                           { return 0, 0 }

// Remember lets every particle keep p, the best position that it has had. The
// consensus is formed from these positions, and each pulls its particle:
//
//	x ← x − λτ(x − c) + σ√τ D(x − c)ξ − λ_m τ(x − p) + σ_m √τ D(x − p)ζ
//
// (Grassi and Pareschi 2021; Riedl 2023).
type Remember struct {
	Lambda float64 // λ_m; 0.4 is customary
	Sigma  float64 // σ_m; 0: λ_m σ
}

// Check returns an error if Lambda or Sigma is bad.
func (m Remember) Check(int) error {
	if !nonNegative(m.Lambda) || !nonNegative(m.Sigma) {
		return fmt.Errorf("a memory with Lambda %v and Sigma %v, which must be numbers of at least 0", m.Lambda, m.Sigma)
	}
	return nil
}

func (Remember) recall(x *mat.Dense, energies []float64) (*mat.Dense, []float64) {
	return mat.DenseCopyOf(x), append([]float64(nil), energies...)
}

func (m Remember) pull(sigma float64) (lambda, sigmaM float64) {
	if m.Sigma == 0 {
		return m.Lambda, m.Lambda * sigma
	}
	return m.Lambda, m.Sigma
}
