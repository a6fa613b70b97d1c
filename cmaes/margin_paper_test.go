package cmaes

import (
	"math"
	"testing"
)

// Hamano and others, 2022: after the correction no marginal probability is below its margin, and what is above
// stays as it was, up to what the others are given.
func TestMarginOfPaper(t *testing.T) {
	const alpha = 0.02
	for _, m := range []float64{-2, -0.9, -0.3, 0, 0.1, 0.49, 1, 3} {
		for _, sigma := range []float64{1e-6, 0.05, 0.3, 2} {
			l := &lattices{values: [][]float64{{-1, 0, 1}, nil}, a: []float64{1, 1}, alpha: alpha}
			mean := []float64{m, 7}
			l.correct(mean, sigma, []float64{1, 1})
			s := sigma * l.a[0]
			low, up := below((-0.5-mean[0])/s), below((mean[0]-0.5)/s)
			mid := 1 - low - up
			if nearest(l.values[0], mean[0]) == 1 && (low < alpha/2-1e-9 || up < alpha/2-1e-9 || mid < alpha/2-1e-9) {
				t.Errorf("m = %v, σ = %v: probabilities %v, %v, %v", m, sigma, low, mid, up)
			}
			if nearest(l.values[0], mean[0]) != 1 && mid+min(low, up) < alpha-1e-9 {
				t.Errorf("m = %v, σ = %v: others have the probability %v", m, sigma, mid+min(low, up))
			}
			if mean[1] != 7 || l.a[1] != 1 {
				t.Error("a continuous coordinate has moved")
			}
		}
	}
	if q := quantile(0.025); math.Abs(q-1.959964) > 1e-6 {
		t.Errorf("Φ⁻¹(0.975) is %v", q)
	}
}
