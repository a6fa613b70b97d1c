package several_test

import (
	"math"
	"testing"

	"github.com/untwist/untwist"
)

// a + b under 50/(a·b) ≤ 25 is least at √2, √2. The limit is curved: steps along its tangent violate it and are
// corrected until they gain. From any start 50 queries are enough.
func TestCurvedLimit(t *testing.T) {
	for seed := range uint64(5) {
		r, err := untwist.Minimize(t.Context(), untwist.Vector(2, 2, func(x, out []float64) error {
			out[0], out[1] = x[0]+x[1], 50/(x[0]*x[1])
			return nil
		}), untwist.Options{
			Bounds: untwist.Box{Lo: []float64{.1, .1}, Hi: []float64{5, 5}}, Budget: 50, Seed: seed,
			Outputs: []untwist.Output{{Name: "stress", Max: new(25.)}},
		})
		if err != nil || !r.Feasible || math.Abs(r.Value-2*math.Sqrt2) > 1e-5 {
			t.Errorf("seed %d: %v, %v", seed, r.Value, err)
		}
	}
}
