package auto

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// coupledWells is f on the plane with wells 0.5 apart along both coordinates and a coupling:
// no line alone leads from (0, 0) to the deepest wells, where both are 1 or both −1.
func coupledWells(x []float64) float64 {
	wells := func(y float64) float64 { return 0.1*y*y + 0.2*(1-math.Cos(4*math.Pi*y)) }
	return wells(x[0]) + wells(x[1]) - 0.5*math.Tanh(2*x[0])*math.Tanh(2*x[1])
}

// A search among couplings finds the deepest wells, and polishes them; the value is never
// worse than before.
func TestNearlyLeavesWells(t *testing.T) {
	f, at := plane(t, coupledWells, 0.1)
	if _, err := f.ask(context.Background(), []float64{0, 0}); err != nil {
		t.Fatal(err)
	}
	n := newNearly(f, at, []certify.Pair{{I: 0, J: 1, Mixed: 1, Coupling: 1}}, 1)
	if err := n.first(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		before := n.base.Value
		if err := n.again(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n.base.Value > before || n.base.Value != f.best.Value {
			t.Fatalf("%v after %v, best %v", n.base.Value, before, f.best.Value)
		}
	}
	least := math.Inf(1)
	for _, a := range []float64{-1, -0.5, 0, 0.5, 1} {
		for _, b := range []float64{-1, -0.5, 0, 0.5, 1} {
			least = min(least, coupledWells([]float64{a, b}))
		}
	}
	if f.best.Value > least {
		t.Errorf("%v at %v, and a grid of wells has %v", f.best.Value, f.best.Point, least)
	}
}

// Shifts are taken one after another, the largest gain first, as far as f falls.
func TestTakeByHand(t *testing.T) {
	// Each alone gains, both together lose: (1,0) is −2, (0,1) is −1, (1,1) is 5.
	table := map[[2]float64]float64{{0, 0}: 0, {1, 0}: -2, {0, 1}: -1, {1, 1}: 5}
	f, at := plane(t, func(x []float64) float64 { return table[[2]float64{x[0], x[1]}] }, 1)
	shifts := []shift{{1, 1, -1}, {0, 1, -2}}
	got, moved, err := at.take(context.Background(), f, query.Best{Point: []float64{0, 0}, Value: 0}, shifts)
	if err != nil || got.Value != -2 || !slices.Equal(got.Point, []float64{1, 0}) || moved != 1 || shifts[0].k != 0 {
		t.Errorf("%+v, moved %v, error %v", got, moved, err)
	}
}

// Components are disturbed within the bounds, one at least, and their neighbours are looked
// along.
func TestDisturbed(t *testing.T) {
	f, at := plane(t, coupledWells, 0.1)
	at.bounds = objective.Cube(2, -0.5, 0.5)
	n := newNearly(f, at, []certify.Pair{{I: 0, J: 1, Mixed: 1}}, 1)
	n.base = query.Best{Point: []float64{0.1, 0.1}, Value: 1}
	for range 200 {
		x, open := n.disturbed()
		if !at.bounds.Contains(x) || slices.Equal(x, n.base.Point) || !slices.Contains(open, true) {
			t.Fatalf("%v, %v", x, open)
		}
	}
}

// CMA-ES gets a sixth where the coordinates are sure and it is not ahead, half where they are
// not, and most where it is ahead with fewer queries.
func TestTurnsOfTheRace(t *testing.T) {
	for _, c := range []struct {
		spent, had  int
		mine, other float64
		sure, want  bool
	}{
		{1000, 0, 1, math.Inf(1), true, true}, {1000, 250, 1, 2, true, false},
		{1000, 250, 1, 2, false, true}, {1000, 1001, 1, 2, false, false},
		{1000, 900, 2, 1, true, true}, {1000, 1500, 2, 1, true, false},
	} {
		n := &nearly{spent: c.spent, least: c.mine}
		s := &fallback{cmaes: &contender{queries: c.had, least: c.other}}
		if got := n.behind(s, c.sure); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
