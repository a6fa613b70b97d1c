package mixed

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// three is a continuous coordinate, one of five values, and a choice of three.
var three = []strategy.Lattice{{}, {Values: []float64{-0.8, -0.4, 0, 0.4, 0.8}}, {Values: []float64{-0.6, 0, 0.6}, Unordered: true}}

// Every point that is asked is on the lattices, for every budget, and the minimum is found.
func TestEveryPointIsOnTheLattices(t *testing.T) {
	for _, budget := range []int{5, 40, 400, 2000} {
		best := math.Inf(1)
		f := query.NewMeter(objective.Func(3, func(z []float64) float64 {
			for k, l := range three {
				if len(l.Values) > 0 && !slices.Contains(l.Values, z[k]) {
					t.Fatalf("%v is not on the lattices", z)
				}
			}
			v := (z[0]-0.3)*(z[0]-0.3) + (z[1]-0.35)*(z[1]-0.35) + math.Abs(z[2]+0.6)*(1+z[0])
			best = min(best, v)
			return v
		}), budget)
		out, err := Strategy{Called: "auto"}.Minimize(t.Context(), f, strategy.Task{Bounds: objective.Cube(3, -1, 1), Lattices: three, Budget: budget, Seed: 3})
		if err != nil || out.Status != objective.BudgetSpent || f.Queries() != budget {
			t.Errorf("budget %d: %v after %d, %v", budget, out.Status, f.Queries(), err)
		}
		if budget > 100 && math.Abs(best-0.0025) > 1e-6 {
			t.Errorf("budget %d: %v", budget, best)
		}
	}
}

// By hand: along a lattice of five values from the second, 1 and 2 further; of a choice all others.
func TestLine(t *testing.T) {
	w := newSearch(t.Context(), objective.Func(3, func([]float64) float64 { return 0 }), strategy.Task{Lattices: three, Bounds: objective.Cube(3, -1, 1)})
	var got []float64
	for _, p := range w.line([]float64{9, -0.4, 0}, 1) {
		got = append(got, p[1])
	}
	if !slices.Equal(got, []float64{-0.8, 0, 0.4}) {
		t.Errorf("%v", got)
	}
	if n := len(w.line([]float64{9, -0.4, 0}, 2)); n != 2 {
		t.Errorf("%d choices", n)
	}
}

// A cubic spline reproduces what is linear, and goes through its points.
func TestSurrogate(t *testing.T) {
	points := [][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0.3, 0.6}}
	linear := func(u []float64) float64 { return 2 + 3*u[0] - u[1] }
	var values, bent []float64
	for i, p := range points {
		values, bent = append(values, linear(p)), append(bent, linear(p)+float64(i*i))
	}
	s, ok := fitted(points, values)
	if u := []float64{0.7, -0.4}; !ok || math.Abs(s.at(u)-linear(u)) > 1e-6 {
		t.Errorf("%v, want %v", s.at(u), linear(u))
	}
	s, ok = fitted(points, bent)
	for i, p := range points {
		if !ok || math.Abs(s.at(p)-bent[i]) > 1e-6 {
			t.Errorf("%v at %v, want %v", s.at(p), p, bent[i])
		}
	}
}

// Probabilities move towards the choice of the better points, and none falls below its margin.
func TestChoicesAreLearnt(t *testing.T) {
	w := newSearch(t.Context(), objective.Func(3, func([]float64) float64 { return 0 }), strategy.Task{Lattices: three, Bounds: objective.Cube(3, -1, 1)})
	c := newChoosing(w)
	for range 50 {
		c.learn([][]int{{0}, {1}, {2}, {0}, {1}, {2}}, []float64{3, 1, 2, 3, 1, math.NaN()})
	}
	least := (1 - 0.73) / 2
	if q := c.q[0]; q[1] < 0.7 || min(q[0], q[2]) < least/(1+2*least) || math.Abs(q[0]+q[1]+q[2]-1) > 1e-12 {
		t.Errorf("%v", q)
	}
}
