package query_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A benchmark has a row of values and a row of clean ones; a point is the number of its
// query.
type benchmark struct{ values, clean []float64 }

func (benchmark) Dim() int        { return 1 }
func (benchmark) Blemished() bool { return true }
func (b benchmark) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	return look(b.values, points, values)
}
func (b benchmark) Clean(ctx context.Context, points *mat.Dense, values []float64) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return look(b.clean, points, values)
}

func look(row []float64, points *mat.Dense, values []float64) error {
	for i := range values {
		values[i] = row[int(points.At(i, 0))-1]
	}
	return nil
}

// The target is compared with the clean values of queries that have not failed, and with
// nothing else; the best point is the best by its value.
func TestTheTargetIsClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "queries")
		value := rapid.OneOf(rapid.Float64Range(-100, 100), rapid.Just(math.Inf(1)))
		f := benchmark{rapid.SliceOfN(value, n, n).Draw(t, "values"), rapid.SliceOfN(rapid.Float64Range(-100, 100), n, n).Draw(t, "clean")}
		target := rapid.Float64Range(-120, 50).Draw(t, "target")
		want := 0
		for i := n - 1; i >= 0; i-- {
			if f.clean[i] <= target && !math.IsInf(f.values[i], 1) {
				want = i + 1
			}
		}
		rules := query.Rules{Target: &target, Clean: query.CleanOf(f)}
		r := query.NewRecord(query.NewMeter(query.NewGuard(f), n), rules, nil)
		for lo := 0; lo < n; {
			hi := min(lo+rapid.IntRange(1, 50).Draw(t, "batch"), n)
			p := mat.NewDense(hi-lo, 1, nil)
			for i := range hi - lo {
				p.Set(i, 0, float64(lo+i+1))
			}
			lo = hi
			err := r.Evaluate(ctx, p, make([]float64, p.RawMatrix().Rows))
			if stop := want > 0 && want <= lo; errors.Is(err, objective.ErrTarget) != stop || err != nil && !stop {
				t.Fatalf("error %v after %d queries; the target is reached by query %d", err, lo, want)
			} else if stop {
				break
			}
		}
		if r.TargetAt() != want {
			t.Fatalf("the target is reached by query %d, want %d", r.TargetAt(), want)
		}
		if best := r.Best(); best.Value != f.values[int(best.Point[0])-1] {
			t.Fatalf("best %v", best)
		}
	})
}

// A benchmark without blemishes is its own clean function, and so is any other objective.
func TestCleanOf(t *testing.T) {
	if query.CleanOf(spotless{}) != nil || query.CleanOf(objective.Func(1, func([]float64) float64 { return 0 })) != nil {
		t.Error("what has no blemishes was cleaned")
	}
	f := benchmark{[]float64{1}, []float64{2}}
	values := make([]float64, 1)
	if err := query.CleanOf(f).Evaluate(t.Context(), mat.NewDense(1, 1, []float64{1}), values); err != nil || values[0] != 2 {
		t.Errorf("clean value %v, error %v", values[0], err)
	}
}

type spotless struct{ benchmark }

func (spotless) Blemished() bool { return false }

// If the clean function fails, the run ends with its error; the queries are counted.
func TestCleanFails(t *testing.T) {
	r := query.NewRecord(query.NewMeter(query.NewGuard(benchmark{values: []float64{1}}), 5), query.Rules{Target: new(0.), Clean: broken{}}, nil)
	err := r.Evaluate(t.Context(), mat.NewDense(1, 1, []float64{1}), make([]float64, 1))
	if status, why := objective.StatusOf(t.Context(), err); status != objective.Failed || why != errBroken || r.BestAt() != 1 {
		t.Errorf("status %v, error %v", status, err)
	}
}

var errBroken = errors.New("broken")

type broken struct{ benchmark }

func (broken) Evaluate(context.Context, *mat.Dense, []float64) error { return errBroken }
