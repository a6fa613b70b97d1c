package query_test

import (
	"errors"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A point that was asked is answered from memory, but for the first, which tells whether f has noise.
func TestMemory(t *testing.T) {
	for _, noise := range []float64{0, 1} {
		asked := 0
		f := objective.Func(1, func(x []float64) float64 { asked++; return x[0] + noise*float64(asked) })
		m := query.NewMemory(f, func() [][]float64 { return nil })
		ask := func(x ...float64) []float64 {
			values := make([]float64, len(x))
			if err := m.Evaluate(t.Context(), mat.NewDense(len(x), 1, x), values); err != nil {
				t.Fatal(err)
			}
			return values
		}
		ask(1, 2)
		ask(1)
		ask(1, 2, 3)
		if want := map[float64]int{0: 4, 1: 6}[noise]; asked != want {
			t.Errorf("noise %v: %d queries, want %d", noise, asked, want)
		}
		if got := ask(2)[0]; noise == 0 && got != 2 {
			t.Errorf("%v at 2", got)
		}
	}
}

// Where the same point stands three times in the batch that shows that f has noise, all of them have values of f.
func TestMemoryOfANoisyBatch(t *testing.T) {
	asked := 0.
	m := query.NewMemory(objective.Func(1, func([]float64) float64 { asked++; return 10 + asked }), func() [][]float64 { return nil })
	values := make([]float64, 3)
	if err := m.Evaluate(t.Context(), mat.NewDense(3, 1, []float64{5, 5, 5}), values); err != nil || values[0] != 11 || values[1] != 12 || values[2] < 11 {
		t.Errorf("%v, %v", values, err)
	}
}

// A search that comes to known points alone is ended, and a batch that the budget cuts says how far it came.
func TestMemoryEnds(t *testing.T) {
	m := query.NewMemory(query.NewMeter(objective.Func(1, func(x []float64) float64 { return x[0] }), 3), func() [][]float64 { return nil })
	values := make([]float64, 4)
	err := m.Evaluate(t.Context(), mat.NewDense(4, 1, []float64{1, 2, 3, 4}), values)
	if !errors.Is(err, objective.ErrBudget) || query.Evaluated(values, err) != 3 {
		t.Errorf("%v after %d", err, query.Evaluated(values, err))
	}
	m = query.NewMemory(objective.Func(1, func(x []float64) float64 { return x[0] }), func() [][]float64 { return nil })
	for n := 0; ; n++ {
		if err := m.Evaluate(t.Context(), mat.NewDense(1, 1, []float64{1}), values[:1]); err != nil {
			if !errors.Is(err, objective.ErrTolerance) || !m.Ended() || n < 1000 {
				t.Errorf("%v after %d", err, n)
			}
			return
		}
	}
}
