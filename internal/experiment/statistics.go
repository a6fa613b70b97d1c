package experiment

import (
	"cmp"
	"math"

	"github.com/untwist/untwist/internal/ranks"
	"gonum.org/v1/gonum/stat/combin"
)

// wilson returns the Wilson score interval of a success rate of k in n, with z = 1.96
// for 95 %:
//
//	(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n),  p = k/n.
//
// Unlike p ± z√(p(1−p)/n) it has a width at 0 and at n successes.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, N := float64(k)/float64(n), float64(n)
	middle := p + z*z/(2*N)
	half := z * math.Sqrt(p*(1-p)/N+z*z/(4*N*N))
	scale := 1 + z*z/N
	low, high = (middle-half)/scale, (middle+half)/scale
	if k == 0 {
		low = 0
	}
	if k == n {
		high = 1
	}
	return low, high
}

// fisher returns the p-value of Fisher's exact test, two-sided, for k successes of n
// against l of m. This is the probability, given k+l successes in all, of a table that is
// at most as probable as this one.
func fisher(k, n, l, m int) float64 {
	return fisherOf(k, n, l, m, func(_ int, p float64) bool { return p <= 1+1e-7 }) // equally probable ones differ by rounding
}

// fisherOf returns the probability of those tables of i successes of n against k+l−i of m that
// count. Each is given with its probability relative to that of the table that was observed.
func fisherOf(k, n, l, m int, counts func(i int, p float64) bool) float64 {
	// ln C(n, i) C(m, k+l−i)
	weight := func(i int) float64 { return logChoose(n, i) + logChoose(m, k+l-i) }
	here, sum, all := weight(k), 0.0, 0.0
	for i := max(0, k+l-m); i <= min(n, k+l); i++ {
		p := math.Exp(weight(i) - here)
		all += p
		if counts(i, p) {
			sum += p
		}
	}
	return min(1, sum/all)
}

// logChoose returns ln C(n, k).
func logChoose(n, k int) float64 { return combin.LogGeneralizedBinomial(float64(n), float64(k)) }

// holm corrects the p-values of m tests by Holm's method: with p in ascending order,
//
//	p'₍ᵢ₎ = max_{j≤i} min(1, (m−j+1)·p₍ⱼ₎),  i, j = 1 … m.
//
// Whoever believes the differences with p' ≤ α is wrong about any of them with probability α
// at most, however the tests depend on each other.
func holm(p []float64) []float64 {
	order := ranks.Order(len(p), func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	corrected, largest := make([]float64, len(p)), 0.0
	for j, i := range order {
		largest = max(largest, min(1, float64(len(p)-j)*p[i]))
		corrected[i] = largest
	}
	return corrected
}
