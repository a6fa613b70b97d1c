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
// grown to 1e5 and the weights are nearly an argmin: here they sum to 1 only
// within the rounding of αE, so that c trembles by that fraction of itself and
// the best particle, which would otherwise sit on c and stand still, goes on
// moving. On the squared norm at d = 100, in the paper's setting, this form
// needs 0.81 to 0.94 million queries (seeds 0 to 4), weights divided by their
// sum 0.98 to 1.30 million. The field's reference implementation, with which
// the paper's figures were made, has this form.
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
