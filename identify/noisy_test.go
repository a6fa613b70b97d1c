package identify

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// surveyed surveys f with Gaussian noise of standard deviation sigma.
func surveyed(t *testing.T, d int, f func(x []float64) float64, sigma float64, s Survey, seed uint64) (*Finding, error) {
	t.Helper()
	noise := rng.Seed(seed).Stream("noise")
	noisy := query.NewMeter(objective.Func(d, func(x []float64) float64 {
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
// package, and claims nothing. Without -whole each has every dimension and every noise once, and where tests are quick one of each.
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
		for i, d := range flags.Sample([]int{2, flags.Usually(4, 3), 6}, 2) {
			for k, sigma := range []float64{1e-8, 1e-3, 1} {
				if !*flags.Whole && (i+k+len(name))%3 != 0 || !flags.Usual() && i != len(name)%2 {
					continue
				}
				padded := func(x []float64) float64 { return f(append(append([]float64(nil), x...), 0.1, 0.2)) }
				found, err := surveyed(t, d, padded, sigma, Survey{Measures: 1}, 1)
				if found == nil || err == nil && found.Frame == nil {
					t.Fatalf("%s, d = %d, σ = %g: no frame and no error", name, d, sigma)
				}
				if v := found.Certificate.Verdict; d > 2 && name == "a product" && (v == certify.Separable || v == certify.Blocks) {
					t.Errorf("%s, d = %d, σ = %g: %v", name, d, sigma, found.Certificate)
				}
			}
		}
	}
}

// measuredGrain returns the grain of a problem in the unit box, and the problem there.
func measuredGrain(t *testing.T, spec problem.Spec) (*problem.Problem, objective.Objective, objective.Grain) {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	f := query.NewScale(query.NewMeter(p, 1_000_000), p.Domain(), objective.Cube(p.Dim(), math.Inf(-1), math.Inf(1)))
	grain, err := grains.Measure(t.Context(), f, objective.Cube(p.Dim(), -1, 1), rng.Seed(spec.Seed).Stream("grain"))
	if err != nil {
		t.Fatal(err)
	}
	return p, f, grain
}

// Frames are found under noise of any kind, most times, and then they are as right as the finding says, to a factor.
func TestSurveysWithNoise(t *testing.T) {
	for _, b := range flags.Sample([]problem.Blemishes{
		{Noise: 1e-6}, {Noise: 1e-4}, {Noise: 1e-3}, {NoiseRelative: 1e-5}, {Digits: 4}, {Digits: 6},
	}, 3) {
		for _, mix := range flags.Sample([]string{"paper", "orthogonal"}, 1) {
			lost, seeds := 0, flags.Usually(5, 2)
			for seed := range uint64(seeds) {
				p, f, grain := measuredGrain(t, problem.Spec{Name: "rastrigin", Dim: flags.Usually(12, 6), Mix: mix, Seed: seed, Blemishes: b})
				found, err := Survey{Measures: 1, Tolerance: 0.01}.Identify(t.Context(), f, Request{Seed: seed, Grain: grain})
				if err != nil {
					t.Fatal(err)
				}
				wrong, separable := frame.Compare(p.Frame(), found.Frame).Coupling, found.Certificate.Verdict == certify.Separable
				if separable && !(wrong < 0.01) {
					t.Errorf("%+v, %s, seed %d: %v, wrong by %.1e", b, mix, seed, found.Certificate, wrong)
				}
				if !separable || !(wrong < 10*found.Residual) {
					lost++
				}
			}
			most := seeds / 5
			if b.Noise == 1e-3 { // with which coordinates are found about two times of three
				most = seeds / 2
			}
			if lost > most {
				t.Errorf("%+v, %s: %d of %d frames are not found as right as is said", b, mix, lost, seeds)
			}
		}
	}
}

// Under noise no function is said to separate that does not. Without -whole each has every
// fourth noise, and where tests are quick one.
//
//	go test ./identify -run TestHonestUnderNoise -whole
func TestHonestUnderNoise(t *testing.T) {
	for k, name := range flags.Sample([]string{"rosenbrock", "ackley", "griewank", "rosenbrock-pairs"}, 2) {
		for n, b := range []problem.Blemishes{{Noise: 1e-8}, {Noise: 1e-5}, {Noise: 1e-3}, {Noise: 0.1}, {NoiseRelative: 1e-4}, {Digits: 6}, {Digits: 4}} {
			if !*flags.Whole && n%4 != k || !flags.Usual() && n != k {
				continue
			}
			p, f, grain := measuredGrain(t, problem.Spec{Name: name, Dim: flags.Usually(8, 3), Seed: 2, Blemishes: b})
			found, err := Survey{}.Identify(t.Context(), f, Request{Seed: 2, Grain: grain})
			if err != nil {
				t.Fatal(err)
			}
			right := false
			if p.Structure() == problem.Blocks && found.Frame != nil {
				_, _, right = frame.CompareBlocks(p.Frame(), p.Blocks(), found.Frame, found.Blocks)
			}
			if v := found.Certificate.Verdict; v == certify.Separable || v == certify.Blocks && !right {
				t.Errorf("%s, %v: %v, blocks %v", name, b, found.Certificate, found.Blocks)
			}
		}
	}
}

// The coordinates as given are found to be right for few queries.
func TestAxesUnderNoise(t *testing.T) {
	for _, s := range []float64{1e-6, 1e-3} {
		_, f, grain := measuredGrain(t, problem.Spec{Name: "rastrigin", Dim: 10, Mix: "none", Seed: 3, Blemishes: problem.Blemishes{Noise: s}})
		meter := query.NewMeter(f, 10_000)
		found, err := Survey{}.Identify(t.Context(), meter, Request{Seed: 3, Grain: grain})
		if err != nil || found.Certificate.Verdict != certify.Separable || !found.Frame.AlongAxes() || meter.Queries() > 2200 {
			t.Errorf("S = %g: %v after %d queries, error %v", s, found.Certificate, meter.Queries(), err)
		}
	}
}

// No survey with noise takes more than MostNoisy says, not even under so much that looks show next to
// nothing.
func TestMostNoisy(t *testing.T) {
	for _, d := range []int{5, sized(20, flags.Usually(12, 7))} {
		most := 0
		for seed := range uint64(flags.Usually(4, 1)) {
			_, f, grain := measuredGrain(t, problem.Spec{Name: "rastrigin", Dim: d, Mix: "orthogonal", Seed: seed, Blemishes: problem.Blemishes{Noise: 5e-3}})
			meter := query.NewMeter(f, 1_000_000)
			if _, err := (Survey{}).Identify(t.Context(), meter, Request{Seed: seed, Grain: grain}); err != nil {
				t.Fatal(err)
			}
			most = max(most, meter.Queries())
		}
		if limit := MostNoisy(d); most > limit {
			t.Errorf("d = %d: %d queries, at most %d", d, most, limit)
		}
	}
}

// Whatever ends a survey under noise, and whenever, there is a finding: here of a hill, printed
// with three digits, that is taken for blocks and for a map.
func TestAFindingWhateverEndsASurveyUnderNoise(t *testing.T) {
	const d = 4
	hill := objective.Func(d, func(x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			z := v - 0.2*float64(i)
			sum += z * z
		}
		return math.Round(1000*math.Exp(-sum/2)) / 1000
	})
	grain := objective.Grain{Relative: 0x1p-53, Digits: 3, Kind: objective.Raster}
	enough := errors.New("enough")
	for seed := range uint64(flags.Few(3, 1)) {
		for n := range flags.Usually(10, 4) { // pauses
			raised := 0
			s := Survey{Pause: func(Next) error {
				if raised++; raised > n {
					return enough
				}
				return nil
			}}
			found, err := s.Identify(t.Context(), hill, Request{Seed: seed, Grain: grain})
			if found == nil {
				t.Fatalf("seed %d, after %d pauses: no finding (%v)", seed, n, err)
			}
			if err == nil {
				break
			}
		}
		for budget := 1; budget < 1000; budget += flags.Usually(90, 180) {
			if found, err := (Survey{}).Identify(t.Context(), query.NewMeter(hill, budget), Request{Seed: seed, Grain: grain}); found == nil {
				t.Fatalf("seed %d, %d queries: no finding (%v)", seed, budget, err)
			}
		}
	}
}

// Where noise drowns f nothing is certified, also if it is measured too large.
func TestDrownedFunctionsAreNotCertified(t *testing.T) {
	f := func(x []float64) float64 { return math.Exp(x[0]) * math.Cos(2*x[1]) * (1 + x[2]*0.1) }
	for _, sigma := range flags.Sample([]float64{1, 3}, 1) {
		for seed := range uint64(flags.Usually(12, 1)) {
			found, err := surveyed(t, 3, f, sigma, Survey{Measures: 1}, seed)
			if v := found.Certificate.Verdict; err == nil && (v == certify.Separable || v == certify.Blocks) {
				t.Errorf("σ = %g, seed %d: %v", sigma, seed, found.Certificate)
			}
		}
	}
}
