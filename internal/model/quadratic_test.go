package model

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// One look at a quadratic under a map predicts all values, and says which map it is: γ/β is that of the map. A plain one has none.
func TestOneLookTellsTheMapOfAQuadratic(t *testing.T) {
	const d = 5
	maps := map[string]struct {
		phi   func(float64) float64
		ratio float64 // β/γ
	}{
		"none":   {func(v float64) float64 { return v }, math.NaN()},
		"root":   {math.Sqrt, -1},
		"log":    {func(v float64) float64 { return math.Log(3 + v) }, 0},
		"square": {func(v float64) float64 { return v * v }, 2},
	}
	rapid.Check(t, func(t *rapid.T) {
		random := rng.Seed(rapid.Uint64Range(0, 1e6).Draw(t, "seed")).Stream("test")
		law := maps[rapid.SampledFrom([]string{"none", "root", "log", "square"}).Draw(t, "map")]
		w, at := mat.NewDense(d, d, nil), make([]float64, d)
		random.Norm(w.RawMatrix().Data)
		random.Norm(at)
		f := objective.Func(d, func(x []float64) float64 {
			sum := 1.
			for i := range d {
				y := -at[i]
				for k, v := range x {
					y += w.At(i, k) * v
				}
				sum += y * y
			}
			return law.phi(sum)
		})
		box := objective.Cube(d, -1, 1)
		r, err := Identify(context.Background(), f, trusting(Request{Box: box, Bounds: objective.Cube(d, math.Inf(-1), math.Inf(1)), Seed: random.Uint64()}))
		if err != nil || !r.Quadratic || r.Looks != 1 {
			t.Fatalf("quadratic %v after %d looks, error %v", r.Quadratic, r.Looks, err)
		}
		if math.IsNaN(law.ratio) {
			if !r.Theta.Identity() {
				t.Fatalf("a map %v of a plain quadratic", r.Theta)
			}
		} else if got := r.Theta.Beta / r.Theta.Gamma; !(math.Abs(got-law.ratio) < 1e-3) {
			t.Fatalf("β/γ = %v, not %v", got, law.ratio)
		}
	})
}
