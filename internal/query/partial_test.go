package query_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// If an error does not say how far the batch came, no value is known.
func TestAPlainErrorKnowsNothing(t *testing.T) {
	broken := errors.New("broken")
	if n := query.Evaluated(make([]float64, 5), broken); n != 0 {
		t.Errorf("%d of 5 values are known", n)
	}
	if n := query.Evaluated(make([]float64, 5), nil); n != 5 {
		t.Errorf("%d of 5 values are known without an error", n)
	}
	// A claim of more values than there are is not believed.
	wild := &objective.PartialError{Done: 7, Spent: -1, Err: broken}
	if n := query.Evaluated(make([]float64, 5), wild); n != 5 {
		t.Errorf("%d of 5 values are known", n)
	}
	// One inside another error speaks of another batch.
	if n := query.Evaluated(make([]float64, 5), fmt.Errorf("around it: %w", wild)); n != 0 {
		t.Errorf("%d of 5 values are known", n)
	}
	if _, err := objective.StatusOf(ctx, &objective.PartialError{Done: 1}); err == nil {
		t.Error("an error without a reason is no error")
	}
	if !errors.Is(wild, broken) || wild.Error() != "broken" {
		t.Errorf("it says %q", wild)
	}
}

// A run returns what went wrong, without how far a batch came.
func TestStatusOfForgetsThePart(t *testing.T) {
	broken := errors.New("broken")
	if _, err := objective.StatusOf(ctx, &objective.PartialError{Err: broken}); err != broken {
		t.Errorf("error %#v", err)
	}
	if s, err := objective.StatusOf(ctx, &objective.PartialError{Err: objective.ErrBudget}); s != objective.BudgetSpent || err != nil {
		t.Errorf("%v, %v", s, err)
	}
}

// sizes is f(x) = x. It remembers how large its batches were.
type sizes struct {
	seen []int
	stop int // the point at which it fails
}

func (*sizes) Dim() int { return 1 }
func (s *sizes) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	s.seen = append(s.seen, len(values))
	for i := range values {
		if values[i] = points.At(i, 0); int(values[i]) == s.stop {
			return &objective.PartialError{Done: i, Spent: i, Err: errors.New("stop")}
		}
	}
	return nil
}

func TestChunkCutsByRowsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rows := rapid.IntRange(1, 60).Draw(t, "n"), rapid.IntRange(1, 20).Draw(t, "rows")
		f := &sizes{stop: rapid.IntRange(0, 80).Draw(t, "stop")}
		c := query.NewChunk(f, rows, 0)
		values := make([]float64, n)
		err := c.Evaluate(ctx, points(n), values)
		want := min(n, f.stop)
		if got := query.Evaluated(values, err); got != want || (err != nil) != (f.stop < n) {
			t.Fatalf("%d of %d values are known, want %d, error %v", got, n, want, err)
		}
		for i, v := range values[:want] {
			if v != float64(i) {
				t.Fatalf("value %d is %v", i, v)
			}
		}
		for k, size := range f.seen {
			if size > rows || size < rows && k < len(f.seen)-1 {
				t.Fatalf("pieces of %v for %d rows", f.seen, rows)
			}
		}
		if c.Rounds() != 1 {
			t.Fatalf("%d rounds for one batch", c.Rounds())
		}
	})
}

// The target and the end of the context both end a run within a long batch.
func TestChunkSeesTargetAndCancellation(t *testing.T) {
	var calls atomic.Int64
	r := query.NewRecord(query.NewMeter(identity(&calls), 10_000), query.Rules{Target: new(3.)}, nil)
	err := query.NewChunk(r, 10, 0).Evaluate(ctx, points(1000), make([]float64, 1000))
	if !errors.Is(err, objective.ErrTarget) || calls.Load() != 10 {
		t.Errorf("error %v after %d queries, want the target after 10", err, calls.Load())
	}
	ending, cancel := context.WithCancel(ctx)
	r = query.NewRecord(query.NewMeter(identity(&calls), 10_000), query.Rules{}, cancel)
	calls.Store(0)
	if err := query.NewChunk(r, 10, 0).Evaluate(ending, points(1000), make([]float64, 1000)); !errors.Is(err, context.Canceled) || calls.Load() != 10 {
		t.Errorf("error %v after %d queries, want the end after 10", err, calls.Load())
	}
}

func TestGrain(t *testing.T) {
	if g := objective.Rounding; g.Of(-8) != 0x1p-50 || g.Of(0) != 0 {
		t.Errorf("the rounding of -8 is %v", g.Of(-8))
	}
	noisy := objective.Grain{Relative: 1e-6, Absolute: 1e-3}
	if noisy.Of(10) != 1e-3 || noisy.Of(1e4) != 1e-2 || noisy.Scaled(4).Of(10) != 4e-3 {
		t.Errorf("%v, %v, %v", noisy.Of(10), noisy.Of(1e4), noisy.Scaled(4).Of(10))
	}
}

// A NaN does not hide how far a batch came before it panicked.
func TestGuardCountsAPanicBehindANaN(t *testing.T) {
	g := query.NewGuard(objective.Batch(1, func(_ *mat.Dense, values []float64) {
		for i := range values {
			if values[i] = -float64(i); i == 0 {
				values[i] = math.NaN()
			}
			if i == 3 {
				panic("boom")
			}
		}
	}))
	values := make([]float64, 6)
	err := g.Evaluate(ctx, points(6), values)
	if n := query.Evaluated(values, err); n != 5 || values[2] != -2 || err.Error() != "objective panicked at one of 2 points, the first of them x = [4]: boom" {
		t.Errorf("%d known, values %v, error %v", n, values, err)
	}
	if err := g.Evaluate(ctx, points(1), nil); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
}

// The budget of a search inside the objective is not that of the run.
func TestGuardKeepsTheErrorsOfTheObjectiveApart(t *testing.T) {
	inner := query.NewMeter(identity(new(atomic.Int64)), 2)
	f := query.NewGuard(outer{inner})
	values := make([]float64, 5)
	err := f.Evaluate(ctx, points(5), values)
	if n := query.Evaluated(values, err); n != 0 {
		t.Errorf("%d values are known", n)
	}
	if status, err := objective.StatusOf(ctx, err); status != objective.Failed || err == nil || !strings.Contains(err.Error(), "inner: the budget of queries is spent") {
		t.Errorf("%v, %v", status, err)
	}
}

// outer asks another objective, and passes its errors on.
type outer struct{ inner objective.Objective }

func (outer) Dim() int { return 1 }
func (o outer) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := o.inner.Evaluate(ctx, points, values); err != nil {
		return fmt.Errorf("inner: %w", err)
	}
	return nil
}
