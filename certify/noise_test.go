package certify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// By hand: 50 squares have a scatter of 2·√(2/50) = 0.4. A sum of 100 with noise of 20 is
// √80, at least √(100 − 20·1.7) and at most √(140 − 14).
func TestIntervalByHand(t *testing.T) {
	value, least, most := interval(100, 20, 50)
	for _, c := range [][2]float64{{value, math.Sqrt(80)}, {least, math.Sqrt(66)}, {most, math.Sqrt(126)}} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
	if value, least, most := interval(10, 20, 50); value != 0 || least != 0 || math.Abs(most-math.Sqrt(14-7)) > 1e-12 { // noise is no more than the sum
		t.Errorf("%v, %v, %v", value, least, most)
	}
}

// The verdict is yes only if the upper limit is small, and no only if the lower one is large.
func TestNoisyVerdicts(t *testing.T) {
	for _, c := range []struct {
		least, most, slack float64
		want               Verdict
	}{
		{0, 9e-4, 0, Separable}, {0, 2e-3, 0, Unknown}, {5e-4, 2e-3, 0, Unknown}, {2e-3, 4e-3, 0, NotSeparable},
		{2e-3, 4e-3, 3e-3, Separable}, {0.02, 0.04, 3e-3, Unknown}, {0.05, 0.09, 3e-3, NotSeparable},
		{0.05, 0.2, 0.3, Unknown}, {0.01, 0.05, 6e-3, Separable}, {0.1, 0.2, 6e-3, NotSeparable},
	} {
		k := Certificate{Least: c.least, Most: c.most, Splits: splits}
		if k.decide(5, 5, c.slack, 0, true); k.Verdict != c.want {
			t.Errorf("%+v: %v", c, k.Verdict)
		}
	}
}

// Under noise f nearly separates if the lower limit of the coupling is too large, and the coupling
// itself is not; with blocks it never does.
func TestNearlyUnderNoise(t *testing.T) {
	for _, c := range []struct {
		least, coupling float64
		blocks          int
		want            Verdict
	}{{0.02, 0.05, 5, NearlySeparable}, {0.2, 0.3, 5, NotSeparable}, {0.02, 0.05, 4, NotSeparable}, {5e-4, 0.05, 5, Unknown}} {
		k := Certificate{Least: c.least, Coupling: c.coupling, Most: 2 * c.coupling, Splits: splits}
		if k.decide(5, c.blocks, 0, 0.2, true); k.Verdict != c.want {
			t.Errorf("%+v: %v", c, k.Verdict)
		}
	}
}

// Noise does not look like a coupling, and a coupling that is above noise is seen through it:
// its number is between the limits nearly always, and the same as without noise.
func TestCouplingUnderNoise(t *testing.T) {
	const d = 6
	for _, delta := range []float64{0, 0.003, 0.03, 0.3} {
		clean := func(x []float64) float64 {
			sum := 0.0
			for i, v := range x {
				sum += math.Cos(3*v + float64(i))
			}
			return sum + delta*math.Sin(2*x[0])*math.Cos(3*x[1])*math.Sqrt(d)
		}
		exact, err := Test{Seed: 1, Most: 2000}.Splits(ctx, objective.Func(d, clean), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, sigma := range []float64{1e-4, 1e-3, 1e-2, 0.1} {
			outside := 0
			for seed := range uint64(30) {
				noise := rng.Seed(seed).Stream("noise")
				f := objective.Func(d, func(x []float64) float64 { return clean(x) + sigma*noise.NormFloat64() })
				c, err := Test{Seed: seed, Grain: objective.Grain{Absolute: sigma, Kind: objective.RandomNoise}}.Certify(ctx, f, frame.Identity(d), nil)
				if err != nil {
					t.Fatal(err)
				}
				if exact.Coupling < c.Least*0.8 || exact.Coupling > c.Most*1.2 {
					outside++
				}
				if delta == 0 && c.Verdict == NotSeparable || delta >= 0.03 && c.Verdict == Separable || delta == 0.3 && sigma < 0.1 && c.Verdict != NotSeparable {
					t.Errorf("δ = %g, σ = %g: %v, between %.1e and %.1e", delta, sigma, c, c.Least, c.Most)
				}
			}
			if outside > 6 {
				t.Errorf("δ = %g, σ = %g: %d of 30 intervals miss %.1e", delta, sigma, outside, exact.Coupling)
			}
		}
	}
}
