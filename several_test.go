package untwist_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
)

// fields is a problem with a value, two outputs, and points that fail: least x² + y with xy ≥ 1.
func fields() objective.Objective {
	return untwist.Vector(2, 3, func(x, out []float64) error {
		if x[0] < 0.2 {
			return errors.New("too thin")
		}
		out[0], out[1], out[2] = x[0]*x[0]+x[1], x[0]*x[1], x[0]+x[1]
		return nil
	})
}

func limitedFields() untwist.Options {
	return untwist.Options{
		Bounds: untwist.Cube(2, 0, 5), Budget: 300, Seed: 3,
		Outputs: []untwist.Output{{Name: "area", Min: new(1.)}, {Name: "sum"}},
	}
}

// x² + 1/x is least at x = 2^(−1/3), where it is 1.8898…; there the limit of xy costs y's worth, 1/x.
func TestOutputsWithLimits(t *testing.T) {
	r, err := untwist.Minimize(t.Context(), fields(), limitedFields())
	x := math.Cbrt(.5)
	if err != nil || !r.Feasible || math.Abs(r.Value-(x*x+1/x)) > 1e-5 || len(r.Outputs) != 2 {
		t.Fatalf("%v at %v, outputs %+v, %v", r.Value, r.Point, r.Outputs, err)
	}
	if n := len(r.Violations); n == 0 || r.Violations[0].Queries != 1 || r.Violations[n-1].Value != r.Violation {
		t.Errorf("violations %v, at the end %v", r.Violations, r.Violation)
	}
	area := r.Outputs[0]
	if !area.Active || math.Abs(area.Value-1) > 2e-6 || math.Abs(area.Multiplier-1/x) > 1e-2 || r.Outputs[1].Active {
		t.Errorf("%+v", r.Outputs)
	}
}

// Same bits for any number of workers, told to a Session, and with a journal that was cut and resumed.
func TestSeveralNumbersSameBits(t *testing.T) {
	want, err := untwist.Minimize(t.Context(), fields(), limitedFields())
	if err != nil {
		t.Fatal(err)
	}
	same := func(about string, r untwist.Result, err error) {
		t.Helper()
		if err != nil || !slices.Equal(r.Point, want.Point) || r.Value != want.Value || r.BestQuery != want.BestQuery || r.Queries != want.Queries {
			t.Errorf("%s: %v at %v by query %d of %d (%v), want %v at %v by %d of %d", about, r.Value, r.Point, r.BestQuery, r.Queries, err, want.Value, want.Point, want.BestQuery, want.Queries)
		}
	}
	o := limitedFields()
	o.Workers = 5
	r, err := untwist.Minimize(t.Context(), fields(), o)
	same("workers", r, err)

	o = limitedFields()
	o.Journal.File = filepath.Join(t.TempDir(), "run.journal")
	for _, stop := range []int{0, 7, 40, 101} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		f := untwist.Vector(2, 3, func(x, out []float64) error {
			if n++; n == stop {
				cancel()
				return objective.Stop(nil)
			}
			if x[0] < 0.2 {
				return errors.New("too thin")
			}
			out[0], out[1], out[2] = x[0]*x[0]+x[1], x[0]*x[1], x[0]+x[1]
			return nil
		})
		if _, err := untwist.Minimize(ctx, f, o); err != nil && stop > 0 {
			t.Fatal(err)
		}
		cancel()
	}
	r, err = untwist.Minimize(t.Context(), fields(), o)
	same("journal", r, err)
	if r.Resumed == 0 {
		t.Error("nothing was resumed")
	}

	s, err := untwist.Ask(t.Context(), 2, limitedFields())
	if err != nil {
		t.Fatal(err)
	}
	for points, done := s.Ask(); !done; points, done = s.Ask() {
		var all []float64
		n, _ := points.Dims()
		for i := range n {
			x, y := points.At(i, 0), points.At(i, 1)
			if x < 0.2 {
				all = append(all, math.NaN(), math.NaN(), math.NaN())
				continue
			}
			all = append(all, x*x+y, x*y, x+y)
		}
		if err := s.Tell(all[1:]); err == nil || !strings.Contains(err.Error(), "give 3 for each") {
			t.Fatal(err)
		}
		if err := s.Tell(all); err != nil {
			t.Fatal(err)
		}
	}
	r, err = s.Result()
	same("session", r, err)
}

// A straight line by hand: y = a + b·x through (0, 1), (1, 3), (2, 4), with the squares' sum 1/6,
// s² = 1/6, and (JᵀJ)⁻¹ = 1/6·(5 −3; −3 3).
func TestFitByHand(t *testing.T) {
	f := untwist.Vector(2, 3, func(x, out []float64) error {
		for i, y := range []float64{1, 3, 4} {
			out[i] = x[0] + x[1]*float64(i) - y
		}
		return nil
	})
	r, err := untwist.Minimize(t.Context(), f, untwist.Options{Bounds: untwist.Cube(2, -10, 10), Budget: 200})
	if err != nil || r.Fit == nil || math.Abs(r.Value-1./6) > 1e-9 {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, want := range []float64{math.Sqrt(5. / 36), math.Sqrt(3. / 36)} {
		if math.Abs(r.Fit.Errors[i]-want) > 1e-5 {
			t.Errorf("the error of %d is %v, want %v", i, r.Fit.Errors[i], want)
		}
	}
	if math.Abs(r.Fit.Covariance[0][1]+3./36) > 1e-5 || math.Abs(r.Fit.Jacobian[2][1]-2) > 1e-5 || len(r.Fit.Singular) != 2 {
		t.Errorf("%+v", r.Fit)
	}
}

// No query violates a linear limit, and an equation holds but for rounding.
func TestLinearLimitsAreKept(t *testing.T) {
	worst, off := 0., 0.
	f := untwist.Func(4, func(x []float64) float64 {
		worst = max(worst, x[0]+x[1]-1.5)
		off = max(off, math.Abs(x[0]+2*x[2]-x[3]-1))
		sum := 0.
		for i, v := range x {
			sum += (v - float64(i)) * (v - float64(i))
		}
		return sum + math.Cos(9*x[0])
	})
	r, err := untwist.Minimize(t.Context(), f, untwist.Options{
		Bounds: untwist.Cube(4, -3, 4), Budget: 2000, Limits: []string{"x1 + x2 <= 1.5", "x1 + 2*x3 - x4 = 1"},
	})
	if err != nil || worst > 1e-12 || off > 1e-12 || !r.Feasible || len(r.Limits) != 2 {
		t.Errorf("violated by %v, and off by %v; %+v, %v", worst, off, r.Limits, err)
	}
	for _, bad := range []untwist.Options{
		{Limits: []string{"x1 + x2 >= 100"}}, {Limits: []string{"x1 = 1", "x1 = 2"}}, {Limits: []string{"x5 = 1"}},
		{Limits: []string{"x1 <= 1"}, Points: [][]float64{{2, 0, 0, 0}}},
	} {
		bad.Bounds = untwist.Cube(4, -3, 4)
		if _, err := untwist.Minimize(t.Context(), f, bad); !errors.As(err, new(*untwist.OptionError)) {
			t.Errorf("%v: %v", bad.Limits, err)
		}
	}
}

// A parameter of a logarithmic scale may be in a linear limit, which no query violates: least
// (log₁₀ a + 1)² + (log₁₀ b + 1)² + (c − 1)² with a + c ≤ 0.6 and b between 0.02 and 1.
func TestLimitOnALogarithmicScale(t *testing.T) {
	worst := math.Inf(-1)
	f := untwist.Func(3, func(x []float64) float64 {
		worst = max(worst, x[0]+x[2]-.6)
		square := func(v float64) float64 { return v * v }
		return square(math.Log10(x[0])+1) + square(math.Log10(x[1])+1) + square(x[2]-1)
	})
	r, err := untwist.Minimize(t.Context(), f, untwist.Options{
		Parameters: []untwist.Parameter{
			{Name: "a", Min: new(.01), Max: new(1.), Log: true}, {Name: "b", Min: new(.02), Max: new(1.), Log: true}, {Name: "c", Min: new(-2.), Max: new(2.)},
		},
		Budget: 400, Limits: []string{"a + c <= 0.6"},
	})
	if err != nil || worst > 1e-12 || math.Abs(r.Point[1]-.1) > 1e-3 || !r.Limits[0].Active || r.Value > .2398 {
		t.Errorf("%v at %v, violated by %v, %+v, %v", r.Value, r.Point, worst, r.Limits, err)
	}
}

// An order of parameters on logarithmic scales is linear in their logarithms: least Σ (log₁₀ k_i + e_i)² over six decades
// with k1 ≤ k2 is 1/8, at 10^−3.25 for both. A limit k1 ≤ k2 + ε would be worth 0.5/(ln 10·k1)·ε.
func TestOrderOnALogarithmicScale(t *testing.T) {
	exponents := []float64{3, 3.5, 2}
	over := math.Inf(-1)
	f := untwist.Func(3, func(x []float64) (sum float64) {
		over = max(over, x[0]/x[1]-1)
		for i, v := range x {
			l := math.Log10(v) + exponents[i]
			sum += l * l
		}
		return sum
	})
	o := untwist.Options{Budget: 60, Limits: []string{"k1 <= k2"}}
	for _, name := range []string{"k1", "k2", "k3"} {
		o.Parameters = append(o.Parameters, untwist.Parameter{Name: name, Min: new(1e-6), Max: new(1.), Log: true})
	}
	for o.Seed = range 5 {
		r, err := untwist.Minimize(t.Context(), f, o)
		if err != nil || math.Abs(r.Value-.125) > 1e-8 || over > 1e-12 || !r.Limits[0].Active {
			t.Fatalf("%v at %v, over by %v, %+v, %v", r.Value, r.Point, over, r.Limits, err)
		}
		if want := .5 / math.Ln10 / r.Point[0]; math.Abs(r.Limits[0].Multiplier/want-1) > 1e-2 {
			t.Errorf("multiplier %v, want %v", r.Limits[0].Multiplier, want)
		}
	}
}

// Maximize is in the user's sign everywhere, and asks what minimising −f asks.
func TestMaximize(t *testing.T) {
	at := func(sign float64, o untwist.Options) untwist.Result {
		o.Bounds, o.Budget = untwist.Cube(3, -2, 2), 400
		r, err := untwist.Minimize(t.Context(), untwist.Func(3, func(x []float64) float64 {
			return sign * (5 - x[0]*x[0] - x[1]*x[1] - math.Abs(x[2]-1))
		}), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	seen, best := math.Inf(-1), math.Inf(-1)
	most := at(1, untwist.Options{Maximize: true, Target: new(4.9),
		Seen:     func(_ int, _ []float64, a objective.Answer) { seen = max(seen, a.Value) },
		Progress: func(p untwist.Progress) { best = p.Best },
	})
	least := at(-1, untwist.Options{Target: new(-4.9)})
	if most.Value != -least.Value || !slices.Equal(most.Point, least.Point) || most.Queries != least.Queries || most.Value < 4.9 {
		t.Errorf("%v at %v, and %v at %v", most.Value, most.Point, least.Value, least.Point)
	}
	if seen != most.Value || best != most.Value || most.Curve[len(most.Curve)-1].Value != most.Value || most.Improvements[len(most.Improvements)-1].Value != most.Value {
		t.Errorf("seen %v, progress %v, want %v", seen, best, most.Value)
	}
}

// What does not fit is refused before the first query.
func TestSeveralOptions(t *testing.T) {
	for about, c := range map[string]struct {
		f objective.Objective
		o untwist.Options
	}{
		"a value alone":     {untwist.Func(2, func([]float64) float64 { return 0 }), untwist.Options{Outputs: []untwist.Output{{Name: "a"}}}},
		"a value or":        {fields(), untwist.Options{Outputs: []untwist.Output{{Name: "a"}, {Name: "b"}, {Name: "c"}}}},
		"2, but the":        {fields(), untwist.Options{Residuals: 2}},
		"cannot be maximis": {fields(), untwist.Options{Maximize: true}},
		"has no name":       {fields(), untwist.Options{Outputs: []untwist.Output{{Name: "a"}, {Name: "a"}}}},
		"min 2 is above":    {fields(), untwist.Options{Outputs: []untwist.Output{{Name: "a", Min: new(2.), Max: new(1.)}, {Name: "b"}}}},
	} {
		_, err := untwist.Minimize(t.Context(), c.f, c.o)
		if !errors.As(err, new(*untwist.OptionError)) || !strings.Contains(err.Error(), about) {
			t.Errorf("%s: %v", about, err)
		}
	}
}

// Problem 71 of W. Hock and K. Schittkowski: a product of at least 25, squares of the sum 40; 17.0140173.
func TestHockSchittkowski71(t *testing.T) {
	f := untwist.Vector(4, 3, func(x, out []float64) error {
		out[0] = x[0]*x[3]*(x[0]+x[1]+x[2]) + x[2]
		out[1] = x[0] * x[1] * x[2] * x[3]
		out[2] = x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + x[3]*x[3]
		return nil
	})
	r, err := untwist.Minimize(t.Context(), f, untwist.Options{
		Bounds: untwist.Cube(4, 1, 5), Budget: 250, Outputs: []untwist.Output{{Name: "product", Min: new(25.)}, {Name: "squares", Equal: new(40.)}},
	})
	if err != nil || !r.Feasible || math.Abs(r.Value-17.0140173) > 1e-3 || r.Point[0] > 1+1e-6 {
		t.Errorf("%v at %v (%v), %+v, %v", r.Value, r.Point, r.Violation, r.Outputs, err)
	}
}

// Numbers of six digits, as many programs print them: differences are taken far enough apart. Least
// 100·(y − x²)² + (1 − x)² with x ≤ 0.5 is 0.25.
func TestFewDigitsWithALimit(t *testing.T) {
	printed := func(v float64) float64 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
		return v
	}
	f := untwist.Vector(2, 3, func(x, out []float64) error {
		out[0], out[1], out[2] = printed(10*(x[1]-x[0]*x[0])), printed(1-x[0]), x[0]
		return nil
	})
	r, err := untwist.Minimize(t.Context(), f, untwist.Options{Bounds: untwist.Cube(2, -5, 5), Budget: 100, Residuals: 2, Outputs: []untwist.Output{{Name: "x", Max: new(.5)}}})
	if err != nil || !r.Feasible || math.Abs(r.Value-.25) > 1e-3 {
		t.Errorf("%v at %v, %v", r.Value, r.Point, err)
	}
}

// A rugged function with a limit: descents come to no end, and a ranking by feasibility goes on.
func TestRuggedWithALimit(t *testing.T) {
	f := untwist.Vector(3, 2, func(x, out []float64) error {
		out[0], out[1] = 0, x[0]+x[1]*x[1]
		for _, v := range x {
			out[0] += math.Floor(50*math.Abs(v-.3)) / 50 // without slopes
		}
		return nil
	})
	r, err := untwist.Minimize(t.Context(), f, untwist.Options{
		Bounds: untwist.Cube(3, -2, 2), Budget: 4000, Outputs: []untwist.Output{{Name: "limited", Max: new(0.)}},
	})
	if err != nil || !r.Feasible || r.Value > .45 { // at best about 0.3 + something: x₁ ≤ −x₂²
		t.Errorf("%v at %v, %+v, %v; %+v", r.Value, r.Point, r.Outputs, err, r.Stages)
	}
}
