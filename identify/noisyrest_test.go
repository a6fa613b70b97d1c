package identify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
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

// By hand: of a wave whose second differences over h miss three tenths of its curvature, those
// over a third of it miss a ninth of that, and slopes twice as much.
func TestWhatStepsMiss(t *testing.T) {
	missed := func(eps float64) float64 { return 1 - 2*(1-math.Cos(eps))/square(eps) } // of −cos″ at 0
	h := 2.03
	if m := missed(h); math.Abs(m-0.3) > 0.02 {
		t.Fatalf("over h it misses %v", m)
	}
	eps := h / 3
	if m := missed(eps); math.Abs(m-0.3/9) > 0.005 {
		t.Errorf("over h/3 it misses %v", m)
	}
	if m := 1 - math.Sin(eps)/eps; math.Abs(m-0.6/9) > 0.01 {
		t.Errorf("a slope misses %v of itself", m)
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

// What a round has corrected is a number, whatever f has said: a tenth of it may be left.
func TestRest(t *testing.T) {
	for _, m := range []float64{1, math.NaN()} {
		b := believing()
		b.learn(func(int, *mat.Dense) []equation {
			return []equation{{v: 100, w: 1, m: m}, {v: 1, w: 100, m: 0}}
		})
		got := refiner{b: b}.rest()
		if want := 0.001; math.IsNaN(m) && got != 0 || !math.IsNaN(m) && math.Abs(got/want-1) > 0.05 {
			t.Errorf("m = %v: %v may be left", m, got)
		}
	}
}
