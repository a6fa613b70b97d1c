package auto

import (
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Where f is large four digits hide its noise, and at its minimum of 0 they do not: then it is
// random, as large as it is there. No point is asked for that twice.
func TestUncovered(t *testing.T) {
	const sigma = 1e-4
	for seed := range uint64(20) {
		stream := rng.Seed(seed).Stream("test")
		f := objective.Func(1, func(x []float64) float64 {
			v, err := strconv.ParseFloat(strconv.FormatFloat(float64(x[0]*x[0])+float64(sigma*stream.NormFloat64()), 'e', 3, 64), 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		})
		r := newRun(f, strategy.Task{Budget: 1000})
		r.f.enter = func(objective.Stage) {}
		r.f.grain = objective.Grain{Digits: 4, Kind: objective.Raster}
		r.f.noise = newNoise(r.f.grain, 1_000_000, seed)
		r.f.due = func(context.Context, int) error { return nil }
		look := func(x float64) (queries int) {
			if _, err := r.f.ask(ctx, []float64{x}); err != nil {
				t.Fatal(err)
			}
			before := r.f.queries
			for range 2 {
				if err := r.uncovered(ctx); err != nil {
					t.Fatal(err)
				}
			}
			return r.f.queries - before
		}
		if n := look(10.0123); n != 4 || r.f.noise.kind != objective.Raster || r.f.grain.Absolute != 0 {
			t.Errorf("seed %d, far away: %d queries, %v, %+v", seed, n, r.f.noise.kind, r.f.grain)
		}
		n := look(0)
		if g := r.f.grain; n != 20 || r.f.noise.kind != objective.RandomNoise || g.Kind != objective.RandomNoise || r.f.noise.rounded.Kind != objective.Raster {
			t.Errorf("seed %d, at the minimum: %d queries, %v, %+v", seed, n, r.f.noise.kind, g)
		}
		if got := r.f.sigma(0); math.Abs(math.Log2(got/sigma)) > 1 {
			t.Errorf("seed %d: the noise is %v, want %v", seed, got, sigma)
		}
	}
}
