// Package ranks tests whether the values of one sample tend to be larger than those of
// another, by ranks alone (Wilcoxon, Mann and Whitney), and puts indices in order. Start with
// Test, or with Order.
package ranks

import (
	"math"
	"slices"
)

// An Outcome is the outcome of the Wilcoxon–Mann–Whitney test of a sample a against a sample b.
type Outcome struct {
	Shift   int     // W − E W in half ranks, W the sum of the ranks of a; below 0: a tends to come first
	Less    float64 // the one-sided p-value that a comes first: P(W ≤ w)
	Greater float64 // the one-sided p-value that a comes last: P(W ≥ w)
	Differ  float64 // the two-sided p-value: P(|W − E W| ≥ |w − E W|)
}

// mostPairs is the largest n·m for which the test is exact: 100 against 100.
const mostPairs = 10_000

// Test tests whether the values of a tend to come before or after those of b. Its
// statistic is W, the sum of the ranks of a among all n+m values, and equal values have the
// mean of their ranks. If a and b do not differ, every choice of n of the n+m ranks is equally
// probable. The p-values count these choices, exactly up to n·m = 10,000; above that they use
// the normal distribution. There must be values in both.
func Test[T any](a, b []T, compare func(x, y T) int) Outcome {
	ranks := doubledRanks(slices.Concat(a, b), compare)
	n, all := len(a), len(ranks)
	shift := -n * (all + 1) // E 2W = n(n+m+1)
	for _, r := range ranks[:n] {
		shift += r
	}
	if n*(all-n) > mostPairs {
		return nearly(shift, n, ranks)
	}
	r := Outcome{Shift: shift}
	total := 0.0
	for deviation, ways := range choices(n, ranks) {
		total += ways
		if deviation <= shift {
			r.Less += ways
		}
		if deviation >= shift {
			r.Greater += ways
		}
		if max(deviation, -deviation) >= max(shift, -shift) {
			r.Differ += ways
		}
	}
	r.Less, r.Greater, r.Differ = r.Less/total, r.Greater/total, r.Differ/total
	return r
}

// First returns the indices from 0 to n−1.
func First(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Order returns the indices from 0 to n−1 in an order, in which those of equals ascend.
func Order(n int, compare func(i, j int) int) []int {
	all := First(n)
	slices.SortStableFunc(all, compare)
	return all
}

// doubledRanks returns twice the rank of each value, which is whole for equal values too: those
// that take the places i+1 to j have the rank (i+1+j)/2.
func doubledRanks[T any](values []T, compare func(x, y T) int) []int {
	order := Order(len(values), func(i, j int) int { return compare(values[i], values[j]) })
	ranks := make([]int, len(values))
	for i, j := 0, 0; i < len(order); i = j {
		for j = i; j < len(order) && compare(values[order[i]], values[order[j]]) == 0; j++ {
		}
		for _, k := range order[i:j] {
			ranks[k] = i + 1 + j
		}
	}
	return ranks
}

// choices returns in how many ways n of the doubled ranks can be chosen so that their sum
// deviates from its mean n(N+1) by d, for each d that occurs, in ascending order of d.
//
// With ranks r₁ ≤ r₂ ≤ … and c_i(k, s) the number of ways to choose k of the first i with the
// sum s,
//
//	c_i(k, s) = c_{i−1}(k, s) + c_{i−1}(k−1, s − r_i).
//
// One table is updated in place, so k runs downwards. It takes n·N·(the range of the sums) steps.
func choices(n int, ranks []int) func(yield func(deviation int, ways float64) bool) {
	sorted := slices.Sorted(slices.Values(ranks))
	least, step := sorted[0], 0
	for _, r := range sorted {
		step = divisor(step, r-least)
	}
	step = max(step, 1)
	sums := make([]int, len(sorted)+1) // sums[i] of the first i ranks, in steps above the least
	for i, r := range sorted {
		sums[i+1] = sums[i] + (r-least)/step
	}
	most := sums[len(sorted)] - sums[len(sorted)-n]
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for i, r := range sorted {
		r = (r - least) / step
		for k := min(i+1, n); k >= 1; k-- {
			from, to := sums[k-1], sums[i]-sums[i-k+1] // of the k−1 lowest and highest of the first i
			to = min(to, most-r)
			if from > to {
				continue
			}
			sum := ways[k][from+r : to+r+1]
			for s, w := range ways[k-1][from : to+1] {
				sum[s] += w
			}
		}
	}
	return func(yield func(int, float64) bool) {
		for s, w := range ways[n] {
			if w > 0 && !yield(s*step+n*least-n*(len(ranks)+1), w) {
				return
			}
		}
	}
}

// divisor returns the greatest common divisor.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// nearly returns the outcome by the normal distribution. The doubled sum 2W has the variance
//
//	n m / (N (N−1)) · Σ (r_i − (N+1))²,  r_i the doubled ranks, N = n+m,
//
// and the p-values have half a rank as the correction for continuity.
func nearly(shift, n int, ranks []int) Outcome {
	N := float64(len(ranks))
	squares := 0.0
	for _, r := range ranks {
		off := float64(r) - (N + 1)
		squares += float64(off * off)
	}
	deviation := math.Sqrt(float64(n) * (N - float64(n)) / (N * (N - 1)) * squares)
	if deviation == 0 { // all values are equal
		return Outcome{Shift: shift, Less: 1, Greater: 1, Differ: 1}
	}
	below := func(x float64) float64 { return math.Erfc(-x/deviation/math.Sqrt2) / 2 }
	x := float64(shift)
	return Outcome{
		Shift: shift, Less: below(x + 1), Greater: below(1 - x),
		Differ: min(1, 2*below(1-math.Abs(x))),
	}
}
