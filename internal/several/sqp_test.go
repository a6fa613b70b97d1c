package several_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
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

// Σ k/x_k under Σ w_k·x_k ≤ 20 is least where x_k is proportional to √(k/w_k): there it is (Σ √(k·w_k))²/20. Near it steps promise
// next to nothing, and still have to be exact.
func TestLeastSharesAreFound(t *testing.T) {
	const d = 20
	var limit string
	var w [d]float64
	root := 0.
	for k := range w {
		w[k] = 1 + math.Sin(float64(k+1))/2
		root += math.Sqrt(float64(k+1) * w[k])
		limit += fmt.Sprintf("+ %v*x%d ", w[k], k+1)
	}
	least := root * root / 20
	f := untwist.Func(d, func(x []float64) (sum float64) {
		for k, v := range x {
			sum += float64(k+1) / v
		}
		return sum
	})
	for seed := range uint64(flags.Usually(3, 1)) {
		r, err := untwist.Minimize(t.Context(), f, untwist.Options{Bounds: untwist.Cube(d, 0.05, 5), Limits: []string{limit[2:] + "<= 20"}, Budget: 200 * (d + 1), Seed: seed})
		if err != nil || r.Value < least-1e-9 || r.Value > least*(1+1e-7) {
			t.Errorf("seed %d: %v, the least is %v, %v", seed, r.Value, least, err)
		}
	}
}
