package untwist_test

import (
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// auto minimises a problem with the strategy auto and returns the gap.
func auto(t *testing.T, spec problem.Spec, o untwist.Options) (untwist.Result, float64) {
	t.Helper()
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	o.Strategy, o.Seed = strategy.Auto{}, spec.Seed
	if spec.Bounds != nil {
		o.Bounds = *spec.Bounds
	} else {
		o.Start = p.Domain()
	}
	r, err := untwist.Minimize(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, r.Value - p.Minimum()
}

// Mixed problems of 20 dimensions, with some ten times d² queries.
func TestAutoSolvesMixedProblems(t *testing.T) {
	for _, name := range []string{"rastrigin", "rastrigin-like", "squared-norm", "different-powers", "levy", "styblinski-tang", "ellipsoid", "discus"} {
		for seed := range uint64(3) {
			r, gap := auto(t, problem.Spec{Name: name, Dim: 20, Seed: seed}, untwist.Options{})
			if gap > 1e-4 || r.Queries > 40*400 {
				t.Errorf("%s, seed %d: gap %g after %d queries, %v", name, seed, gap, r.Queries, r.Status)
			}
		}
	}
}

// In the coordinates given, few components, one dimension, and within bounds.
func TestAutoElsewhere(t *testing.T) {
	bounds := objective.Cube(12, 0, 8)
	for name, spec := range map[string]problem.Spec{
		"not mixed":      {Name: "rastrigin", Dim: 20, Mix: "none"},
		"few components": {Name: "rastrigin", Dim: 60, Components: 3},
		"one dimension":  {Name: "rastrigin", Dim: 1, Mix: "none"},
		"two dimensions": {Name: "levy", Dim: 2},
		"bounds":         {Name: "microring", Dim: 12, Bounds: &bounds},
		"not separable":  {Name: "rosenbrock", Dim: 6},
		"blocks":         {Name: "rosenbrock-pairs", Dim: 6},
	} {
		if r, gap := auto(t, spec, untwist.Options{Budget: 60_000}); gap > 1e-6 {
			t.Errorf("%s: gap %g after %d queries, %v", name, gap, r.Queries, r.Status)
		}
	}
}
