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
