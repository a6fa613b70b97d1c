package untwist_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// everything lets go-cmp see all fields.
var everything = cmp.Exporter(func(reflect.Type) bool { return true })

// papers reports whether a strategy is one of the paper's methods, which search in a frame.
func papers(s strategy.Strategy) bool {
	return slices.Contains([]string{"reparametrised", "transformed", "componentwise"}, s.Name())
}

// identityFor returns the identity in three dimensions for strategies that search in a
// frame.
func identityFor(s strategy.Strategy) *frame.Frame {
	if papers(s) {
		return frame.Identity(3)
	}
	return nil
}

// eachStrategy calls f with every strategy. Every strategy has to pass this suite.
func eachStrategy(t *testing.T, f func(t *testing.T, s strategy.Strategy)) {
	for _, name := range untwist.Strategies() {
		t.Run(name, func(t *testing.T) {
			s, err := untwist.StrategyNamed(name, untwist.Knobs{})
			if err != nil || s.Name() != name {
				t.Fatalf("strategy %v, error %v", s, err)
			}
			f(t, s)
		})
	}
}

// counted is f(x) = Σ(x_j − 1)² plus a ripple. It counts its calls.
func counted(d int, calls *atomic.Int64) objective.Objective {
	return objective.Func(d, func(x []float64) float64 {
		calls.Add(1)
		return ripple(x)
	})
}

func ripple(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += (v-1)*(v-1) + 0.1*math.Sin(9*v)
	}
	return sum
}

// trace runs the strategy and returns the result and every value in order.
func trace(t *testing.T, f objective.Objective, o untwist.Options) (untwist.Result, []float64) {
	t.Helper()
	var values []float64
	var last untwist.Progress
	o.Progress = func(p untwist.Progress) { last = p }
	spy := spying{f, func(v []float64) { values = append(values, v...) }}
	r, err := untwist.Minimize(ctx, spy, o)
	if err != nil {
		t.Fatal(err)
	}
	if last.Queries != r.Queries || last.Best != r.Value || last.Stage == "" {
		t.Errorf("last progress %+v, result %v after %d queries", last, r.Value, r.Queries)
	}
	return r, values
}

// spying shows every batch of values. With several workers these are parts of the batches
// that the outermost caller sees.
type spying struct {
	objective.Objective
	see func([]float64)
}

func (s spying) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	err := s.Objective.Evaluate(ctx, points, values)
	s.see(values)
	return err
}

func TestConformanceRerunIsEqualToTheBit(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: flags.Usually(6, 4), Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		o := untwist.Options{Strategy: s, Seed: 5, Budget: flags.Usually(3001, 1001)}
		want, values := trace(t, p, o)
		again, valuesAgain := trace(t, p, o)
		if diff := cmp.Diff(want, again, everything); diff != "" || !slices.Equal(values, valuesAgain) {
			t.Errorf("a second run differs:\n%s", diff)
		}
		for _, workers := range flags.Sample([]int{2, 1, 7}, 1) {
			o.Workers = workers
			got, err := untwist.Minimize(ctx, p, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, everything); diff != "" {
				t.Errorf("%d workers:\n%s", workers, diff)
			}
		}
		o.Seed, o.Workers = 6, 0
		if other, _ := trace(t, p, o); other.Value == want.Value {
			t.Error("another seed gives the same answer")
		}
	})
}

func TestConformanceCountsAndBudgets(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		for _, d := range []int{1, 2, 5} {
			for _, budget := range []int{1, 2, 49, 50, 51, 99, 100, 101, 1003} {
				for _, workers := range []int{1, 3} {
					var calls atomic.Int64
					r, err := untwist.Minimize(ctx, counted(d, &calls), untwist.Options{Strategy: s, Budget: budget, Workers: workers})
					if err != nil {
						t.Fatal(err)
					}
					if r.Queries != int(calls.Load()) || r.Queries > budget || r.Budget != budget {
						t.Errorf("d = %d: %d queries counted, %d made, budget %d", d, r.Queries, calls.Load(), budget)
					}
					if r.Status == objective.BudgetSpent && r.Queries != budget {
						t.Errorf("d = %d: %d of %d queries spent", d, r.Queries, budget)
					}
					if v := ripple(r.Point); r.Value != v {
						t.Errorf("d = %d: value %v, f(point) = %v", d, r.Value, v)
					}
					spent, gain := 0, 0.0
					for _, stage := range r.Stages {
						spent, gain = spent+stage.Queries, gain+stage.Gain
					}
					if fell := r.Improvements[0].Value - r.Value; math.Abs(gain-fell) > 1e-12*fell {
						t.Errorf("d = %d: f fell by %v, and by %v in all stages", d, fell, gain)
					}
					if spent != r.Queries || r.BestQuery < 1 || r.BestQuery > r.Queries {
						t.Errorf("d = %d: stages %v, best query %d of %d", d, r.Stages, r.BestQuery, r.Queries)
					}
				}
			}
		}
	})
}

func TestConformanceBestPointEverEvaluated(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		var best query.Best
		f := objective.Func(3, func(x []float64) float64 {
			v := ripple(x)
			best.Offer(x, v)
			return v
		})
		r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Budget: 2000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Value != best.Value || !floats.Equal(r.Point, best.Point) {
			t.Errorf("answer %v at %v, best %v at %v", r.Value, r.Point, best.Value, best.Point)
		}
		if last := r.Curve[len(r.Curve)-1]; last.Value != r.Value || last.Queries != r.Queries {
			t.Errorf("the curve ends with %v", last)
		}
	})
}

func TestConformanceTarget(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		var calls atomic.Int64
		r, err := untwist.Minimize(ctx, counted(2, &calls), untwist.Options{Strategy: s, Target: new(0.5)})
		if err != nil || r.Status != objective.TargetReached || r.Value > 0.5 || r.TargetQuery < 1 || r.TargetQuery > r.Queries {
			t.Errorf("status %v, value %v, target reached by query %d of %d, error %v", r.Status, r.Value, r.TargetQuery, r.Queries, err)
		}
	})
}

// No query is outside the bounds, a minimiser on the boundary is found, and the inputs
// are not changed.
func TestConformanceBounds(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		if papers(s) { // these do not support bounds, and say so
			_, err := untwist.Minimize(ctx, objective.Func(1, func([]float64) float64 { return 0 }), untwist.Options{Strategy: s, Bounds: objective.Cube(1, 0, 1)})
			if err == nil || !strings.HasPrefix(err.Error(), "Bounds: the paper's methods do not take any") {
				t.Errorf("error %v", err)
			}
			return
		}
		bounds := untwist.Box{Lo: []float64{1.5, -3}, Hi: []float64{4, 1000}}
		start := untwist.Box{Lo: []float64{2, -2}, Hi: []float64{3, 5}}
		x0 := [][]float64{{4, -3}, {2, 2}}
		o := untwist.Options{Strategy: s, Bounds: bounds, Start: start, Points: x0, Budget: flags.Usually(20_000, 10_000)}
		asked := map[[2]float64]bool{}
		f := objective.Func(2, func(x []float64) float64 {
			if !bounds.Contains(x) {
				t.Fatalf("%v was asked, outside the bounds", x)
			}
			asked[[2]float64{x[0], x[1]}] = true
			v := (x[0]-1)*(x[0]-1) + (x[1]-1)*(x[1]-1)
			x[0], x[1] = 7, 7 // the objective may write to its argument
			return v
		})
		r, err := untwist.Minimize(ctx, f, o)
		if err != nil || r.Value > 0.25+1e-3 {
			t.Errorf("value %v at %v, want 0.25 on the boundary; error %v", r.Value, r.Point, err)
		}
		if !asked[[2]float64{4, -3}] || !asked[[2]float64{2, 2}] {
			t.Error("a known starting point was not asked for")
		}
		if fmt.Sprint(bounds, start, x0) != "{[1.5 -3] [4 1000]} {[2 -2] [3 5]} [[4 -3] [2 2]]" {
			t.Errorf("the options were changed: %v %v %v", bounds, start, x0)
		}
	})
}

func TestConformanceFailures(t *testing.T) {
	budget := flags.Usually(20_000, 5_000)
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		sphere := func(x []float64) float64 { return (x[0]-1)*(x[0]-1) + (x[1]+1)*(x[1]+1) }
		third := func(x []float64) bool { // a third of the points, in thin stripes
			_, part := math.Modf(math.Abs(x[0]*1e3 + x[1]*7e2))
			return part < 1./3
		}
		for name, bad := range map[string]func(x []float64) (float64, bool){
			"NaN at a third":           func(x []float64) (float64, bool) { return math.NaN(), third(x) },
			"+Inf outside a ball":      func(x []float64) (float64, bool) { return math.Inf(1), floats.Norm(x, 2) > 2 },
			"NaN in half of the space": func(x []float64) (float64, bool) { return math.NaN(), x[0]+x[1] > 0.1 },
		} {
			var failed atomic.Int64
			f := objective.Func(2, func(x []float64) float64 {
				if v, bad := bad(x); bad {
					failed.Add(1)
					return v
				}
				return sphere(x)
			})
			r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Budget: budget, KeepGoing: true})                       // the first 20 may all fail
			if slice := s.Name() == "componentwise" && name == "NaN in half of the space"; err != nil || r.Value > 0.01 && !slice { // half of each slice fails
				t.Errorf("%s: value %v at %v, error %v", name, r.Value, r.Point, err)
			}
			if r.Failed != int(failed.Load()) || r.Failed == 0 || r.FailedPoint == nil {
				t.Errorf("%s: %d failures counted, %d made, the first at %v", name, r.Failed, failed.Load(), r.FailedPoint)
			}
		}
		r, err := untwist.Minimize(ctx, objective.Func(2, func([]float64) float64 { return math.NaN() }),
			untwist.Options{Strategy: s, Budget: 200})
		if !errors.Is(err, untwist.ErrAllFailed) || r.Status != objective.Failed || r.Failed != r.Queries {
			t.Errorf("NaN everywhere: status %v, error %v, %d of %d failed", r.Status, err, r.Failed, r.Queries)
		}
		r, err = untwist.Minimize(ctx, objective.Func(2, func([]float64) float64 { return math.Inf(-1) }),
			untwist.Options{Strategy: s, Budget: 200})
		if err != nil || !math.IsInf(r.Value, -1) || r.Status != objective.Converged || r.TargetQuery != 0 {
			t.Errorf("-Inf everywhere: value %v, status %v, error %v", r.Value, r.Status, err)
		}
		huge, err := untwist.Minimize(ctx, objective.Func(2, func(x []float64) float64 { return 1e306 * (10 + min(5, sphere(x))) }),
			untwist.Options{Strategy: s, Budget: budget})
		if err != nil || sphere(huge.Point) > 0.01 || huge.Failed > 0 {
			t.Errorf("values of 1e307: minimum at %v, %d failed, error %v", huge.Point, huge.Failed, err)
		}
	})
}

func TestConformanceErrors(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		// The query that panics is chosen by its point, so it is the same for any
		// number of workers.
		bad := func(x []float64) bool { return x[0] > 1 && x[1] > 1 }
		var points []string
		for _, workers := range []int{1, 2, 7} {
			f := objective.Func(2, func(x []float64) float64 {
				if bad(x) {
					panic("no such geometry")
				}
				return ripple(x)
			})
			r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Workers: workers})
			var panicked *objective.PanicError
			if !errors.As(err, &panicked) || !bad(panicked.Point) || !strings.Contains(err.Error(), "no such geometry") {
				t.Fatalf("error %v", err)
			}
			if r.Status != objective.Failed || r.Point == nil || !math.IsInf(r.Value, 1) && r.Value != ripple(r.Point) {
				t.Errorf("status %v, value %v at %v", r.Status, r.Value, r.Point)
			}
			points = append(points, fmt.Sprint(panicked.Point, r.Point, r.Value))
		}
		if points[0] != points[1] || points[0] != points[2] {
			t.Errorf("1, 2 and 7 workers end differently: %v", points)
		}
		broken := errors.New("licence server is down")
		r, err := untwist.Minimize(ctx, failing{broken}, untwist.Options{Strategy: s, Progress: func(p untwist.Progress) {
			t.Errorf("progress %+v though nothing was evaluated", p)
		}})
		if !errors.Is(err, broken) || r.Queries != 0 || r.Point != nil || !math.IsInf(r.Value, 1) || r.Status != objective.Failed {
			t.Errorf("error %v after %d queries, value %v, status %v", err, r.Queries, r.Value, r.Status)
		}
	})
}

// failing is an objective that only fails.
type failing struct{ err error }

func (failing) Dim() int { return 2 }
func (f failing) Evaluate(context.Context, *mat.Dense, []float64) error {
	return f.err
}

func TestConformanceContext(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		ctx, cancel := context.WithCancel(ctx)
		calls := 0
		f := objective.Func(2, func(x []float64) float64 {
			if calls++; calls == 333 {
				cancel()
			}
			return ripple(x)
		})
		r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s})
		if err != nil || r.Status != objective.Cancelled || r.Queries != 333 || r.Value != ripple(r.Point) {
			t.Errorf("status %v after %d queries, value %v, error %v", r.Status, r.Queries, r.Value, err)
		}
		// An objective that ignores the context is not asked again. One that
		// returns an error because it was stopped does not count as failed.
		for name, f := range map[string]objective.Objective{
			"deaf":   heedless{func() error { return nil }},
			"killed": heedless{func() error { return errors.New("signal: killed") }},
		} {
			if r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s}); err != nil || r.Status != objective.Cancelled || r.Queries != 0 {
				t.Errorf("%s: status %v after %d queries, error %v", name, r.Status, r.Queries, err)
			}
		}
		late, stop := context.WithCancel(context.Background())
		killed := heedless{func() error { stop(); return errors.New("signal: killed") }}
		if r, err := untwist.Minimize(late, killed, untwist.Options{Strategy: s}); err != nil || r.Status != objective.Cancelled {
			t.Errorf("killed: status %v, error %v", r.Status, err)
		}
		// If the user has stopped the run, it is not an error that all queries have failed.
		late, stop = context.WithCancel(context.Background())
		bad := objective.Func(2, func([]float64) float64 { stop(); return math.NaN() })
		if r, err := untwist.Minimize(late, bad, untwist.Options{Strategy: s}); err != nil || r.Status != objective.Cancelled || r.Failed != 1 {
			t.Errorf("all failed: status %v, %d failed, error %v", r.Status, r.Failed, err)
		}
	})
}

// heedless is an objective that ignores its context.
type heedless struct{ fail func() error }

func (heedless) Dim() int { return 2 }
func (h heedless) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	for i := range values {
		values[i] = ripple(points.RawRowView(i))
	}
	return h.fail()
}

// All known points are evaluated exactly as given, however many and however far away.
func TestConformanceKnownPoints(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		var points [][]float64
		for i := range 120 {
			points = append(points, []float64{float64(i) / 7, 1e12 / float64(i+3)})
		}
		asked := map[[2]float64]bool{}
		f := objective.Func(2, func(x []float64) float64 {
			asked[[2]float64{x[0], x[1]}] = true
			return math.Abs(x[0]-10) + math.Abs(x[1]-1e10)
		})
		r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Points: points, Start: objective.Cube(2, -1e-3, 1e-3), Budget: 1000})
		if err != nil || r.Queries > 1000 {
			t.Fatalf("%d queries, error %v", r.Queries, err)
		}
		best := math.Inf(1)
		for _, x := range points {
			if !asked[[2]float64{x[0], x[1]}] {
				t.Errorf("the known point %v was not asked for", x)
			}
			best = min(best, math.Abs(x[0]-10)+math.Abs(x[1]-1e10))
		}
		if r.Value > best {
			t.Errorf("value %v, a known point has %v", r.Value, best)
		}
	})
}

// All methods that start with particles start with the same ones at one seed, so that the
// methods can be compared.
func TestConformanceSameStart(t *testing.T) {
	var first []float64
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		if slices.Contains([]string{"cmaes", "auto", "componentwise", "descent"}, s.Name()) { // start from a mean, with a survey, on lines, at a point
			return
		}
		var start []float64
		f := objective.Batch(3, func(points *mat.Dense, values []float64) {
			start = append(start, points.RawMatrix().Data...)
			clear(values)
		})
		if _, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Budget: 50, Seed: 9, Frame: identityFor(s)}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = start
		}
		if !slices.Equal(start, first) {
			t.Error("it starts elsewhere than the first strategy")
		}
	})
}

// A panic in the user's callback is not blamed on the objective.
func TestConformanceCallbackPanics(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		defer func() {
			if cause := recover(); cause != "bug in my progress bar" {
				t.Errorf("recovered %v", cause)
			}
		}()
		var calls atomic.Int64
		_, err := untwist.Minimize(ctx, counted(2, &calls), untwist.Options{Strategy: s, Progress: func(untwist.Progress) {
			panic("bug in my progress bar")
		}})
		t.Errorf("no panic, error %v", err)
	})
}

// Shifting and stretching the coordinates together with the start box changes only
// rounding. The answer is equally good wherever the box is.
func TestConformanceAnyPositionAndScale(t *testing.T) {
	eachStrategy(t, func(t *testing.T, s strategy.Strategy) {
		for _, box := range [][2]float64{{-5, 5}, {1e6, 1e6 + 1}, {-3e-7, 1e-7}, {0, 1e12}} {
			lo, hi := box[0], box[1]
			f := objective.Func(2, func(x []float64) float64 {
				sum := 0.0
				for _, v := range x {
					u := (v-lo)/(hi-lo) - 0.3
					sum += u * u
				}
				return sum
			})
			r, err := untwist.Minimize(ctx, f, untwist.Options{Strategy: s, Start: objective.Cube(2, lo, hi), Budget: flags.Usually(10_000, 5_000)})
			if err != nil || r.Value > 1e-3 {
				t.Errorf("box %v: value %v, error %v", box, r.Value, err)
			}
		}
	})
}
