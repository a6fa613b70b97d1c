package untwist_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
)

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
