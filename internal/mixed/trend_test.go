package mixed

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// parabola returns ‖W(x − x*)‖² + bᵀx with a random W. The first of n coordinates is continuous, the others have five values, and
// so has x*.
func parabola(n int, b float64, seed uint64) (*search, []float64) {
	random := rng.Seed(seed).Stream("parabola")
	w := make([][]float64, n)
	task := strategy.Task{Lattices: make([]strategy.Lattice, n), Bounds: objective.Cube(n, -1, 1), Budget: 10_000, Seed: seed}
	for i := range w {
		w[i] = make([]float64, n)
		random.Norm(w[i])
		if i > 0 {
			task.Lattices[i].Values = []float64{-0.8, -0.4, 0, 0.4, 0.8}
		}
	}
	least := make([]float64, n)
	f := objective.Func(n, func(x []float64) float64 {
		v := 0.
		for i, row := range w {
			s := 0.
			for j, a := range row {
				s += a * (x[j] - least[j])
			}
			v += s*s + b*x[i]
		}
		return v
	})
	task, err := task.Complete(n)
	if err != nil {
		panic(err)
	}
	s := newSearch(context.Background(), f, task)
	copy(least, s.draw())
	return s, least
}

// The trend of a parabola is that parabola, and where descend ends no naive change of two coordinates is lower.
func TestTrendOfAParabola(t *testing.T) {
	const n = 6
	for seed := range uint64(10) {
		w, _ := parabola(n, 5, seed)
		for range 3 * coefficients(n) {
			if _, err := w.ask([][]float64{w.draw()}); err != nil {
				t.Fatal(err)
			}
		}
		m := w.trend(seed%2 == 1)
		at := func(z []float64) float64 {
			p, err := w.ask([][]float64{z})
			if err != nil {
				t.Fatal(err)
			}
			return p[0].value
		}
		c := at(make([]float64, n))
		x, y := w.draw(), w.draw()
		unit := (at(x) - c) / m.at(x)
		if got, want := unit*m.at(y), at(y)-c; math.Abs(got-want) > 1e-3*(1+math.Abs(want)) { // H is regularised a little
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
		m.descend(x)
		low := at(x)
		values := func(k int) []float64 {
			if l := w.task.Lattices[k].Values; len(l) > 0 {
				return l
			}
			var all []float64
			for i := range 41 {
				all = append(all, float64(i-20)/20)
			}
			return all
		}
		for i := range n {
			for _, a := range values(i) {
				for j := range i {
					for _, b := range values(j) {
						z := append([]float64{}, x...)
						z[i], z[j] = a, b
						if v := at(z); v < low-1e-3 {
							t.Errorf("seed %d: %v at %v, %v at %v", seed, low, x, v, z)
						}
					}
				}
			}
		}
	}
}

// A minimum at which all of twenty coupled coordinates have to be right is found from some random points.
func TestTrendFindsALatticePoint(t *testing.T) {
	for seed := range uint64(5) {
		w, least := parabola(20, 0, seed)
		if _, err := w.first(); err != nil {
			t.Fatal(err)
		}
		if err := w.follow(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.best.z[1:], least[1:]) || w.queries > 4*coefficients(20) {
			t.Errorf("seed %d: %v after %d queries, want %v", seed, w.best.z, w.queries, least)
		}
		for _, m := range w.asked {
			for k, v := range m.z[1:] {
				if !slices.Contains(w.task.Lattices[k+1].Values, v) {
					t.Fatalf("seed %d: %v is on no lattice", seed, m.z)
				}
			}
		}
	}
}
