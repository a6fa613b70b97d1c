package cbo

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// consensus sets c to the weighted mean of the rows i ∈ members of x, and
// weights (as long as members) to the ω_i:
//
//	c = Σ ω_i x^(i),   ω_i = exp(−αE_i − lse(−αE)),   lse(a) = log Σ_j exp(a_j)
//
// (section 2.1, equation "con"; E_i = f(x^(i))). In exact arithmetic this is
// exp(−αE_i)/Σ_j exp(−αE_j). In floating point the form matters once α has
// grown to 1e5: here the weights sum to 1 only within the rounding of αE, so
// that c trembles a little about the best particle, and that keeps the
// ensemble alive a little longer than weights divided by their sum would.
// The field's reference implementation has this form too, and the paper's
// figures are made with it.
//
// Where −αE is infinite for the best particles (all have failed, or f = −∞)
// these share the weight equally.
func consensus(c, weights []float64, x *mat.Dense, energies []float64, members []int, alpha float64) {
	lse, top := logSumExp(weights, energies, members, alpha)
	if math.IsInf(lse, 0) {
		share(weights, top)
	} else {
		for k, a := range weights {
			weights[k] = math.Exp(a - lse)
		}
	}
	clear(c)
	for k, i := range members {
		if weights[k] == 0 {
			continue // nothing to add, and x may be far away
		}
		for j, v := range x.RawRowView(i) {
			c[j] += weights[k] * v
		}
	}
}

// logSumExp sets a_k = −αE_i for the k-th member i and returns
// log Σ exp(a_k) = max + log Σ exp(a_k − max), and max.
func logSumExp(a, energies []float64, members []int, alpha float64) (lse, top float64) {
	top = math.Inf(-1)
	for k, i := range members {
		a[k] = -alpha * energies[i]
		if energies[i] == 0 || alpha == 0 {
			a[k] = 0 // also where the other factor is infinite
		}
		top = max(top, a[k])
	}
	if math.IsInf(top, 0) {
		return top, top
	}
	sum := 0.0
	for _, v := range a {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum), top
}

// share replaces the exponents a by equal weights for those that are top.
func share(a []float64, top float64) {
	n := 0.0
	for _, v := range a {
		if v == top {
			n++
		}
	}
	for k, v := range a {
		if v == top {
			a[k] = 1 / n
		} else {
			a[k] = 0
		}
	}
}
