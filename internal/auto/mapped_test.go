package auto

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// rootOfWells is the root of Σ (x_k² − 1)² + 0.3x_k + 1: sixteen wells in four dimensions.
func rootOfWells(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += (v*v-1)*(v*v-1) + 0.3*v + 1
	}
	return math.Sqrt(sum)
}

// mapOf is that of φ, from values of φ(x² + y²) at the corners of squares.
func mapOf(t *testing.T, phi func(v float64) float64) *outer.Map {
	t.Helper()
	f := func(x, y float64) float64 { return phi(x*x + y*y) }
	var corners []outer.Corners
	for k := range 12 {
		x, y := float64(k)/4, float64(k%5)/2
		corners = append(corners, outer.Corners{f(x, y), f(x+1, y), f(x, y+2), f(x+1, y+2)})
	}
	m := outer.Fitted(corners)
	if left := outer.Coupling(m, corners); m == nil || left > 1e-9 {
		t.Fatalf("no map: %v left", left)
	}
	return m
}

// mapOfRoot is that of the root.
func mapOfRoot(t *testing.T) *outer.Map {
	t.Helper()
	return mapOf(t, func(v float64) float64 { return math.Sqrt(1 + v) })
}

// What is asked of ψ(f) is a query of f, which keeps its own best value and its count; the
// best values belong to the same point.
func TestAMappedRunAsksF(t *testing.T) {
	ctx := context.Background()
	task, err := strategy.Task{Budget: 1000}.Complete(4)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(objective.Func(4, rootOfWells), task)
	if _, err := r.f.ask(ctx, []float64{2, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	m := mapOfRoot(t)
	under := r.mapped(m)
	for _, x := range [][]float64{{1, 0, 0, 0}, {-1, -1, 0, 0}, {3, 3, 3, 3}} {
		if _, err := under.f.ask(ctx, x); err != nil {
			t.Fatal(err)
		}
	}
	if r.f.queries != 4 || under.f.queries != 4 {
		t.Errorf("%d queries of f, %d of ψ(f), want 4", r.f.queries, under.f.queries)
	}
	if want := rootOfWells([]float64{-1, -1, 0, 0}); r.f.best.Value != want || under.f.best.Value != m.Of(want) {
		t.Errorf("the best values are %v and %v, want %v and %v", r.f.best.Value, under.f.best.Value, want, m.Of(want))
	}
	if under.f.first != m.Of(r.f.first) {
		t.Errorf("the first value is %v, want %v", under.f.first, m.Of(r.f.first))
	}
	r.f.limit = 4
	if _, err := under.f.ask(ctx, make([]float64, 4)); err != errShare {
		t.Errorf("beyond the limit of f the error is %v", err)
	}
}

// Profiles are told in the unit of f: how much it rises from the point found.
func TestProfilesAreThoseOfF(t *testing.T) {
	m := mapOfRoot(t)
	r := &run{f: &watched{best: query.Best{Value: 2}}, learnt: &strategy.Learnt{}}
	// f = √s with s = 4 at the point found: s rises by 5 and by 12 where f is 3 and 4.
	unit := (m.Of(3) - m.Of(2)) / 5
	r.learnt.Profiles = []frame.Profile{{Y: []float64{0, 1, 2}, Value: []float64{0, 5 * unit, math.Inf(1)}, Wells: []frame.Well{{Y: 0}, {Y: 2, Value: 12 * unit}}}}
	r.unmapped(m)
	p := r.learnt.Profiles[0]
	if got := []float64{p.Value[0], p.Value[1], p.Wells[1].Value}; math.Abs(got[0]) > 1e-9 || math.Abs(got[1]-1) > 1e-9 || math.Abs(got[2]-2) > 1e-9 || !math.IsInf(p.Value[2], 1) {
		t.Errorf("f rises by %v and %v", got, p.Value[2])
	}
}

// A map whose end is above the best value is replaced by one that fits around the minimum, in
// the same unit.
func TestAWrongEndOfARootIsMended(t *testing.T) {
	ctx := context.Background()
	f := func(x []float64) float64 { return 5 + math.Sqrt(x[0]*x[0]+3*x[1]*x[1]+x[2]*x[2]*2) }
	task, err := strategy.Task{Budget: 1000, Seed: 1}.Complete(3)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(objective.Func(3, f), task)
	for _, x := range [][]float64{{1, 1, 1}, {1e-5, 0, 2e-5}} {
		if _, err := r.f.ask(ctx, x); err != nil {
			t.Fatal(err)
		}
	}
	wrong := mapOf(t, func(v float64) float64 { return 5.001 + math.Sqrt(0.3+v) }) // a root that ends at 5.001
	under := r.mapped(wrong)
	c := &coordinates{w: kernel.Identity(3), u: kernel.Identity(3), bounds: task.Bounds, scale: []float64{1, 1, 1}, singles: []int{0, 1, 2}}
	if err := under.remap(ctx, c); err != nil {
		t.Fatal(err)
	}
	if end := under.mapping.under.Map.Pole(); math.Abs(end-5) > 1e-7 {
		t.Errorf("the root ends at %v, want 5", end)
	}
	if r.f.queries != under.f.queries {
		t.Errorf("%d queries of f, %d of ψ(f)", r.f.queries, under.f.queries)
	}
	if got := wrong.Of(7) - wrong.Of(6); math.Abs(under.mapping.under.Of(7)-under.mapping.under.Of(6)-got) > 0.2*got {
		t.Errorf("the unit has changed from %v to %v", got, under.mapping.under.Of(7)-under.mapping.under.Of(6))
	}
}
