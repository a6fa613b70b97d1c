package cbo_test

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// wells is Σ z_j² + 10(1 − cos 2πz_j), z = x − 1. It has a well at each integer;
// the deepest is at 1, where it is 0.
func wells(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		z := v - 1
		sum += z*z + 10*(1-math.Cos(2*math.Pi*z))
	}
	return sum
}

// minimize runs cfg with 200,000 queries and prints what it found.
func minimize(name string, d int, f func(x []float64) float64, cfg cbo.Config) {
	r, err := cbo.Run(context.Background(), query.NewMeter(objective.Func(d, f), 200_000), cfg)
	fmt.Printf("%s: %.3f at %.2f, error %v\n", name, r.Value, r.Point, err)
}

// The defaults are those of the paper's experiment. The start box is where
// particles start, not where they must stay.
func ExampleRun() {
	minimize("wells", 3, wells, cbo.Config{Box: objective.Cube(3, -5, 5), Seed: 1})
	// Output:
	// wells: 0.000 at [1.00 1.00 1.00], error <nil>
}

// A schedule is a value. This is the α of the paper, which grows by half a percent
// per step.
func ExampleGeometric() {
	alpha := cbo.Geometric{Start: 100, Factor: 1.005, Limit: 1e5}
	fmt.Printf("%.1f, %.1f, %.1f\n", alpha.At(0), alpha.At(1), alpha.At(5000))
	fmt.Println(cbo.Constant(7.1).At(5000))
	// Output:
	// 100.0, 100.5, 100000.0
	// 7.1
}

// Isotropic noise has the same strength in all directions, so it does not matter
// whether the coordinates are rotated. It needs its own σ.
func ExampleIsotropic() {
	turned := func(x []float64) float64 { return wells([]float64{0.6*x[0] + 0.8*x[1], 0.8*x[0] - 0.6*x[1]}) }
	minimize("isotropic", 2, turned, cbo.Config{Box: objective.Cube(2, -5, 5), Noise: cbo.Isotropic{}, Sigma: cbo.Constant(1)})
	// Output:
	// isotropic: 0.000 at [1.40 0.20], error <nil>
}

// Particles that are better than the consensus do not drift. This costs one query
// more per step.
func ExampleHeaviside() {
	h := cbo.Heaviside{}
	fmt.Println(h.Factor(-0.1), h.Factor(0.1))
	minimize("heaviside", 3, wells, cbo.Config{Box: objective.Cube(3, -5, 5), Correction: h})
	// Output:
	// 0 1
	// heaviside: 0.000 at [1.00 1.00 1.00], error <nil>
}

// In the smooth form, the better a particle is, the less it drifts.
func ExampleRegularised() {
	h := cbo.Regularised{Epsilon: 0.1}
	fmt.Printf("%.2f %.2f %.2f\n", h.Factor(-0.1), h.Factor(0), h.Factor(0.1))
	minimize("regularised", 3, wells, cbo.Config{Box: objective.Cube(3, -5, 5), Correction: h})
	// Output:
	// 0.12 0.50 0.88
	// regularised: 0.000 at [1.00 1.00 1.00], error <nil>
}

// Particles that remember their best position are pulled back to it.
func ExampleRemember() {
	minimize("remember", 3, wells, cbo.Config{Box: objective.Cube(3, -5, 5), Memory: cbo.Remember{Lambda: 0.4}})
	// Output:
	// remember: 0.000 at [1.00 1.00 1.00], error <nil>
}

// A clipped particle cannot reach a minimum beyond the radius; a free one can.
func ExampleFree() {
	bowl := func(x []float64) float64 { return (x[0] - 5) * (x[0] - 5) }
	minimize("clip", 1, bowl, cbo.Config{Domain: cbo.Clip{Radius: 2}})
	minimize("free", 1, bowl, cbo.Config{Domain: cbo.Free{}})
	// Output:
	// clip: 9.000 at [2.00], error <nil>
	// free: 0.000 at [5.00], error <nil>
}
