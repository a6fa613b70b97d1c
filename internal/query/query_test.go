package query_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/untwist/untwist/objective"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/untwist/untwist/internal/query"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// points returns n points of one coordinate, 0, 1, 2, …
func points(n int) *mat.Dense {
	p := mat.NewDense(n, 1, nil)
	for i := range n {
		p.Set(i, 0, float64(i))
	}
	return p
}

// identity is f(x) = x. It counts its calls.
func identity(calls *atomic.Int64) objective.Objective {
	return objective.Func(1, func(x []float64) float64 {
		calls.Add(1)
		return x[0]
	})
}

func TestFuncMayWriteToItsArgument(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 {
		x[0]++
		return x[0]
	})
	p, values := points(3), make([]float64, 3)
	if err := f.Evaluate(ctx, p, values); err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(p, points(3)) || values[2] != 3 {
		t.Errorf("points %v, values %v", p.RawMatrix().Data, values)
	}
}

func TestFuncStopsBetweenPointsWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(ctx)
	f := objective.Func(1, func(x []float64) float64 {
		if x[0] == 2 {
			cancel()
		}
		return x[0]
	})
	values := make([]float64, 5)
	err := f.Evaluate(ctx, points(5), values)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n := query.Evaluated(values, err); n != 3 {
		t.Errorf("%d points evaluated, want 3", n)
	}
}

func TestMisuseOfFuncPanics(t *testing.T) {
	for name, misuse := range map[string]func(){
		"no dimension": func() { objective.Func(0, func([]float64) float64 { return 0 }) },
		"nil func":     func() { objective.Func(1, nil) },
		"nil batch":    func() { objective.Batch(1, nil) },
		"no workers":   func() { query.NewPool(identity(new(atomic.Int64)), 0) },
		"budget":       func() { query.NewMeter(identity(new(atomic.Int64)), -1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

func TestGuardTurnsNaNIntoInf(t *testing.T) {
	g := query.NewGuard(objective.Func(1, func(x []float64) float64 {
		return []float64{1, math.NaN(), math.Inf(1), math.Inf(-1), math.NaN()}[int(x[0])]
	}))
	values := make([]float64, 5)
	if err := g.Evaluate(ctx, points(5), values); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(values), "[1 +Inf +Inf -Inf +Inf]"; got != want {
		t.Errorf("values %s, want %s", got, want)
	}
	if g.NaN() != 2 {
		t.Errorf("%d NaN counted, want 2", g.NaN())
	}
}

func TestGuardNamesThePointOfAPanic(t *testing.T) {
	boom := errors.New("boom")
	g := query.NewGuard(objective.Func(1, func(x []float64) float64 {
		if x[0] == 3 {
			panic(boom)
		}
		return math.NaN() // a NaN before the panic must not be mistaken for the panic
	}))
	values := make([]float64, 6)
	err := g.Evaluate(ctx, points(6), values)
	var panicked *objective.PanicError
	if !errors.As(err, &panicked) || panicked.Point[0] != 3 || !errors.Is(err, boom) {
		t.Fatalf("error %v", err)
	}
	if want := "objective panicked at x = [3]: boom"; err.Error() != want {
		t.Errorf("message %q, want %q", err, want)
	}
	if !strings.Contains(string(panicked.Stack), "query_test.go") {
		t.Error("the stack does not lead to the function")
	}
	if n := query.Evaluated(values, err); n != 4 { // three values and the panic
		t.Errorf("%d queries, want 4", n)
	}
}

// It is not known at which of its points a batch function panicked.
func TestGuardSaysHowManyPointsMayHavePanicked(t *testing.T) {
	g := query.NewGuard(objective.Batch(1, func(_ *mat.Dense, values []float64) {
		values[0] = 0
		panic("boom")
	}))
	err := g.Evaluate(ctx, points(6), make([]float64, 6))
	if want := "objective panicked at one of 5 points, the first of them x = [1]: boom"; err == nil || err.Error() != want {
		t.Errorf("message %v, want %q", err, want)
	}
}

func TestAValueThatWasNotSetHasFailed(t *testing.T) {
	g := query.NewGuard(objective.Batch(1, func(_ *mat.Dense, values []float64) {
		for i := range values {
			if i != 2 {
				values[i] = 0
			}
		}
	}))
	values := make([]float64, 4)
	if err := g.Evaluate(ctx, points(4), values); err != nil || fmt.Sprint(values) != "[0 0 +Inf 0]" || g.NaN() != 1 {
		t.Errorf("values %v, %d NaN, error %v", values, g.NaN(), err)
	}
}

func TestPoolGivesTheSameBitsForAnyNumberOfWorkers(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 { return math.Sin(x[0]) })
	for _, n := range []int{1, 2, 3, 50, 101} {
		want := make([]float64, n)
		if err := f.Evaluate(ctx, points(n), want); err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2, 7, 200} {
			got := make([]float64, n)
			if err := query.NewPool(f, workers).Evaluate(ctx, points(n), got); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("n = %d, %d workers: value %d is %v, want %v", n, workers, i, got[i], want[i])
				}
			}
		}
	}
}

func TestPoolRunsAtTheSameTime(t *testing.T) {
	// Each of two points waits for the other. With one worker this would never
	// end.
	meet := make(chan struct{})
	f := objective.Func(1, func(x []float64) float64 {
		select {
		case meet <- struct{}{}:
		case <-meet:
		}
		return 0
	})
	done := make(chan error, 1)
	go func() { done <- query.NewPool(f, 2).Evaluate(ctx, points(2), make([]float64, 2)) }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the two points were not evaluated at the same time")
	}
}

// Whatever the number of workers, the error is that of the first point that
// fails, and everything before it has a value.
func TestPoolReportsTheFirstFailure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "n")
		workers := rapid.IntRange(1, 9).Draw(t, "workers")
		bad := map[int]bool{}
		first := n
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 5).Draw(t, "bad") {
			bad[i] = true
			first = min(first, i)
		}
		var calls atomic.Int64
		f := objective.Func(1, func(x []float64) float64 {
			calls.Add(1)
			if bad[int(x[0])] {
				panic("bad")
			}
			return x[0]
		})
		m := query.NewMeter(query.NewPool(query.NewGuard(f), workers), 1000)
		values := make([]float64, n)
		err := m.Evaluate(ctx, points(n), values)
		var panicked *objective.PanicError
		if !errors.As(err, &panicked) || panicked.Point[0] != float64(first) {
			t.Fatalf("error %v, want the panic at %d", err, first)
		}
		if got := query.Evaluated(values, err); got != first+1 {
			t.Fatalf("%d values up to the failure at %d", got, first)
		}
		if m.Queries() != int(calls.Load()) {
			t.Fatalf("%d queries counted, %d made", m.Queries(), calls.Load())
		}
	})
}

func TestMeterAsksNothingOnceTheContextHasEnded(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	m := query.NewMeter(deaf{t}, 10)
	if err := m.Evaluate(ended, points(3), make([]float64, 3)); !errors.Is(err, context.Canceled) || m.Queries() != 0 {
		t.Errorf("error %v after %d queries", err, m.Queries())
	}
}

// deaf is an objective that ignores its context. It fails the test if it is asked.
type deaf struct{ t *testing.T }

func (deaf) Dim() int { return 1 }
func (d deaf) Evaluate(context.Context, *mat.Dense, []float64) error {
	d.t.Error("asked")
	return nil
}

func TestMeterNeverExceedsItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := rapid.IntRange(0, 60).Draw(t, "budget")
		var calls atomic.Int64
		m := query.NewMeter(identity(&calls), budget)
		asked := 0
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 25), 1, 10).Draw(t, "batches") {
			values := make([]float64, n)
			err := m.Evaluate(ctx, points(n), values)
			fits := max(0, min(n, budget-asked))
			if got := query.Evaluated(values, err); got != fits {
				t.Fatalf("%d of a batch of %d evaluated with %d of %d left", got, n, budget-asked, budget)
			}
			if (fits < n) != errors.Is(err, objective.ErrBudget) {
				t.Fatalf("error %v with %d of %d evaluated", err, fits, n)
			}
			asked += n
			if want := min(asked, budget); m.Queries() != want || int(calls.Load()) != want {
				t.Fatalf("%d counted, %d made, want %d", m.Queries(), calls.Load(), want)
			}
		}
	})
}

// naiveCurve is the definition: the best value after that many queries.
func naiveCurve(values []float64, queries int) float64 {
	best := math.Inf(1)
	for _, v := range values[:queries] {
		best = min(best, v)
	}
	return best
}

func TestRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.OneOf(
			rapid.Float64Range(-100, 100), rapid.Just(math.Inf(1)), rapid.Just(3.0)), 1, 400).Draw(t, "values")
		target := rapid.Float64Range(-120, 50).Draw(t, "target")
		next := 0
		f := objective.Batch(1, func(_ *mat.Dense, values []float64) {
			next += copy(values, all[next:])
		})
		r := query.NewRecord(query.NewMeter(f, len(all)), query.Rules{Target: &target}, nil)
		spent, stopped := 0, false
		for spent < len(all) && !stopped {
			n := min(rapid.IntRange(1, 50).Draw(t, "batch"), len(all)-spent)
			p := mat.NewDense(n, 1, nil)
			for i := range n {
				p.Set(i, 0, float64(spent+i+1)) // a point is the number of its query
			}
			err := r.Evaluate(ctx, p, make([]float64, n))
			spent += n
			stopped = errors.Is(err, objective.ErrTarget)
			if reached := naiveCurve(all, spent) <= target; stopped != reached {
				t.Fatalf("after %d queries: error %v, target %v", spent, err, target)
			}
		}
		best := r.Best()
		if best.Value != naiveCurve(all, spent) || best.Point[0] != float64(r.BestAt()) || all[r.BestAt()-1] != best.Value {
			t.Fatalf("best %v found by query %d", best, r.BestAt())
		}
		if at := r.TargetAt(); stopped != (at > 0) || stopped && (all[at-1] > target || at > 1 && naiveCurve(all, at-1) <= target) {
			t.Fatalf("target %v first reached by query %d of %v", target, at, all)
		}
		failed := 0
		for _, v := range all[:spent] {
			if math.IsInf(v, 1) {
				failed++
			}
		}
		if n, at, _ := r.Failures(); n.Total() != failed || n[objective.NotANumber] != failed || failed > 0 && !math.IsInf(all[int(at[0])-1], 1) {
			t.Fatalf("%d failed, the first at %v, want %d", n, at, failed)
		}
		curve := r.Curve()
		for i, s := range curve {
			if s.Value != naiveCurve(all, s.Queries) || i > 0 && s.Queries <= curve[i-1].Queries {
				t.Fatalf("curve %v", curve)
			}
		}
		if curve[0].Queries != 1 || curve[len(curve)-1].Queries != spent {
			t.Fatalf("curve from %d to %d of %d queries", curve[0].Queries, curve[len(curve)-1].Queries, spent)
		}
	})
}

// The last query of the budget may be the one that reaches the target.
func TestTargetBeforeBudget(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 { return 10 - x[0] })
	for _, n := range []int{5, 7} {
		r := query.NewRecord(query.NewMeter(f, 5), query.Rules{Target: new(6.)}, nil) // f(4) = 6, at the target
		if err := r.Evaluate(ctx, points(n), make([]float64, n)); !errors.Is(err, objective.ErrTarget) || r.TargetAt() != 5 {
			t.Errorf("a batch of %d: error %v, target reached by query %d", n, err, r.TargetAt())
		}
	}
}

func TestTheFirstOfEqualsIsBest(t *testing.T) {
	var b query.Best
	if !b.Offer([]float64{1}, 3) || b.Offer([]float64{2}, 3) || b.Point[0] != 1 {
		t.Errorf("best %v", b)
	}
	if r := query.NewRecord(query.NewMeter(identity(new(atomic.Int64)), 1), query.Rules{Target: new(0.)}, nil); !math.IsInf(r.Best().Value, 1) || r.Best().Point != nil {
		t.Errorf("before the first query the best is %v", r.Best())
	}
}

// After a failure the Pool hands out nothing more. With two workers, where the
// first of eight blocks fails, only the block already started is evaluated.
func TestPoolStopsAtAFailure(t *testing.T) {
	var calls atomic.Int64
	second, both := make(chan bool), make(chan int)
	f := objective.Func(1, func(x []float64) float64 {
		calls.Add(1)
		switch x[0] {
		case 0:
			<-second
			both <- runtime.NumGoroutine()
			panic("at once")
		case 100: // the first point of the second block waits until the other worker has ended
			close(second)
			for n := <-both; runtime.NumGoroutine() >= n; {
				runtime.Gosched()
			}
		}
		return 0
	})
	for range 1000 { // goroutines of other tests may still be about to end
		runtime.Gosched()
	}
	if err := query.NewPool(query.NewGuard(f), 2).Evaluate(ctx, points(800), make([]float64, 800)); err == nil {
		t.Fatal("no error")
	}
	if n := calls.Load(); n > 101 {
		t.Errorf("%d of 800 points evaluated after the first has failed", n)
	}
}

func TestTheCurveIsLogSpaced(t *testing.T) {
	var calls atomic.Int64
	r := query.NewRecord(query.NewMeter(identity(&calls), 1_000_000), query.Rules{}, nil)
	for range 1000 {
		if err := r.Evaluate(ctx, points(1000), make([]float64, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.Curve()); n < 60 || n > 121 {
		t.Errorf("%d samples for a million queries", n)
	}
}

// The values of points after a failure are not used, even if they were evaluated:
// which ones were is a matter of chance, and the best point must not be.
func TestRecordIgnoresWhatLiesBehindAFailure(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		last := make(chan struct{})
		f := objective.Func(1, func(x []float64) float64 {
			if x[0] == 20 {
				if workers > 1 {
					<-last // the others are ahead
				}
				panic("at 20")
			}
			if x[0] == 49 {
				close(last)
			}
			return -x[0]
		})
		m := query.NewMeter(query.NewPool(query.NewGuard(f), workers), 1000)
		r := query.NewRecord(m, query.Rules{}, nil)
		if err := r.Evaluate(ctx, points(50), make([]float64, 50)); err == nil {
			t.Fatal("no error")
		}
		if best := r.Best(); best.Value != -19 {
			t.Errorf("%d workers: best %v, want -19", workers, best.Value)
		}
	}
}

func TestScale(t *testing.T) {
	start := objective.Box{Lo: []float64{-5, 1e6, 0}, Hi: []float64{5, 1e6 + 1, 1e-9}}
	bounds := objective.Box{Lo: []float64{-6, 1e6, math.Inf(-1)}, Hi: []float64{6, 1e6 + 1, math.Inf(1)}}
	var seen []float64
	f := objective.Func(3, func(x []float64) float64 {
		seen = append([]float64(nil), x...)
		return 0
	})
	s := query.NewScale(f, start, bounds)
	ask := func(z ...float64) []float64 {
		if err := s.Evaluate(ctx, mat.NewDense(1, 3, z), make([]float64, 1)); err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if got := fmt.Sprint(ask(-1, -1, -1), ask(1, 1, 1), ask(0, 0, 0)); got != "[-5 1e+06 0] [5 1.000001e+06 1e-09] [0 1.0000005e+06 5e-10]" {
		t.Errorf("corners and centre are %s", got)
	}
	// A smaller batch after a larger one.
	rows := 0
	counting := query.NewScale(objective.Batch(3, func(points *mat.Dense, _ []float64) { rows, _ = points.Dims() }), start, bounds)
	for _, n := range []int{5, 2, 3} {
		if err := counting.Evaluate(ctx, mat.NewDense(n, 3, nil), make([]float64, n)); err != nil || rows != n {
			t.Errorf("a batch of %d points arrives as %d, error %v", n, rows, err)
		}
	}
	if b := s.Bounds(); b.Lo[0] != -1.2 || b.Hi[1] != 1 || !math.IsInf(b.Hi[2], 1) {
		t.Errorf("bounds %v", b)
	}
	if x := ask(math.NaN(), math.NaN(), 0); !bounds.Contains(x) {
		t.Errorf("NaN is asked at %v, outside the bounds", x)
	}
	caller := []float64{1, 1e6, 1}
	z := s.Know(caller)
	caller[0] = 99 // the caller's slice is its own
	if x := ask(z...); x[0] != 1 {
		t.Errorf("a known point is asked at %v", x)
	}
	rapid.Check(t, func(t *rapid.T) {
		z := make([]float64, 3)
		for i := range z {
			z[i] = rapid.Float64Range(-1.3, 1.3).Draw(t, "z")
		}
		if x := ask(z...); !bounds.Contains(x) {
			t.Fatalf("%v is asked at %v, outside the bounds", z, x)
		}
		x := []float64{rapid.Float64Range(-6, 6).Draw(t, "x"), 1e6 + rapid.Float64Range(0, 1).Draw(t, "y"), 1}
		z = s.Know(x)
		if got := ask(z...); got[0] != x[0] || got[1] != x[1] || got[2] != x[2] {
			t.Fatalf("known point %v is asked at %v", x, got)
		}
	})
}

func TestBox(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		box  objective.Box
		want string
	}{
		{objective.Cube(2, -1, 1), ""},
		{objective.Cube(2, -1, math.Inf(1)), ""},
		{objective.Cube(3, -1, 1), "3 lower and 3 upper limits for 2 coordinates"},
		{objective.Box{Lo: []float64{0, 1}, Hi: []float64{1, 1}}, "x[1]: 1:1, need numbers with LO < HI"},
		{objective.Cube(2, 1, -1), "x[0]: 1:-1"},
		{objective.Cube(2, nan, 1), "x[0]: NaN:1"},
		{objective.Cube(2, 0, nan), "x[0]: 0:NaN"},
	} {
		err := c.box.Check(2)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.box, err, c.want)
		}
	}
	for _, hi := range []float64{math.Inf(1), 1e300, 5e-324} {
		if err := objective.Cube(2, 0, hi).CheckFinite(); err == nil || !strings.Contains(err.Error(), "x[0]") {
			t.Errorf("0:%v: error %v", hi, err)
		}
	}
	if err := objective.Cube(2, -1e9, 1e9).CheckFinite(); err != nil {
		t.Error(err)
	}
	if k := objective.Cube(3, 0, 1).Outside([]float64{0, 1, 2}); k != 2 {
		t.Errorf("coordinate %d is outside", k)
	}
	if objective.Cube(2, 0, 1).Contains([]float64{0.5, nan}) {
		t.Error("a box contains NaN")
	}
}

func TestStatusOf(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	failure := errors.New("disk on fire")
	panicked := objective.PanicError{Cause: "oops"}
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want objective.Status
		is   error
	}{
		{ctx, nil, objective.Running, nil},
		{ctx, fmt.Errorf("wrapped: %w", objective.ErrBudget), objective.BudgetSpent, nil},
		{ctx, objective.ErrTarget, objective.TargetReached, nil},
		{ended, context.Canceled, objective.Cancelled, nil},
		{ctx, context.Canceled, objective.Failed, context.Canceled}, // the objective's own trouble
		{ctx, failure, objective.Failed, failure},
		{ended, failure, objective.Cancelled, nil}, // it was stopped
		{ended, &panicked, objective.Failed, &panicked},
	} {
		if got, err := objective.StatusOf(c.ctx, c.err); got != c.want || err != c.is {
			t.Errorf("%v: %v, %v, want %v, %v", c.err, got, err, c.want, c.is)
		}
	}
}

func TestStatusNames(t *testing.T) {
	for s := objective.Running; s <= objective.Failed; s++ {
		text, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back objective.Status
		if err := back.UnmarshalText(text); err != nil || back != s {
			t.Errorf("%v reads back as %v, %v", s, back, err)
		}
	}
	if s := objective.Status(99).String(); s != "Status(99)" {
		t.Errorf("an unknown status is %q", s)
	}
	if new(objective.Status).UnmarshalText([]byte("happy")) == nil {
		t.Error("an unknown name is read")
	}
}
