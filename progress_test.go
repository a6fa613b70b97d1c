package untwist_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/strategy"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// What a run says of itself on the way leads to what it says at the end, and asking for it
// changes nothing.
func TestSoFar(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 8, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	start := objective.Cube(8, -5, 5)
	start.Hi[0] = 7 // so that the user's coordinates are not the scaled ones
	o := untwist.Options{Start: start, Budget: 20_000, Seed: 3}
	want, err := untwist.Minimize(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	var seen []untwist.Result
	o.Progress = func(p untwist.Progress) {
		r := p.SoFar()
		if r.Queries != p.Queries || r.Value != p.Best || r.Status != objective.Running || r.Stages[len(r.Stages)-1].Name != p.Stage {
			t.Errorf("%d queries, %v, %v, but so far %d, %v, %v", p.Queries, p.Best, p.Stage, r.Queries, r.Value, r.Stages)
		}
		seen = append(seen, r)
	}
	got, err := untwist.Minimize(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("who asks how it goes gets another result")
	}
	if seen[0].Structure != nil {
		t.Error("the first query has told what f is like")
	}
	last := seen[len(seen)-1]
	if before := seen[len(seen)-2]; before.Structure != last.Structure {
		t.Error("nothing new was learnt, and the structure is another")
	}
	if s := last.Structure; s == nil || s.Frame != got.Structure.Frame || !reflect.DeepEqual(s.Blocks, got.Structure.Blocks) || s.Certificate.Verdict != got.Structure.Certificate.Verdict {
		t.Errorf("the last batch knows %v, the result %v", s, got.Structure)
	}
	if !reflect.DeepEqual(last.Curve, got.Curve) {
		t.Errorf("the last curve is\n%v, that of the result\n%v", last.Curve, got.Curve)
	}
}

// Seen sees every query once and in order, the same for any number of workers and when a
// journal answers, and changes nothing.
func TestSeenSeesEveryQuery(t *testing.T) {
	f := objective.Fallible(3, func(_ context.Context, x []float64) (float64, error) {
		if x[0] > 4 {
			return 0, fmt.Errorf("%.17g is too much", x[0])
		}
		return ripple(x), nil
	})
	file := filepath.Join(t.TempDir(), "run.journal")
	options := untwist.Options{Bounds: objective.Cube(3, -5, 5), Budget: 700}
	plain, err := untwist.Minimize(ctx, f, options)
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	for i, workers := range []int{1, 3, 1} {
		var all []string
		failed := 0
		best := math.Inf(1)
		o := options
		o.Workers = workers
		if i > 0 {
			o.Journal = untwist.Journal{File: file}
		}
		o.Seen = func(query int, point []float64, a objective.Answer) {
			if a.Failure != nil {
				failed++
			}
			if query != len(all)+1 || (a.Failure != nil) != math.IsInf(a.Value, 1) || a.Seconds <= 0 {
				t.Fatalf("query %d after %d: %+v", query, len(all), a)
			}
			best = min(best, a.Value)
			all = append(all, fmt.Sprint(point, a.Value, a.Failure))
		}
		r, err := untwist.Minimize(ctx, f, o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = all
		}
		if len(all) != r.Queries || failed != r.Failed || failed == 0 || best != r.Value || !slices.Equal(all, first) {
			t.Errorf("%d workers: %d of %d queries, %d of %d failures, best %v of %v", workers, len(all), r.Queries, failed, r.Failed, best, r.Value)
		}
		if r.Value != plain.Value || !slices.Equal(r.Point, plain.Point) {
			t.Errorf("%d workers: another result, because somebody looks", workers)
		}
	}
}

// Parallel belongs to the algorithm: with it a run takes fewer rounds and more queries. How
// many workers there are changes nothing, with it or without.
func TestParallelChangesTheRunAndWorkersDoNot(t *testing.T) {
	for name, c := range map[string]struct {
		spec   problem.Spec
		by     strategy.Strategy
		goal   *float64
		most   float64 // of the rounds with Parallel, as a part of those without
		budget int
	}{
		"cmaes":  {problem.Spec{Name: "rosenbrock", Dim: flags.Few(10, 6), Mix: "orthogonal"}, strategy.CMAES{}, new(1e-8), 1. / 3, 0},
		"blocks": {problem.Spec{Name: "rosenbrock-pairs", Dim: flags.Usually(6, 5)}, nil, nil, 3. / 4, flags.Usually(0, 3000)}, // blocks of two: a larger generation comes little further
		"lines":  {problem.Spec{Name: "rastrigin", Dim: 6, Mix: "none"}, nil, new(1e-8), 1. / 2, 900},
		"auto":   {problem.Spec{Name: "rosenbrock", Dim: flags.Few(10, flags.Usually(6, 3))}, nil, new(1e-8), 1.1, 0}, // descents, whose steps take as many rounds
	} {
		p, err := problem.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		run := func(parallel, workers int) untwist.Result {
			o := untwist.Options{Strategy: c.by, Seed: 2, Start: p.Domain(), Target: c.goal, Budget: c.budget, Parallel: parallel, Workers: workers}
			r, err := untwist.Minimize(ctx, p, o)
			if err != nil || c.goal != nil && r.Status != objective.TargetReached {
				t.Fatalf("%s, parallel %d: %v, error %v", name, parallel, r.Status, err)
			}
			return r
		}
		runs := map[int]untwist.Result{}
		for _, parallel := range []int{0, 100} {
			one, three := run(parallel, 1), run(parallel, 3)
			runs[parallel] = one
			if !cmp.Equal(one.Point, three.Point) || one.Queries != three.Queries || one.Rounds != three.Rounds || !cmp.Equal(one.Improvements, three.Improvements) {
				t.Errorf("%s, parallel %d: %d queries and %d rounds with a worker, %d and %d with three", name, parallel, one.Queries, one.Rounds, three.Queries, three.Rounds)
			}
		}
		none, one, many := runs[0], run(1, 1), runs[100]
		if !cmp.Equal(none.Improvements, one.Improvements) || one.Rounds != none.Rounds {
			t.Errorf("%s: parallel 1 is not as none", name)
		}
		if float64(many.Rounds) > c.most*float64(one.Rounds) {
			t.Errorf("%s: %d rounds, %d without Parallel", name, many.Rounds, one.Rounds)
		}
		t.Logf("%s: %d rounds and %d queries instead of %d and %d", name, many.Rounds, many.Queries, one.Rounds, one.Queries)
	}
}

// With few queries Parallel takes none of them away: where f is no sum a run asks for the same points as without.
func TestParallelWithFewQueries(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "bbob-10", Dim: 6})
	if err != nil {
		t.Fatal(err)
	}
	run := func(parallel int) untwist.Result {
		r, err := untwist.Minimize(ctx, p, untwist.Options{Start: p.Domain(), Budget: 400, Parallel: parallel})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if one, many := run(1), run(16); one.Rounds != many.Rounds || !cmp.Equal(one.Improvements, many.Improvements) {
		t.Errorf("%v in %d rounds, with Parallel %v in %d", one.Value, one.Rounds, many.Value, many.Rounds)
	}
}
