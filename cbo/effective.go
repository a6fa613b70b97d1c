package cbo

import (
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// EffectiveSize is the α at which a share η of the n particles counts,
//
//	J(α) = (Σ ω_i)²/Σ ω_i² = ηn,   ω_i = exp(−αf(x^(i))),
//
// J being the effective sample size, which falls from n at α = 0 to the number of best
// particles (Carrillo, Hoffmann, Stuart and Vaes 2022, "Consensus-based sampling"). α then does not depend on
// the units of f. It is found by bisection, in O(n) time a step, to one part in 10¹²; it is at
// most 1e15 divided by how far apart the values are, which it is where more than ηn particles
// are equally good.
type EffectiveSize struct {
	Share float64 // η, above 0 and below 1; ½ is customary
}

// At returns the α of a step of which nothing is known, 1.
func (EffectiveSize) At(int) float64 { return 1 }

// Check returns an error if Share is bad.
func (e EffectiveSize) Check(int) error {
	if !(e.Share > 0 && e.Share < 1) {
		return fmt.Errorf("an effective sample size with Share %v, which must be above 0 and below 1", e.Share)
	}
	return nil
}

// fit returns α for these energies; scratch is as long.
func (e EffectiveSize) fit(energies, scratch []float64) float64 {
	least, most, finite := math.Inf(1), math.Inf(-1), 0
	for _, v := range energies {
		least = min(least, v)
		if !math.IsInf(v, 0) {
			most = max(most, v)
			finite++
		}
	}
	width := most - least // of those that have not failed
	want := e.Share * float64(finite)
	if math.IsInf(least, 0) || !(width > 0) || math.IsInf(width, 0) {
		return 0
	}
	lo, hi := 0.0, 1/width
	for ; hi < 1e15/width && effective(energies, hi, least, scratch) > want; hi *= 2 {
		lo = hi
	}
	for hi-lo > hi*1e-12 {
		middle := lo + float64((hi-lo)/2)
		if effective(energies, middle, least, scratch) > want {
			lo = middle
		} else {
			hi = middle
		}
	}
	return hi
}

// effective returns (Σω)²/Σω² for ω_i = exp(−α(E_i − least)).
func effective(energies []float64, alpha, least float64, scratch []float64) float64 {
	for i, v := range energies {
		scratch[i] = -alpha * (v - least)
	}
	kernel.Exp(scratch, scratch)
	return effectiveSize(scratch)
}

// effectiveSize returns (Σω)²/Σω².
func effectiveSize(weights []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, w := range weights {
		sum += w
		squares += float64(w * w)
	}
	return float64(sum*sum) / squares
}
