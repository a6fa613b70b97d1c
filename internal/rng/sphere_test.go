package rng

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Points on the sphere have length 1. Every coordinate has mean 0 and mean square 1/d.
// Bounds are five standard errors; the seed is fixed. A *rand.Rand works as well as a
// Stream.
func TestSphere(t *testing.T) {
	const n, d = 4000, 5
	for name, random := range map[string]interface{ NormFloat64() float64 }{
		"stream": Seed(1).Stream("sphere"), "math/rand": rand.New(rand.NewPCG(1, 2)),
	} {
		v := Sphere(n, d, random)
		var mean, square [d]float64
		for i := range n {
			length := 0.0
			for k, x := range v.RawRowView(i) {
				length += x * x
				mean[k] += x / n
				square[k] += x * x / n
			}
			if math.Abs(length-1) > 1e-14 {
				t.Fatalf("%s: point %d has length² %v", name, i, length)
			}
		}
		// Var x² = E x⁴ − 1/d² = 3/d(d+2) − 1/d².
		spread := math.Sqrt((3./(d*(d+2)) - 1./(d*d)) / n)
		for k := range d {
			if math.Abs(mean[k]) > 5/math.Sqrt(d*n) || math.Abs(square[k]-1./d) > 5*spread {
				t.Errorf("%s: coordinate %d has mean %g and mean square %g", name, k, mean[k], square[k])
			}
		}
	}
}
