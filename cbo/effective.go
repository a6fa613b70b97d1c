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
// particles (Carrillo, Hoffmann, Stuart and Vaes 2022, "Consensus-based sampling"). α then does
// not depend on the units of f. It is found, to 0.1 % of J, by Newton's method on log log(n/J) over
// log α, which is nearly a line, within a bracket, in O(n) time a step. It is between 1e-9 and 1e15,
// divided by how far apart the values are; the latter where more than ηn particles are equally good.
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

// The bracket of α times how far apart the values are, and how exact J is.
const leastAlpha, mostAlpha, exactSize = 1e-9, 1e15, 1e-3

// fit returns α for these energies, from a guess, which may be 0; scratch is as long.
func (e EffectiveSize) fit(energies, scratch []float64, guess float64) float64 {
	least, most, finite := math.Inf(1), math.Inf(-1), 0
	for _, v := range energies {
		least = min(least, v)
		if !math.IsInf(v, 0) {
			most = max(most, v)
			finite++
		}
	}
	width := most - least // of those that have not failed
	lo, hi := leastAlpha/width, min(mostAlpha/width, math.MaxFloat64)
	if math.IsInf(least, 0) || !(width > 0) || math.IsInf(width, 0) || !(lo < hi) {
		return 0
	}
	want := -kernel.LogOf(e.Share) // log(n/J)
	tried := false                 // J is known at hi
	alpha := min(1/width, hi)
	if guess > lo {
		alpha = min(guess, hi)
	}
	for hi > lo*(1+exactSize) {
		size, slope := effective(energies, alpha, least, scratch)
		have := kernel.LogOf(float64(finite) / size)
		switch {
		case math.Abs(have-want) <= exactSize, alpha == hi && have < want:
			return alpha
		case have < want:
			lo = alpha
		default:
			hi, tried = alpha, true
		}
		if alpha *= kernel.ExpOf(have / slope * kernel.LogOf(have/want)); !(alpha > lo && alpha < hi) {
			if alpha = hi; tried {
				alpha = math.Sqrt(lo) * math.Sqrt(hi)
			}
		}
	}
	return alpha
}

// effective returns J = (Σω)²/Σω² for ω_i = exp(−αe_i), e_i = E_i − least, and
//
//	d log J/d log α = 2α(Σe_iω_i²/Σω_i² − Σe_iω_i/Σω_i).
func effective(energies []float64, alpha, least float64, scratch []float64) (size, slope float64) {
	for i, v := range energies {
		scratch[i] = -alpha * (v - least)
	}
	kernel.Exp(scratch, scratch)
	var sum, squares, first, second float64
	for i, w := range scratch {
		sum += w
		squares += float64(w * w)
		if w > 0 { // else e may be infinite
			e := float64((energies[i] - least) * w)
			first += e
			second += float64(e * w)
		}
	}
	return float64(sum*sum) / squares, 2 * alpha * (second/squares - first/sum)
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
