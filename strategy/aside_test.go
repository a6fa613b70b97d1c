package strategy

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// What runs aside gets s/(1−s) points for each point of the algorithm, in its batches and after its
// own, until it has what it wants; then the next run begins.
func TestAside(t *testing.T) {
	for share, want := range map[float64][]int{
		0:    {4, 4, 4, 4, 4, 4},
		0.2:  {5, 5, 5, 5, 5, 5},
		0.5:  {8, 7, 9, 6, 10, 5}, // it wants seven at a time: 4 and 3, 5 and 2, 6 and 1
		0.75: {11, 11, 11, 11, 11, 11},
	} {
		var sizes []int
		f := objective.Batch(1, func(points *mat.Dense, values []float64) {
			sizes = append(sizes, len(values))
			mat.Col(values, 0, points)
		})
		done := 0
		a := &aside{f: f, share: share, next: func(ctx context.Context) func(objective.Objective) error {
			return func(f objective.Objective) error {
				values := make([]float64, 7)
				err := f.Evaluate(ctx, mat.NewDense(7, 1, []float64{10, 11, 12, 13, 14, 15, 16}), values)
				if err == nil && !slices.Equal(values, []float64{10, 11, 12, 13, 14, 15, 16}) {
					t.Errorf("share %v: values %v aside", share, values)
				}
				done++
				return err
			}
		}}
		for range want {
			values := make([]float64, 4)
			if err := a.Evaluate(t.Context(), mat.NewDense(4, 1, []float64{1, 2, 3, 4}), values); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(values, []float64{1, 2, 3, 4}) {
				t.Errorf("share %v: values %v", share, values)
			}
		}
		a.stop()
		if !slices.Equal(sizes, want) {
			t.Errorf("share %v: batches of %v, want %v", share, sizes, want)
		}
		if n := (sum(want) - 4*len(want)) / 7; done < n {
			t.Errorf("share %v: %d runs ended, want %d", share, done, n)
		}
	}
}

// An error of f is one of the algorithm, which has its values as far as they go.
func TestAsideFails(t *testing.T) {
	broken := errors.New("broken")
	a := &aside{f: failing{broken}, share: 0.5, next: func(ctx context.Context) func(objective.Objective) error {
		return func(f objective.Objective) error { return f.Evaluate(ctx, mat.NewDense(1, 1, nil), make([]float64, 1)) }
	}}
	defer a.stop()
	values := make([]float64, 2)
	if err := a.Evaluate(t.Context(), mat.NewDense(2, 1, nil), values); !errors.Is(err, broken) || values[0] != 7 {
		t.Errorf("error %v, values %v", err, values)
	}
}

// failing has a value for the first point, and an error.
type failing struct{ err error }

func (failing) Dim() int { return 1 }

func (f failing) Evaluate(_ context.Context, _ *mat.Dense, values []float64) error {
	values[0] = 7
	return f.err
}

func sum(all []int) (s int) {
	for _, v := range all {
		s += v
	}
	return s
}
