package experiment

import (
	"cmp"
	"slices"
)

// holm corrects the p-values of m tests by Holm's method: with p in ascending order,
//
//	p'₍ᵢ₎ = max_{j≤i} min(1, (m−j+1)·p₍ⱼ₎),  i, j = 1 … m.
//
// Whoever believes the differences with p' ≤ α is wrong about any of them with probability α
// at most, however the tests depend on each other.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	corrected, largest := make([]float64, len(p)), 0.0
	for j, i := range order {
		largest = max(largest, min(1, float64(len(p)-j)*p[i]))
		corrected[i] = largest
	}
	return corrected
}
