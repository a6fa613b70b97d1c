package auto

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// By hand.
func TestLastPlace(t *testing.T) {
	for v, want := range map[float64][2]int{0.012: {3, -2}, -0.012: {3, -2}, 1200: {-2, 3}, 1: {0, 0}, 12.5: {1, 1}, 1.234e-7: {10, -7}} {
		if last, decade := lastPlace(v); last != want[0] || decade != want[1] {
			t.Errorf("%v: %d and %d, want %v", v, last, decade, want)
		}
	}
}

// Of four digits, values with three places from 1.234 down to 0.012 miss a further one. Those with
// four digits do not, and what is rounded off at 0 is 0.
func TestPlacesByHand(t *testing.T) {
	fixed := places{digits: 4, last: math.MinInt}
	for _, v := range []float64{1.234, 0.567, 0.123, 0.123, 0.012} {
		fixed.see(v)
	}
	g := objective.Grain{Digits: 4, Kind: objective.Raster}
	if got := fixed.roundedOff(g, 0); math.Abs(got-0.001/math.Sqrt(12)) > 1e-12 || fixed.missed != 3 {
		t.Errorf("%v, %+v", got, fixed)
	}
	digits := places{digits: 4, last: math.MinInt}
	for _, v := range []float64{1.234, 0.567, 0.1236, 0.0123, 0.01234, 0.001, 0.000123, 0} {
		digits.see(v)
	}
	if got := digits.roundedOff(g, 0); got != 0 {
		t.Errorf("%v, %+v", got, digits)
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
		f := query.NewMeter(objective.Func(d, func(x []float64) float64 { return math.Round(clean(x)*1000) / 1000 }), 1500)
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
	w.grain.Kind, w.noise.kind, w.noise.beside = objective.DeterministicNoise, objective.DeterministicNoise, nearAway
	r := &run{f: w, task: strategy.Task{Budget: 1000, Bounds: objective.Cube(2, -1, 1)}, fallback: &fallback{run: &run{f: w}}, measured: true}
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
	f := query.NewMeter(objective.Func(2, func(x []float64) float64 {
		if x[0] > 0.7 {
			return math.Inf(-1)
		}
		return math.Round(1000*(x[0]*x[0]+math.Abs(x[1]))) / 1000
	}), 2000)
	outcome, err := Auto{}.Minimize(ctx, f, strategy.Task{Budget: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if n, c := outcome.Noise, outcome.Chosen; n == nil || math.IsInf(n.Sigma, 0) || c != nil && math.IsInf(c.Error, 0) {
		t.Errorf("%+v, %+v", n, c)
	}
}
