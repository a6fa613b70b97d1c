package cbo

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// consensus sets c to the weighted mean of the rows i ∈ members of x, and
// weights (as long as members) to the ω_i:
//
//	c = Σ ω_i x^(i),   ω_i = exp(−αE_i − lse(−αE)),   lse(a) = log Σ_j exp(a_j)
//
// (section 2.1, equation "con"; E_i = f(x^(i))). In exact arithmetic this is
// exp(−αE_i)/Σ_j exp(−αE_j). In floating point the form matters once α has
// grown to 1e5 and the weights are nearly an argmin. In this form they sum to 1
// only up to the rounding of αE, so c trembles by that fraction of itself. The
// best particle, which would otherwise sit on c and stand still, keeps moving.
// On the squared norm at d = 100, in the paper's setting, this form needs 0.77
// to 0.95 million queries (seeds 0 to 4); weights divided by their sum need 0.95
// to 1.27 million. The reference implementation that produced the paper's
// figures uses this form.
//
// This form is used as long as the rounding is small. Where α|E| overflows, or is
// so large that the logarithm would be lost in it, the least E is subtracted
// first. Where all particles have failed, or f = −∞, the best share the weight
// equally. scratch is as long as weights.
func consensus(c, weights []float64, x *mat.Dense, energies []float64, members []int, alpha float64, scratch []float64) {
	switch least := least(energies, members); {
	case math.IsInf(least, 0):
		share(weights, energies, members, least)
	case math.Abs(alpha*least) > roughExponent:
		softmin(weights, energies, members, alpha, least, scratch)
	default:
		softmin(weights, energies, members, alpha, 0, scratch)
	}
	clear(c)
	for k, i := range members {
		w, xi := weights[k], x.RawRowView(i)[:len(c)]
		if w == 0 {
			continue // nothing to add, and x may be infinite: 0·∞ is NaN
		}
		for j := range c {
			c[j] += float64(w * xi[j])
		}
	}
}

// roughExponent is the exponent α|E| whose rounding is 1e-6. The weights then have
// a relative error of that size.
const roughExponent = 1e10

// softmin sets the weights of the members to exp(a_i − lse(a)) with
// a_i = −α(E_i − base).
func softmin(weights, energies []float64, members []int, alpha, base float64, scratch []float64) {
	for k, i := range members {
		weights[k] = -alpha * (energies[i] - base)
		if alpha == 0 {
			weights[k] = 0 // also where E is infinite
		}
	}
	lse := logSumExp(weights, scratch)
	for k, a := range weights {
		weights[k] = a - lse
	}
	kernel.Exp(weights, weights)
}

// logSumExp returns log Σ exp(a_k) = max + log Σ exp(a_k − max).
func logSumExp(a, scratch []float64) float64 {
	top := slices.Max(a)
	for k, v := range a {
		scratch[k] = v - top
	}
	kernel.Exp(scratch, scratch)
	sum := 0.0
	for _, v := range scratch {
		sum += v
	}
	return top + kernel.LogOf(sum)
}

func least(energies []float64, members []int) float64 {
	least := math.Inf(1)
	for _, i := range members {
		least = min(least, energies[i])
	}
	return least
}

// share gives equal weights to the members whose energy is least.
func share(weights, energies []float64, members []int, least float64) {
	n := 0.0
	for k, i := range members {
		weights[k] = 0
		if energies[i] == least {
			weights[k] = 1
			n++
		}
	}
	for k := range weights {
		weights[k] /= n
	}
}
