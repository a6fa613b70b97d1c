package several_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
)

// rows returns orthonormal random rows.
func rows(d int, seed uint64) (w [][]float64) {
	random := rand.New(rand.NewPCG(seed, 40))
	for range d {
		row := make([]float64, d)
		for k := range row {
			row[k] = random.NormFloat64()
		}
		for _, q := range w {
			floats.AddScaled(row, -floats.Dot(q, row), q)
		}
		floats.Scale(1/floats.Norm(row, 2), row)
		w = append(w, row)
	}
	return w
}

// wells returns the residuals u_j and √20·sin(πu_j) of hidden coordinates u: Σ u² + 10·(1 − cos 2πu), Rastrigin's function.
func wells(d int, seed uint64) objective.Objective {
	w := rows(d, seed)
	return untwist.Vector(d, 2*d, func(x, out []float64) error {
		for j, row := range w {
			u := floats.Dot(row, x) + math.Sin(float64(j))
			out[2*j], out[2*j+1] = u, math.Sqrt(20)*math.Sin(math.Pi*u)
		}
		return nil
	})
}

// Residuals of hidden coordinates, two for each, have a least sum of squares among some 11^d. Each descent is one for all
// coordinates, so it is found within the queries of some ten descents.
func TestWellsOfResidualsAreFound(t *testing.T) {
	for _, d := range []int{6, 12} {
		for seed := range uint64(flags.Usually(5, 2)) {
			r, err := untwist.Minimize(t.Context(), wells(d, seed), untwist.Options{Bounds: untwist.Cube(d, -5, 5), Residuals: 2 * d, Seed: seed, Budget: 250 * d})
			if err != nil || r.Value > 1e-12 || r.Status != objective.Converged {
				t.Errorf("d = %d, seed %d: %v after %d queries, %v, %v", d, seed, r.Value, r.Queries, r.Status, err)
			}
		}
	}
}

// Residuals that depend on a coordinate each near the first start, and on both beyond: points that are put together of parts
// do not keep their promise once, and the search goes on without parts.
func TestPartsThatAreNone(t *testing.T) {
	both := func(x, y float64) float64 { // 0 below 1
		return 3 * math.Max(0, x*x-1) * math.Max(0, y*y-1)
	}
	f := untwist.Vector(2, 4, func(x, out []float64) error {
		for k, u := range x {
			other := x[1-k]
			out[2*k], out[2*k+1] = u-2+both(u, other), math.Sin(4*u)
		}
		return nil
	})
	exact := math.Inf(1) // by a grid
	at := []float64{0, 0}
	for i := range 801 {
		for j := range 801 {
			at[0], at[1] = float64(i)/200-1, float64(j)/200-1
			var sum float64
			for k, u := range at {
				sum += math.Pow(u-2+both(u, at[1-k]), 2) + math.Pow(math.Sin(4*u), 2)
			}
			exact = min(exact, sum)
		}
	}
	for seed := range uint64(5) {
		r, err := untwist.Minimize(context.Background(), f, untwist.Options{
			Bounds: untwist.Cube(2, -3, 3), Points: [][]float64{{.1, .2}}, Residuals: 4, Seed: seed, Budget: 3000,
		})
		if err != nil || r.Value > exact {
			t.Errorf("seed %d: %v, on a grid %v, %v", seed, r.Value, exact, err)
		}
	}
}
