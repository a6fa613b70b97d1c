package objective_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/untwist/untwist/objective"
)

// Points of a box are uniform, and inside. The means are off by more than five standard
// errors for one seed in a million.
func TestDrawIsUniform(t *testing.T) {
	const n = 100_000
	box := objective.Box{Lo: []float64{-3, 10}, Hi: []float64{-1, 20}}
	x, random := make([]float64, 2), rand.New(rand.NewPCG(1, 2))
	var mean [2]float64
	for range n {
		if box.Draw(x, random); !box.Contains(x) {
			t.Fatalf("%v is outside", x)
		}
		for i := range x {
			mean[i] += x[i] / n
		}
	}
	for i := range mean {
		lo, hi := box.Lo[i], box.Hi[i]
		if se := (hi - lo) / math.Sqrt(12*n); !(math.Abs(mean[i]-(lo+hi)/2) <= 5*se) {
			t.Errorf("the mean of coordinate %d is %g", i, mean[i])
		}
	}
}

// topmost is a source whose Float64 is the largest number below 1.
type topmost struct{}

func (topmost) Uint64() uint64 { return math.MaxUint64 }

// With that number a point reaches the end of the box, or nearly, but never passes it.
func TestDrawStaysInside(t *testing.T) {
	top, r := rand.New(topmost{}), rand.New(rand.NewPCG(2, 3))
	x := make([]float64, 1)
	for range 100_000 {
		lo := -math.Pow(10, 9*r.Float64()-3)
		hi := lo + math.Pow(10, 12*r.Float64()-6)
		if objective.Cube(1, lo, hi).Draw(x, top); x[0] < lo || x[0] > hi || hi-x[0] > 1e-6*(hi-lo)+1e-9*math.Abs(lo) {
			t.Fatalf("%v for %v:%v", x[0], lo, hi)
		}
	}
}
