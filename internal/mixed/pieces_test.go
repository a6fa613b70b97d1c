package mixed

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// By hand: 1 + 2p + 3q − p²/2 + 4pq + 5q²/2 is found again from its values on a grid.
func TestOnePiece(t *testing.T) {
	want := []float64{1, 2, 3, -1, 5, 4} // of 1, p, q, p²/2, q²/2, pq
	s := grid(2, func(p []float64) float64 {
		return 1 + 2*p[0] + 3*p[1] - p[0]*p[0]/2 + 4*p[0]*p[1] + 5*p[1]*p[1]/2
	})
	m, sum := s.fit(make([]int, len(s.values)), 1)
	for i, v := range want {
		if math.Abs(m[0][i]-v) > 1e-3 {
			t.Errorf("coefficient %d: %v, want %v", i, m[0][i], v)
		}
	}
	if sum > 1e-6 {
		t.Errorf("sum of squares %v", sum)
	}
}

// grid has the values of f at 5ⁿ points.
func grid(n int, f func(p []float64) float64) *sample {
	s := &sample{n: n}
	p := make([]float64, n)
	for i := range int(math.Pow(5, float64(n))) {
		for k := range p {
			p[k] = float64(i%5)/2 - 1
			i /= 5
		}
		s.features, s.values, s.weights = append(s.features, featuresOf(p, nil)), append(s.values, f(p)), append(s.weights, 1)
	}
	return s
}

// Two pieces find a kink from a partition that is nearly right: |p + q/2| + p² has its values again.
func TestTwoPieces(t *testing.T) {
	f := func(p []float64) float64 { return math.Abs(p[0]+p[1]/2) + p[0]*p[0] }
	s := grid(2, f)
	part := make([]int, len(s.values))
	for i, row := range s.features {
		if row[1]+row[2]/4 > 0 {
			part[i] = 1
		}
	}
	if m, sum := s.fit(part, 2); sum > 1e-6 {
		t.Errorf("sum of squares %v of %v", sum, m)
	}
}

// A kink that couples a number with a lattice, 50·|x − y| + (y − 0.3)² + 0.1·x², is followed to its minimum with
// the y of the lattice that is best, for every seed.
func TestRegionsGoAlongKinks(t *testing.T) {
	var values []float64
	for i := range 41 {
		values = append(values, float64(i-20)/20)
	}
	for seed := range uint64(flags.Usually(5, 2)) {
		best := math.Inf(1)
		f := query.NewMeter(objective.Func(3, func(z []float64) float64 {
			v := 50*math.Abs(z[0]-z[1]) + (z[1]-0.3)*(z[1]-0.3) + 0.1*z[0]*z[0] + z[2]*z[2]
			best = min(best, v)
			return v
		}), 200)
		_, err := Strategy{Called: "auto"}.Minimize(t.Context(), f, strategy.Task{
			Bounds: objective.Cube(3, -1, 1), Lattices: []strategy.Lattice{{}, {Values: values}, {}}, Budget: 200, Seed: seed,
		})
		if want := 0.05*0.05 + 0.1*0.25*0.25; err != nil || best > want+1e-3 {
			t.Errorf("seed %d: %v, want %v, %v", seed, best, want, err)
		}
	}
}
