package experiment

import "math"

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

// fisherFewer returns the one-sided p-value that the first has the smaller rate of success:
// the probability, given k+l successes in all, that at most k of them are its own.
func fisherFewer(k, n, l, m int) float64 {
	return fisherOf(k, n, l, m, func(i int, _ float64) bool { return i <= k })
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
func logChoose(n, k int) float64 {
	factorial := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return factorial(n) - factorial(k) - factorial(n-k)
}
