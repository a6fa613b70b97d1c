package hessian_test

import (
	"math"
	"testing"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// Of n points in a ball the part within radius r is (r/R)^d, and every
// coordinate is above and below 0 equally often. Bounds are five
// standard errors; the seed is fixed.
func TestBallIsUniform(t *testing.T) {
	const n, d, radius = 20_000, 5, 3.0
	r, x := rng.Seed(1).Stream("ball"), make([]float64, d)
	within := map[float64]int{1: 0, 2: 0, 2.5: 0, 3 + 1e-9: 0}
	var above [d]int
	for range n {
		hessian.Ball{Radius: radius}.Draw(x, r)
		sum := 0.0
		for i := range x {
			sum += x[i] * x[i]
			if x[i] > 0 {
				above[i]++
			}
		}
		for limit := range within {
			if math.Sqrt(sum) <= limit {
				within[limit]++
			}
		}
	}
	for limit, got := range within {
		p := min(1, math.Pow(limit/radius, d))
		if want := n * p; math.Abs(float64(got)-want) > 5*math.Sqrt(want*(1-p))+1e-9 {
			t.Errorf("%d of %d points within %g, want about %.0f", got, n, limit, want)
		}
	}
	for i, got := range above {
		if math.Abs(float64(got)-n/2) > 5*math.Sqrt(n/4) {
			t.Errorf("coordinate %d: %d of %d above 0", i, got, n)
		}
	}
	hessian.Ball{Radius: 1e-3}.Draw(x, r)
	if math.Abs(x[0]) > 1e-3 {
		t.Errorf("a ball around 0 has %v in it", x)
	}
}

// A box is a region too, and every point drawn from it is inside.
func TestABoxIsARegion(t *testing.T) {
	box := objective.Box{Lo: []float64{-1, 5}, Hi: []float64{1, 6}}
	r, x := rng.Seed(2).Stream("box"), make([]float64, 2)
	var region hessian.Region = box
	for range 1000 {
		if region.Draw(x, r); !box.Contains(x) {
			t.Fatalf("%v is outside", x)
		}
	}
}
