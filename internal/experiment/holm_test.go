package experiment

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Holm's own procedure, step by step: reject the least p if p ≤ α/m, then the next if p ≤
// α/(m−1), and so on until one is not rejected.
func naiveHolm(p []float64, alpha float64) []bool {
	rejected := make([]bool, len(p))
	for left := len(p); left > 0; left-- {
		least := -1
		for i := range p {
			if !rejected[i] && (least < 0 || p[i] < p[least]) {
				least = i
			}
		}
		if p[least]*float64(left) > alpha {
			break
		}
		rejected[least] = true
	}
	return rejected
}

func TestHolm(t *testing.T) {
	if got, want := holm([]float64{0.04, 0.01, 0.03, 0.5}), []float64{0.09, 0.04, 0.09, 0.5}; !slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-15 }) {
		t.Errorf("%v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.001, 0.004, 0.01, 0.012, 0.02, 0.03, 0.05, 0.2, 0.9, 1}), 0, 8).Draw(t, "p")
		corrected := holm(p)
		for i, rejected := range naiveHolm(p, significance) {
			if corrected[i] <= significance != rejected || corrected[i] < p[i] || corrected[i] > 1 {
				t.Errorf("%v becomes %v, rejected %v", p, corrected, rejected)
			}
		}
	})
}
