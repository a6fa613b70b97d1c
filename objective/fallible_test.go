package objective_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

var errDiverged = errors.New("diverged\nat step 3")

// tricky fails at every fifth point, is NaN at every seventh and panics at every eleventh.
func tricky(_ context.Context, x []float64) (float64, error) {
	switch n := int(x[0]); {
	case n%5 == 0:
		return 0, fmt.Errorf("point %d: %w", n, errDiverged)
	case n%7 == 0:
		return math.NaN(), nil
	case n%11 == 0:
		panic(fmt.Sprint("eleven ", n))
	}
	return x[0], nil
}

// column returns the points 1, 2, …, n.
func column(n int) *mat.Dense {
	points := mat.NewDense(n, 1, nil)
	for i := range n {
		points.Set(i, 0, float64(i+1))
	}
	return points
}

// answers collects what is told.
type answers struct {
	mu  sync.Mutex
	all map[int]objective.Answer
	t   *testing.T
}

func (a *answers) tell(i int, answer objective.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, twice := a.all[i]; twice {
		a.t.Errorf("point %d is told twice", i)
	}
	a.all[i] = answer
}

// Every answer is told once with the value that is set, through guards and pools, from
// functions of a point and of a batch.
func TestAnswersAreToldOnce(t *testing.T) {
	const n = 100
	batch := objective.Batch(1, func(points *mat.Dense, values []float64) {
		for i := range values {
			v, err := tricky(context.Background(), points.RawRowView(i))
			if err != nil {
				v = math.Inf(1)
			}
			values[i] = v
		}
	})
	for name, f := range map[string]objective.Objective{"points": objective.Fallible(1, tricky), "batch": batch} {
		for _, workers := range []int{1, 3} {
			guard := query.NewGuard(f)
			guard.PanicsFail, guard.Timed = true, true
			got := answers{all: map[int]objective.Answer{}, t: t}
			values := make([]float64, n)
			if err := query.NewPool(guard, workers).Each(t.Context(), column(n), values, got.tell); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var counts objective.Failures
			for i, v := range values {
				a, told := got.all[i]
				want := float64(i + 1)
				if i = i + 1; i%5 == 0 || i%7 == 0 || i%11 == 0 {
					want = math.Inf(1)
				}
				if !told || a.Value != v || v != want || (a.Failure != nil) != math.IsInf(v, 1) {
					t.Errorf("%s, %d workers: %+v is told of point %d, and its value is %v", name, workers, a, i, v)
				}
				if a.Failure != nil {
					counts[a.Failure.Kind]++
				}
			}
			want := objective.Failures{objective.NotANumber: 12, objective.Errored: 20 + 7}
			if name == "batch" {
				want = objective.Failures{objective.NotANumber: 12 + 20, objective.Errored: 7}
			}
			if counts != want {
				t.Errorf("%s: %v, want %v", name, counts, want)
			}
			if why := got.all[4].Failure; name == "points" && why.Error() != "point 5: diverged at step 3" {
				t.Errorf("point 5 failed since %q", why)
			}
			if why := got.all[10].Failure; why.Error() != "panic: eleven 11" {
				t.Errorf("point 11 failed since %q", why)
			}
		}
	}
}

// Without a policy a panic ends the run, and what was told before it stays.
func TestPanicEndsTheRun(t *testing.T) {
	got := answers{all: map[int]objective.Answer{}, t: t}
	values := make([]float64, 20)
	err := query.NewGuard(objective.Fallible(1, tricky)).Each(t.Context(), column(20), values, got.tell)
	var panicked *objective.PanicError
	if !errors.As(err, &panicked) || panicked.Point[0] != 11 || query.Evaluated(values, err) != 11 || len(got.all) != 10 {
		t.Errorf("error %v, %d told", err, len(got.all))
	}
}

// Stop ends a run with its own error, and a context that ends is no failure of a point.
func TestStop(t *testing.T) {
	mine := errors.New("the licence has expired")
	for _, c := range []struct {
		err    error
		status objective.Status
		want   error
	}{{mine, objective.Failed, mine}, {nil, objective.Cancelled, nil}, {objective.ErrBudget, objective.Failed, nil}} {
		f := objective.Fallible(1, func(_ context.Context, x []float64) (float64, error) {
			if x[0] == 4 {
				return 0, fmt.Errorf("wrapped: %w", objective.Stop(c.err))
			}
			return x[0], nil
		})
		meter := query.NewMeter(query.NewGuard(f), 100)
		values := make([]float64, 10)
		err := meter.Evaluate(t.Context(), column(10), values)
		status, why := objective.StatusOf(t.Context(), err)
		if status != c.status || c.want != nil && !errors.Is(why, c.want) || query.Evaluated(values, err) != 3 || meter.Queries() != 3 {
			t.Errorf("Stop(%v): status %v, error %v, %d queries", c.err, status, why, meter.Queries())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	f := objective.Fallible(1, func(ctx context.Context, x []float64) (float64, error) {
		if x[0] == 4 {
			cancel()
			return 0, ctx.Err()
		}
		return x[0], nil
	})
	values := make([]float64, 10)
	err := f.Evaluate(ctx, column(10), values)
	if status, why := objective.StatusOf(ctx, err); status != objective.Cancelled || why != nil || query.Evaluated(values, err) != 3 {
		t.Errorf("status %v, error %v", status, why)
	}
}

// An objective is told the numbers of its queries, through all that cuts a batch.
func TestNumbers(t *testing.T) {
	var wrong atomic.Int64
	f := numbered(func(ctx context.Context, points *mat.Dense) {
		n, _ := points.Dims()
		for i := range n {
			if query.NumberOf(ctx, i) != int(points.At(i, 0)) {
				wrong.Add(1)
			}
		}
	})
	guard := query.NewGuard(f)
	meter := query.NewMeter(query.NewPool(guard, 3), 1000)
	chunk := query.NewChunk(query.NewRecord(meter, query.Rules{}, nil), 64, 20)
	points := column(500)
	for _, cut := range []int{0, 1, 100, 500} {
		lo := meter.Queries()
		if cut <= lo {
			continue
		}
		if err := chunk.Evaluate(t.Context(), points.Slice(lo, cut, 0, 1).(*mat.Dense), make([]float64, cut-lo)); err != nil {
			t.Fatal(err)
		}
	}
	if wrong.Load() > 0 || meter.Queries() != 500 {
		t.Errorf("%d of %d numbers are wrong", wrong.Load(), meter.Queries())
	}
}

// numbered is an objective that looks at its context.
type numbered func(ctx context.Context, points *mat.Dense)

func (numbered) Dim() int { return 1 }
func (n numbered) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	n(ctx, points)
	clear(values)
	return nil
}

// A run ends when its first queries have all failed, or too many of the last 1,000.
func TestTooManyFailures(t *testing.T) {
	evaluate := func(rules query.Rules, fails func(query int) bool) (*query.Meter, error) {
		f := objective.Func(1, func(x []float64) float64 {
			if fails(int(x[0])) {
				return math.NaN()
			}
			return x[0]
		})
		meter := query.NewMeter(query.NewGuard(f), 10_000)
		chunk := query.NewChunk(query.NewRecord(meter, rules, nil), 100, rules.First)
		return meter, chunk.Evaluate(t.Context(), column(5000), make([]float64, 5000))
	}
	always := func(int) bool { return true }
	rules := query.Rules{First: 20, MaxFailures: 0.5}
	for _, c := range []struct {
		name    string
		rules   query.Rules
		fails   func(int) bool
		queries int
		kind    error
	}{
		{"always", rules, always, 20, objective.ErrAllFailed},
		{"always, 50 known points", query.Rules{First: 50}, always, 50, objective.ErrAllFailed},
		{"always, keep going", query.Rules{}, always, 5000, nil},
		{"all but the twentieth", query.Rules{First: 20}, func(q int) bool { return q != 20 }, 5000, nil},
		{"all but the first", rules, func(q int) bool { return q != 1 }, 1000, objective.ErrManyFailed},
		{"every second", rules, func(q int) bool { return q%2 == 0 }, 5000, nil},
		{"all from 3,000 on", rules, func(q int) bool { return q > 3000 }, 3600, objective.ErrManyFailed},
	} {
		meter, err := evaluate(c.rules, c.fails)
		if !errors.Is(err, c.kind) || meter.Queries() != c.queries {
			t.Errorf("%s: error %v after %d queries, want %v after %d", c.name, err, meter.Queries(), c.kind, c.queries)
		}
	}
	_, err := evaluate(rules, always)
	if want := "the first 20 queries all failed; the first failure: the value is NaN, at x = [1]"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The tolerance ends a search, and nothing else, when a naive look at the curve says so.
func TestTolerance(t *testing.T) {
	const d, tolerance = 1, 0.25
	value := func(q int) float64 { return 100 / float64(q) }
	for _, from := range []int{0, 40, 2000} { // the search begins after so many queries
		meter := query.NewMeter(objective.Func(d, func(x []float64) float64 {
			if x[0] <= float64(from) {
				return -1 // what was found before does not count
			}
			return value(int(x[0]))
		}), 100_000)
		record := query.NewRecord(meter, query.Rules{Tolerance: tolerance}, nil)
		want := 0
		for want = from + 100; value(want-max(want/10, 100*d))-value(want) >= tolerance || want-max(want/10, 100*d) <= from; {
			want++
		}
		points := column(100_000)
		var err error
		for q := 0; err == nil; q++ {
			record.Searching(q >= from)
			err = record.Evaluate(t.Context(), points.Slice(q, q+1, 0, 1).(*mat.Dense), make([]float64, 1))
		}
		if !errors.Is(err, objective.ErrTolerance) || meter.Queries() != want {
			t.Errorf("search from %d: ended by %v after %d queries, want %d", from, err, meter.Queries(), want)
		}
	}
}

// Improvements are those of the naive running minimum.
func TestImprovements(t *testing.T) {
	values := []float64{math.Inf(1), 5, 7, 5, 4, math.NaN(), 4.5, -1, -1}
	meter := query.NewMeter(query.NewGuard(objective.Func(1, func(x []float64) float64 { return values[int(x[0])-1] })), 100)
	record := query.NewRecord(meter, query.Rules{}, nil)
	if err := record.Evaluate(t.Context(), column(len(values)), make([]float64, len(values))); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(record.Improvements()); got != "[{2 5 [2]} {5 4 [5]} {8 -1 [8]}]" {
		t.Error(got)
	}
	// They do not take all memory.
	const wide = 1 << 18 // 2 MiB a point
	falls := query.NewRecord(query.NewMeter(objective.Func(wide, func(x []float64) float64 { return -x[0] }), 100), query.Rules{}, nil)
	points := mat.NewDense(1, wide, nil)
	for q := range 30 {
		points.Set(0, 0, float64(q))
		if err := falls.Evaluate(t.Context(), points, make([]float64, 1)); err != nil {
			t.Fatal(err)
		}
	}
	kept := falls.Improvements()
	if len(kept) > 8 || kept[len(kept)-1].Query != 30 || !slices.IsSortedFunc(kept, func(a, b objective.Improvement) int { return a.Query - b.Query }) {
		t.Errorf("%d improvements are kept", len(kept))
	}
}

// A long search without a tolerance keeps nothing of every batch.
func TestLongSearchIsFlat(t *testing.T) {
	meter := query.NewMeter(objective.Batch(1, func(_ *mat.Dense, values []float64) { clear(values) }), math.MaxInt)
	record := query.NewRecord(meter, query.Rules{}, nil)
	record.Searching(true)
	points, values := column(1), make([]float64, 1)
	const batches = 100_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range batches {
		if err := record.Evaluate(t.Context(), points, values); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8*batches {
		t.Errorf("%d batches took %d bytes", batches, took)
	}
}
