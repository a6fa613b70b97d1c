package untwist_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/optimize/functions"
)

// gonum's own test functions are minimised with gonum's default settings. Where the functions
// do not say what their minima are, those of Surjanovic and Bingham's collection stand here.
func TestMethodOnGonumsFunctions(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, c := range flags.Sample([]struct {
		f interface {
			Func(x []float64) float64
		}
		x0      []float64
		minimum float64
	}{
		{functions.Beale{}, []float64{1, 1}, 0},
		{functions.BiggsEXP2{}, []float64{1, 2}, 0},
		{functions.BiggsEXP3{}, []float64{1, 2, 1}, 0},
		{functions.BiggsEXP4{}, []float64{1, 2, 1, 1}, 0},
		{functions.BiggsEXP5{}, []float64{1, 2, 1, 1, 1}, 0},
		{functions.BiggsEXP6{}, []float64{1, 2, 1, 1, 1, 1}, 0},
		{functions.Box3D{}, []float64{0, 10, 20}, 0},
		{functions.BraninHoo{}, []float64{0, 0}, 0.39788735772973816},
		{functions.BrownAndDennis{}, []float64{25, 5, -5, -1}, 85822.20162635627},
		{functions.ExtendedPowellSingular{}, []float64{3, -1, 0, 3}, 0},
		{functions.ExtendedRosenbrock{}, []float64{-1.2, 1}, 0},
		{functions.ExtendedRosenbrock{}, []float64{-120, 100, 50}, 0},
		{functions.Gaussian{}, []float64{0.4, 1, 0}, 1.12793e-8},
		{functions.HelicalValley{}, []float64{-1, 0, 0}, 0},
		{functions.PenaltyII{}, []float64{0.5, 0.5, 0.5, 0.5}, 9.37629e-6},
		{functions.Sphere{}, []float64{1, 2, 3, 4, 5}, 0},
		{functions.Trigonometric{}, []float64{0.2, 0.2, 0.2, 0.2, 0.2}, 0},
		{functions.VariablyDimensioned{}, []float64{0.5, 0}, 0},
		{functions.Watson{}, []float64{0, 0, 0, 0, 0, 0}, 2.28767005355e-3},
		{functions.Wood{}, []float64{-3, -1, -3, -1}, 0},
		{functions.Ackley{}, []float64{3, 4, -2}, 0},
		{functions.CamelThree{}, []float64{3, 4}, 0},
		{functions.CamelSix{}, []float64{2, 1}, -1.0316284534898774},
		{functions.DixonPrice{}, []float64{3, 4, 5}, 0},
		{functions.Griewank{}, []float64{30, 40}, 0},
		{functions.Levy{}, []float64{3, 4, 5}, 0},
		{functions.Levy13{}, []float64{3, 4}, 0},
		{functions.Rastrigin{}, []float64{3, 4, -2, 1}, 0},
		{functions.Schaffer2{}, []float64{30, 40}, 0},
		{functions.Schaffer4{}, []float64{30, 40}, 0.5},
		{functions.Shubert{}, []float64{3, 4}, -186.7309088310239},
		{functions.Shubert{}, []float64{-7, 8}, -186.7309088310239},
	}, 5) {
		name := fmt.Sprintf("%T", c.f)
		if known, ok := c.f.(interface{ Minima() []functions.Minimum }); ok {
			for _, m := range known.Minima() {
				if m.Global && len(m.X) == len(c.x0) && math.Abs(m.F-c.minimum) > 1e-6*(1+math.Abs(m.F)) {
					t.Errorf("%s: its minimum is %v, not %v", name, m.F, c.minimum)
				}
			}
		}
		close := c.minimum + 1e-6*(1+math.Abs(c.minimum))
		var got *optimize.Result
		tries, reached := 1, 0
		if name == "functions.Griewank" { // of 24 runs with 20,000 evaluations each 16 come to its minimum
			tries = 3
		}
		for seed := range tries {
			m := &untwist.Method{Options: untwist.Options{Target: &close, Seed: uint64(seed) + 1}} // there it stops, to save time
			r, err := optimize.Minimize(optimize.Problem{Func: c.f.Func}, c.x0, nil, m)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if r.F <= close {
				reached++
			}
			if got == nil || r.F < got.F {
				got = r
			}
		}
		if 3*reached < 2*tries {
			t.Errorf("%s: %d of %d runs come to the minimum", name, reached, tries)
		}
		if !(got.F <= close) || got.F != c.f.Func(got.X) {
			t.Errorf("%s: %v at %v, where f is %v; the minimum is %v", name, got.F, got.X, c.f.Func(got.X), c.minimum)
		}
		if got.Status != optimize.FunctionThreshold {
			t.Errorf("%s: %d evaluations, %v", name, got.FuncEvaluations, got.Status)
		}
	}
	goleak.VerifyNone(t, before)
}

// Through gonum, a search comes to the same bits as by itself, for any number of concurrent
// evaluations, and every evaluation is a query.
func TestMethodIsMinimize(t *testing.T) {
	x0 := []float64{3, -2, 1}
	o := untwist.Options{Budget: 800, Seed: 5, Points: [][]float64{{1, 2, 3}}}
	direct := o
	direct.Start = untwist.Box{Lo: []float64{-2, -7, -4}, Hi: []float64{8, 3, 6}} // x0 ± 5
	direct.Points = [][]float64{x0, {1, 2, 3}}
	want, err := untwist.Minimize(ctx, objective.Func(3, ripple), direct)
	if err != nil {
		t.Fatal(err)
	}
	for _, concurrent := range []int{0, 1, 2, 7} {
		var calls, now, most atomic.Int64
		f := func(x []float64) float64 {
			calls.Add(1)
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			return ripple(x)
		}
		m := &untwist.Method{Options: o}
		never := &optimize.Settings{Concurrent: concurrent, Converger: optimize.NeverTerminate{}}
		got, err := optimize.Minimize(optimize.Problem{Func: f}, x0, never, m)
		if err != nil {
			t.Fatal(err)
		}
		if got.F != want.Value || !slices.Equal(got.X, want.Point) || got.FuncEvaluations != want.Queries || int(calls.Load()) != want.Queries {
			t.Errorf("%d at once: %v at %v after %d evaluations, %d calls; want %v at %v after %d",
				concurrent, got.F, got.X, got.FuncEvaluations, calls.Load(), want.Value, want.Point, want.Queries)
		}
		if most.Load() > int64(max(1, concurrent)) {
			t.Errorf("%d evaluations at once, %d are allowed", most.Load(), concurrent)
		}
		own, err := m.Result()
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, own)
	}
}

// A recorder keeps what it is told.
type recorder struct {
	majors []float64
	at     []int // evaluations before each
	ops    map[optimize.Operation]int
	fail   error // with which it ends the run after ten evaluations
}

func (r *recorder) Init() error { r.ops = map[optimize.Operation]int{}; return nil }
func (r *recorder) Record(l *optimize.Location, op optimize.Operation, s *optimize.Stats) error {
	if r.ops[op]++; op == optimize.MajorIteration {
		r.majors, r.at = append(r.majors, l.F), append(r.at, s.FuncEvaluations)
	}
	if r.fail != nil && r.ops[optimize.FuncEvaluation] == 10 {
		return r.fail
	}
	return nil
}

// The limits of gonum's settings are respected, what was found so far is returned, and every
// value is in the journal.
func TestMethodWithinLimits(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, concurrent := range []int{1, 5} {
		best := math.Inf(1)
		f := func(x []float64) float64 { v := ripple(x); best = min(best, v); return v }
		if concurrent > 1 {
			f = ripple
		}
		for _, c := range []struct {
			settings optimize.Settings
			status   optimize.Status
			holds    func(*optimize.Result) bool
		}{
			{optimize.Settings{MajorIterations: 4}, optimize.IterationLimit, func(r *optimize.Result) bool { return r.MajorIterations == 4 }},
			{optimize.Settings{Runtime: 1}, optimize.RuntimeLimit, func(r *optimize.Result) bool { return r.MajorIterations == 1 }},
			{optimize.Settings{FuncEvaluations: 1}, optimize.FunctionEvaluationLimit, func(r *optimize.Result) bool { return r.FuncEvaluations < 1+concurrent }},
			{optimize.Settings{FuncEvaluations: 77}, optimize.FunctionEvaluationLimit, func(r *optimize.Result) bool { return r.FuncEvaluations >= 77 && r.FuncEvaluations < 77+concurrent }},
			{optimize.Settings{Converger: &optimize.FunctionConverge{Absolute: 1e9, Iterations: 3}}, optimize.FunctionConvergence, func(r *optimize.Result) bool { return r.MajorIterations == 4 }},
		} {
			best = math.Inf(1)
			r := &recorder{}
			c.settings.Concurrent, c.settings.Recorder = concurrent, r
			m := &untwist.Method{Options: untwist.Options{Journal: untwist.Journal{File: filepath.Join(t.TempDir(), "it")}}}
			got, err := optimize.Minimize(optimize.Problem{Func: f}, []float64{3, -2, 1}, &c.settings, m)
			if err != nil || got.Status != c.status || !c.holds(got) {
				t.Errorf("%+v: %v, error %v, %+v", c.settings, got.Status, err, got.Stats)
			}
			if got.F != ripple(got.X) || concurrent == 1 && got.F != best {
				t.Errorf("%+v: %v at %v, the best was %v", c.settings, got.F, got.X, best)
			}
			if !slices.IsSortedFunc(r.majors, func(a, b float64) int { return cmp.Compare(b, a) }) || r.ops[optimize.PostIteration] != 1 {
				t.Errorf("%+v: recorded %v, best values %v", c.settings, r.ops, r.majors)
			}
			if own, err := m.Result(); err != nil || own.Status != objective.Cancelled || own.Queries != got.FuncEvaluations || concurrent == 1 && own.Value != best {
				t.Errorf("%+v: by itself %v at %v, %d queries of %d, error %v", c.settings, own.Value, own.Status, own.Queries, got.FuncEvaluations, err)
			}
			if n := recorded(t, m.Options.Journal.File); n != got.FuncEvaluations {
				t.Errorf("%+v: %d evaluations, %d in the journal", c.settings, got.FuncEvaluations, n)
			}
		}
	}
	goleak.VerifyNone(t, before)
}

// gonum looks at Runtime and at its Converger in major iterations. They come often enough to end a
// search in time, and seldom enough not to end one that is about to find something.
func TestMethodIterates(t *testing.T) {
	const budget = 30_000
	for name, f := range map[string]func([]float64) float64{
		"without progress":   func([]float64) float64 { return 1 },
		"with tiny progress": func() func([]float64) float64 { v := 1.; return func([]float64) float64 { v -= 1e-14; return v } }(),
	} {
		r := &recorder{}
		m := &untwist.Method{Options: untwist.Options{Budget: budget, Strategy: strategy.CBO{}}}
		got, err := optimize.Minimize(optimize.Problem{Func: f}, []float64{3, -2, 1}, &optimize.Settings{Recorder: r}, m)
		if err != nil {
			t.Fatal(err)
		}
		if got.FuncEvaluations < 500 {
			t.Errorf("%s: %v after %d evaluations", name, got.Status, got.FuncEvaluations)
		}
		before := 0
		for _, at := range r.at {
			if at-before > max(8, before/8) {
				t.Errorf("%s: a major iteration after %d evaluations, and the next after %d", name, before, at)
			}
			before = at
		}
		if len(r.at) > 150 {
			t.Errorf("%s: %d major iterations", name, len(r.at))
		}
	}
}

// When Options.Time is spent in the middle of a batch, the rest of it is not evaluated, and
// nothing that was is lost.
func TestMethodTime(t *testing.T) {
	const limit = 20 * time.Millisecond
	calls := 0
	f := func(x []float64) float64 {
		began := time.Now()
		for calls++; calls == 5 && time.Since(began) <= limit; {
		}
		return ripple(x)
	}
	file := filepath.Join(t.TempDir(), "it")
	m := &untwist.Method{Options: untwist.Options{Time: limit, Strategy: strategy.CBO{}, Journal: untwist.Journal{File: file}}}
	got, err := optimize.Minimize(optimize.Problem{Func: f}, []float64{3, -2}, nil, m)
	if err != nil || got.Status != optimize.RuntimeLimit || calls > 6 || got.FuncEvaluations != calls {
		t.Errorf("%v after %d calls, %d evaluations, error %v", got.Status, calls, got.FuncEvaluations, err)
	}
	if own, err := m.Result(); err != nil || own.Status != objective.TimeSpent || own.Queries != calls || recorded(t, file) != calls {
		t.Errorf("%v after %d queries, %d in the journal, error %v", own.Status, own.Queries, recorded(t, file), err)
	}
}

// Why a search ended is said in gonum's words.
func TestMethodStatuses(t *testing.T) {
	before := goleak.IgnoreCurrent()
	sphere := func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] }
	fails := func([]float64) float64 { return math.NaN() }
	for _, c := range []struct {
		name    string
		f       func([]float64) float64
		options untwist.Options
		want    optimize.Status
		err     error
	}{
		{"done", sphere, untwist.Options{}, optimize.MethodConverge, nil},
		{"budget", ripple, untwist.Options{Budget: 90}, optimize.FunctionEvaluationLimit, nil},
		{"target", ripple, untwist.Options{Target: new(5.)}, optimize.FunctionThreshold, nil},
		{"tolerance", ripple, untwist.Options{Budget: 20_000, Tolerance: 1e9}, optimize.FunctionConvergence, nil},
		{"time", ripple, untwist.Options{Budget: 1 << 40, Time: time.Nanosecond}, optimize.RuntimeLimit, nil},
		{"failures", fails, untwist.Options{}, optimize.Failure, untwist.ErrAllFailed},
		{"minus infinity", func(x []float64) float64 { return math.Inf(-1) }, untwist.Options{}, optimize.FunctionNegativeInfinity, nil},
	} {
		got, err := optimize.Minimize(optimize.Problem{Func: c.f}, []float64{3, -2}, nil, &untwist.Method{Options: c.options})
		if got.Status != c.want || !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: %v, error %v; want %v", c.name, got.Status, err, c.want)
		}
	}
	var bad *untwist.OptionError
	got, err := optimize.Minimize(optimize.Problem{Func: sphere}, []float64{30, -2}, nil, &untwist.Method{Options: untwist.Options{Bounds: objective.Cube(2, -5, 5)}})
	if got.Status != optimize.Failure || !errors.As(err, &bad) || bad.Option != "x0" || got.FuncEvaluations != 0 {
		t.Errorf("x0 outside the bounds: %v, error %v", got.Status, err)
	}
	if _, err = optimize.Minimize(optimize.Problem{Func: sphere}, []float64{0, math.NaN()}, nil, &untwist.Method{}); !errors.As(err, &bad) || bad.Option != "Points" {
		t.Errorf("x0 is no number: %v", err)
	}
	full := errors.New("the disk is full")
	got, err = optimize.Minimize(optimize.Problem{Func: ripple}, []float64{30, -2}, &optimize.Settings{Recorder: &recorder{fail: full}}, &untwist.Method{})
	if got.Status != optimize.Failure || !errors.Is(err, full) {
		t.Errorf("a recorder that fails: %v, error %v", got.Status, err)
	}
	goleak.VerifyNone(t, before)
}

// x0 is asked first, exactly as it was given, and not at all if its value is known. A method
// can be used again.
func TestMethodKnowsX0(t *testing.T) {
	x0 := []float64{0.1, math.Pi}
	m := &untwist.Method{Options: untwist.Options{Budget: 60}}
	for _, known := range []*optimize.Location{nil, {F: ripple(x0)}, nil} {
		asked := 0
		f := func(x []float64) float64 {
			if slices.Equal(x, x0) {
				asked++
			}
			return ripple(x)
		}
		got, err := optimize.Minimize(optimize.Problem{Func: f}, x0, &optimize.Settings{InitValues: known}, m)
		want, evaluations := 1, 60
		if known != nil {
			want, evaluations = 0, 59
		}
		if err != nil || asked != want || got.FuncEvaluations != evaluations || got.F > ripple(x0) {
			t.Errorf("known %v: asked %d times, %d evaluations, error %v", known, asked, got.FuncEvaluations, err)
		}
	}
}
