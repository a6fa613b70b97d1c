package auto

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// With few queries, and an f that is finite in a tenth of the start box only, a point at which it is finite is found, and
// from there the minimum.
func TestFewFinitePoints(t *testing.T) {
	for seed := range uint64(5) {
		for _, budget := range []int{300, 1000} {
			f := objective.Func(3, func(x []float64) float64 {
				if x[0] < 0.8 {
					return math.Inf(1)
				}
				return (x[0]-0.9)*(x[0]-0.9) + (x[1]-0.3)*(x[1]-0.3) + x[2]*x[2]
			})
			w := watch(query.NewMeter(f, budget), func(objective.Stage) {})
			out, err := Auto{}.Minimize(ctx, w, strategy.Task{Budget: budget, Seed: seed, Bounds: objective.Cube(3, -1, 1)})
			if err != nil && err != objective.ErrBudget || !(w.best.Value < 1e-6) {
				t.Errorf("seed %d, %d queries: %v, %v, error %v", seed, budget, w.best.Value, out, err)
			}
		}
	}
}
