package acceptance

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// The noise of a function is measured, and the reported interval has f at the point found.
// A right interval of 95 % holds in 25 of 30 runs or more with a probability of 0.997, in 13 of 15 or more with one of 0.96, in
// 5 of 6 or more with one of 0.97.
func TestResultUnderNoise(t *testing.T) {
	runs, budget := flags.Few(30, flags.Usually(15, 6)), flags.Usually(2500, 1000)
	covered := 0
	for seed := range uint64(runs) {
		p, err := problem.New(problem.Spec{Name: "ackley", Dim: 4, Seed: seed, Blemishes: problem.Blemishes{Noise: 1e-3}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := untwist.Minimize(ctx, p, untwist.Options{Budget: budget, Seed: seed})
		if err != nil || r.Noise == nil || r.Noise.Kind != objective.RandomNoise || r.ValueMean == nil || r.ValueError == nil || r.ValueClean == nil {
			t.Fatalf("seed %d: %+v, error %v", seed, r.Noise, err)
		}
		if r.Queries > budget || len(r.Improvements) == 0 || !slices.Equal(r.Improvements[len(r.Improvements)-1].Point, r.Point) {
			t.Fatalf("seed %d: %d queries, and the last improvement is another point", seed, r.Queries)
		}
		if math.Abs(*r.ValueMean-*r.ValueClean) <= *r.ValueError {
			covered++
		}
		if !strings.Contains(r.String(), "random noise") {
			t.Errorf("it says %s", r)
		}
	}
	if 30*covered < 25*runs {
		t.Errorf("%d of %d intervals have the true value", covered, runs)
	}
}

// An exact function has no noise, no interval, and the lowest value of all.
func TestResultWithoutNoise(t *testing.T) {
	f := objective.Func(3, func(x []float64) float64 { return x[0]*x[0] + math.Abs(x[1]) + math.Exp(x[2]) - x[2] })
	r, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 3000})
	if err != nil || r.Noise == nil || *r.Noise != (untwist.Noise{}) || r.ValueMean != nil || r.ValueError != nil {
		t.Errorf("noise %v, mean %v ± %v, error %v", r.Noise, r.ValueMean, r.ValueError, err)
	}
}

// A noise that is told is not measured.
func TestNoiseLevelIsTold(t *testing.T) {
	n := uint64(0)
	f := objective.Func(3, func(x []float64) float64 {
		n++
		return x[0]*x[0] + 2*x[1]*x[1] + 3*x[2]*x[2] + 0.01*rng.Seed(n).Stream("test").NormFloat64()
	})
	r, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 3000, NoiseLevel: 0.01})
	if err != nil || r.Noise == nil || r.Noise.Kind != objective.RandomNoise {
		t.Fatalf("noise %v, error %v", r.Noise, err)
	}
	for _, s := range r.Stages {
		if s.Name == grains.OfNoise.Name {
			t.Errorf("it was measured with %d queries", s.Queries)
		}
	}
	if _, err := untwist.Minimize(ctx, f, untwist.Options{NoiseLevel: -1}); err == nil {
		t.Error("a negative noise is accepted")
	}
}

// Coordinates that noise does not let certify are searched all the same, beside CMA-ES, within
// the budget: the verdict stays unknown, and five of twelve runs end in the deepest wells.
func TestLikelyCoordinatesAreTried(t *testing.T) {
	d := flags.Usually(8, 5)
	budget := 200 * d * d
	tried, deepest := 0, 0
	seeds := flags.Few(12, flags.Usually(6, 4))
	for seed := range uint64(seeds) {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Mix: "orthogonal", Dim: d, Seed: seed, Blemishes: problem.Blemishes{NoiseRelative: 3e-3}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := untwist.Minimize(ctx, p, untwist.Options{Seed: seed, Budget: budget, Start: p.Domain()})
		if err != nil || r.Queries > budget {
			t.Fatalf("seed %d: %d queries, error %v", seed, r.Queries, err)
		}
		if *r.ValueClean-p.Minimum() < 0.5 {
			deepest++
		}
		if !strings.Contains(strings.Join(r.Notes, "; "), "noise hides how exact the coordinates found are") {
			continue
		}
		tried++
		if v := r.Structure.Certificate.Verdict; v == certify.Separable || r.Status == objective.Converged {
			t.Errorf("seed %d: %s, %s", seed, v, r.Status)
		}
	}
	if 12*tried < 3*seeds || 12*deepest < 5*seeds {
		t.Errorf("%d runs in the deepest wells, %d with coordinates that are not certified", deepest, tried)
	}
}
