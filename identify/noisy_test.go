package identify

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// surveyed surveys f with Gaussian noise of standard deviation sigma.
func surveyed(t *testing.T, d int, f func(x []float64) float64, sigma float64, s Survey, seed uint64) (*Finding, error) {
	t.Helper()
	noise := rng.Seed(seed).Stream("noise")
	noisy := objective.NewMeter(objective.Func(d, func(x []float64) float64 {
		if v := f(x) + sigma*noise.NormFloat64(); !math.IsNaN(v) {
			return v
		}
		return math.Inf(1)
	}), 1_000_000)
	return s.Identify(context.Background(), noisy, Request{
		Seed: seed, Grain: objective.Grain{Relative: 0x1p-53, Absolute: sigma, Kind: objective.RandomNoise},
	})
}

// Whatever f is, a survey with noise ends with a frame, or with one of the errors of this
// package, and claims nothing.
func TestOddFunctionsWithNoise(t *testing.T) {
	for name, f := range map[string]func(x []float64) float64{
		"constant":         func([]float64) float64 { return 3 },
		"linear":           func(x []float64) float64 { return x[0] - 2*x[1] },
		"one component":    func(x []float64) float64 { return math.Cos(3*x[0] + x[1] - x[2]) },
		"fails a lot":      func(x []float64) float64 { return math.Log(x[0] + x[1]*x[2] + 0.5) },
		"a product":        func(x []float64) float64 { return math.Exp(x[0]) * math.Cos(2*x[1]) * (1 + x[2]*x[3]) },
		"a kink":           func(x []float64) float64 { return math.Max(math.Abs(x[0]), math.Abs(x[1]+x[2])) },
		"fails throughout": func([]float64) float64 { return math.NaN() },
	} {
		for _, d := range []int{2, 4, 6} {
			for _, sigma := range []float64{1e-8, 1e-3, 1} {
				padded := func(x []float64) float64 { return f(append(append([]float64(nil), x...), 0.1, 0.2)) }
				found, err := surveyed(t, d, padded, sigma, Survey{Measures: 1}, 1)
				if found == nil || err == nil && found.Frame == nil {
					t.Fatalf("%s, d = %d, σ = %g: no frame and no error", name, d, sigma)
				}
				if v := found.Certificate.Verdict; d > 2 && name == "a product" && (v == certify.Separable || v == certify.Blocks) {
					t.Errorf("%s, d = %d, σ = %g: %v", name, d, sigma, found.Certificate)
				}
				t.Log(name, d, sigma, found.Certificate.Verdict, err)
			}
		}
	}
}
