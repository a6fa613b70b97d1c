package auto

import (
	"math"
	"testing"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// By hand.
func TestPlaceOf(t *testing.T) {
	for v, want := range map[float64]int{0.012: 3, -0.012: 3, 1200: -2, 1: 0, 12.5: 1, 1.234e-7: 10, 0: noPlace, math.Inf(1): noPlace} {
		if got := placeOf(v); got != want {
			t.Errorf("%v: %d, want %d", v, got, want)
		}
	}
}

// Of values printed with a fixed number of places, however many digits those have where f was
// measured, what is said of the error holds where they are small; and it is not much more than
// half a place.
func TestFixedPlaces(t *testing.T) {
	const d, half = 3, 0.0005
	for seed := range uint64(10) {
		clean := func(x []float64) float64 {
			sum := 0.0
			for i, v := range x {
				sum += float64(i+1) * square(v-0.1)
			}
			return sum
		}
		f := objective.NewMeter(objective.Func(d, func(x []float64) float64 { return math.Round(clean(x)*1000) / 1000 }), 1500)
		outcome, err := Auto{}.Minimize(ctx, f, strategy.Task{Budget: 1500, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		n, c := outcome.Noise, outcome.Chosen
		if n == nil || n.Kind != objective.Raster || c == nil {
			continue // not seen
		}
		if c.Error < half*0.999 || c.Error > 10*half || n.Sigma < half/2 {
			t.Errorf("seed %d: %v ± %v, %+v", seed, c.Mean, c.Error, *n)
		}
	}
}

// Noise that does not change beside the point found, as values that are rounded do not, is what it
// was where it was measured.
func TestErrorWhereNoiseIsTheSameBeside(t *testing.T) {
	flat := objective.Func(2, func(x []float64) float64 { return 16.001 })
	w := noisyWatch(flat, 3e-4)
	w.grain.Kind, w.noise.kind, w.noise.beside = objective.DeterministicNoise, objective.DeterministicNoise, besides
	r := &run{f: w, task: strategy.Task{Budget: 1000, Bounds: objective.Cube(2, -1, 1)}, fallback: &fallback{f: w}, measured: true}
	w.noise.end([]float64{0.1, 0.2})
	if err := r.compare(ctx, 20); err != nil {
		t.Fatal(err)
	}
	if c, n := r.chosen(), r.noise(); c == nil || !(c.Error > 3e-4) || !(n.Sigma > 2e-4) {
		t.Errorf("%+v, %+v", c, n)
	}
}

// What is said of the noise is finite where f is −∞ at the point found.
func TestNoiseWhereFIsInfinite(t *testing.T) {
	f := objective.NewMeter(objective.Func(2, func(x []float64) float64 {
		if x[0] > 0.7 {
			return math.Inf(-1)
		}
		return math.Round(1000*(x[0]*x[0]+math.Abs(x[1]))) / 1000
	}), 1000)
	outcome, err := Auto{}.Minimize(ctx, f, strategy.Task{Budget: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if n, c := outcome.Noise, outcome.Chosen; n == nil || math.IsInf(n.Sigma, 0) || c != nil && math.IsInf(c.Error, 0) {
		t.Errorf("%+v, %+v", n, c)
	}
}
