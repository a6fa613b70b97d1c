package identify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
)

// The step for slopes leaves the least of (0.6 ε²/h²)² + (σ/εch)².
func TestForSlopes(t *testing.T) {
	for _, k := range [][3]float64{{0.3, 280, 0.35}, {1, 1, 1e-6}, {5, 0.01, 1e-3}} {
		h, c, sigma := k[0], k[1], k[2]
		left := func(eps float64) float64 {
			return square(0.6*square(eps/h)) + square(sigma/(eps*c*h))
		}
		eps := forSlopes(h, c, sigma)
		for _, other := range []float64{0.9, 0.99, 1.01, 1.1} {
			if left(eps) > left(other*eps) {
				t.Errorf("h = %v, c = %v, σ = %v: %v leaves more than %v", h, c, sigma, eps, other*eps)
			}
		}
	}
}

// The noise of ψ(f) is ψ′ times that of f, at every value.
func TestNoiseUnderAMap(t *testing.T) {
	numbers := []outer.Number{{Value: 1, C: 0.5, Error: 1e-3}, {Value: 2, C: 0.25, Error: 1e-3}, {Value: 4, C: 0.125, Error: 1e-3}}
	psi := outer.Fitted(nil, numbers) // c = 1/2f
	plain := &ground{grain: objective.Grain{Relative: 0.01, Absolute: 0.03, Kind: objective.RandomNoise}}
	g := &ground{psi: psi, plain: plain, grain: objective.Grain{Absolute: 1}}
	for _, f := range []float64{1, 1.5, 3.5, 4} {
		want := psi.Slope(f) * max(0.03, 0.01*f)
		if got := sigmaOf(g, psi.Of(f)); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("f = %v: %v, want %v", f, got, want)
		}
	}
	if got := sigmaOf(plain, 5); got != 0.05 {
		t.Errorf("without a map: %v", got)
	}
}
