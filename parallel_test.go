package untwist_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// Parallel belongs to the algorithm: with it a run takes fewer rounds and more queries. How
// many workers there are changes nothing, with it or without.
func TestParallelChangesTheRunAndWorkersDoNot(t *testing.T) {
	for name, c := range map[string]struct {
		spec problem.Spec
		by   strategy.Strategy
		goal *float64
		most float64 // of the rounds with Parallel, as a part of those without
	}{
		"cmaes":  {problem.Spec{Name: "rosenbrock", Dim: few(10, 6), Mix: "orthogonal"}, strategy.CMAES{}, new(1e-8), 1. / 3},
		"blocks": {problem.Spec{Name: "rosenbrock-pairs", Dim: 6}, nil, nil, 3. / 4}, // blocks of two: a larger generation comes little further
		"auto":   {problem.Spec{Name: "rosenbrock", Dim: few(10, 6)}, nil, new(1e-8), 4. / 5},
	} {
		p, err := problem.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		run := func(parallel, workers int) untwist.Result {
			o := untwist.Options{Strategy: c.by, Seed: 2, Start: p.Domain(), Target: c.goal, Parallel: parallel, Workers: workers}
			r, err := untwist.Minimize(ctx, p, o)
			if err != nil || r.Status != objective.TargetReached && r.Status != objective.Converged {
				t.Fatalf("%s, parallel %d: %v, error %v", name, parallel, r.Status, err)
			}
			return r
		}
		for _, parallel := range []int{0, 100} {
			one, three := run(parallel, 1), run(parallel, 3)
			if !cmp.Equal(one.Point, three.Point) || one.Queries != three.Queries || one.Rounds != three.Rounds || !cmp.Equal(one.Improvements, three.Improvements) {
				t.Errorf("%s, parallel %d: %d queries and %d rounds with a worker, %d and %d with three", name, parallel, one.Queries, one.Rounds, three.Queries, three.Rounds)
			}
		}
		none, one, many := run(0, 1), run(1, 1), run(100, 1)
		if !cmp.Equal(none.Improvements, one.Improvements) || one.Rounds != none.Rounds {
			t.Errorf("%s: parallel 1 is not as none", name)
		}
		if float64(many.Rounds) > c.most*float64(one.Rounds) {
			t.Errorf("%s: %d rounds, %d without Parallel", name, many.Rounds, one.Rounds)
		}
		t.Logf("%s: %d rounds and %d queries instead of %d and %d", name, many.Rounds, many.Queries, one.Rounds, one.Queries)
	}
}
