package untwist_test

import (
	"path/filepath"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/journal"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Observe sees every query with its value, once, also where a journal answers.
func TestObserveSeesEveryQuery(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.journal")
	for _, round := range []string{"asked", "answered by the journal"} {
		seen := 0
		r, err := untwist.Minimize(ctx, objective.Func(3, ripple), untwist.Options{
			Budget: 900, Journal: journal.Config{File: file},
			Observe: func(points *mat.Dense, values []float64) {
				rows, cols := points.Dims()
				if rows != len(values) || cols != 3 {
					t.Fatalf("%d×%d points and %d values", rows, cols, len(values))
				}
				for i, v := range values {
					if want := ripple(points.RawRowView(i)); v != want {
						t.Fatalf("%v was shown with %g, it is %g", points.RawRowView(i), v, want)
					}
				}
				seen += rows
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if seen != r.Queries || seen == 0 {
			t.Errorf("%s: %d queries were shown of %d", round, seen, r.Queries)
		}
	}
}
