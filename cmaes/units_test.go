package cmaes

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// wells has a wide well of depth 0 around (2, …, 2) and a narrower one of depth 5 around
// (-2, …, -2).
func wells(x []float64) float64 {
	a, b := 0.0, 0.0
	for _, v := range x {
		a += (v - 2) * (v - 2)
		b += (v + 2) * (v + 2)
	}
	return min(a, 5+2*b)
}

// runsOf returns the runs of a series on f that have ended.
func runsOf(t *testing.T, f func(x []float64) float64, n, budget int) []Past {
	t.Helper()
	keep := &keeper{}
	series := Series{Run: Config{Sigma: 0.5}, Box: objective.Cube(n, -3, 3), Schedule: keep, Seed: 1}
	if _, err := series.Minimize(ctx, query.NewMeter(objective.Func(n, f), budget)); err != nil {
		t.Fatal(err)
	}
	return keep.past
}

// A keeper is BIPOP, and keeps what has ended.
type keeper struct{ past []Past }

func (k *keeper) Next(past []Past, population int, u func() float64) (Plan, bool) {
	k.past = slices.Clone(past)
	return BIPOP{}.Next(past, population, u)
}

// Nothing is in the unit of f: a·f with a power of two has the same runs, whatever rules end
// them, and a·f + b has about the same.
func TestNoUnitOfF(t *testing.T) {
	want := runsOf(t, wells, 3, 30_000)
	reasons := map[string]int{}
	for _, p := range want {
		reasons[p.Result.Reason]++
	}
	if reasons["tolx"] == 0 || reasons["worse"] == 0 || len(want) < 10 {
		t.Fatalf("it ends for %v, and should for several reasons", reasons)
	}
	for _, k := range []int{-40, -3, 40} {
		a := math.Ldexp(1, k)
		got := runsOf(t, func(x []float64) float64 { return a * wells(x) }, 3, 30_000)
		if len(got) != len(want) {
			t.Errorf("times 2^%d: %d runs, not %d", k, len(got), len(want))
		}
		for i := range min(len(got), len(want)) {
			r, s := got[i].Result, want[i].Result
			if s.Value *= a; r.Reason != s.Reason || r.Queries != s.Queries || r.Value != s.Value || !slices.Equal(r.Point, s.Point) {
				t.Errorf("times 2^%d, run %d: %+v, not %+v", k, i+1, r, s)
			}
		}
	}
	for _, k := range []struct{ a, b float64 }{{1e-12, 0}, {1e12, 0}, {1, 1e7}, {1e-12, 1e-5}, {1e12, -1e19}} {
		got := runsOf(t, func(x []float64) float64 { return float64(k.a*wells(x)) + k.b }, 3, 30_000)
		least := math.Inf(1)
		for _, p := range got {
			least = min(least, wells(p.Result.Point))
		}
		if least > 1e-10+0x1p-46*math.Abs(k.b/k.a) || len(got) < len(want)/2 {
			t.Errorf("%g·f + %g: %d runs, the best ends at %v", k.a, k.b, len(got), least)
		}
	}
}

// A run has lost when recent values differ by less than a millionth of what it is above the
// best run before. The first run never has.
func TestLostRuns(t *testing.T) {
	least := math.Inf(1)
	for i, p := range runsOf(t, wells, 3, 30_000) {
		r := p.Result
		if worse := r.Spread < 1e-6*(r.Value-least); worse != (r.Reason == "worse") {
			t.Errorf("run %d ends for %s at %v with a spread of %v; the best before is %v", i+1, r.Reason, r.Value, r.Spread, least)
		}
		least = min(least, r.Value)
	}
}

// What counts as rounding, by hand: windows of four generations.
func TestRoundedByHand(t *testing.T) {
	const ulp = 0x1p-52 // of values from 1 to 2
	for name, c := range map[string]struct {
		best   []float64 // 1 plus these many ulps
		spread float64   // of the last generation, in ulps
		want   bool
	}{
		"too few generations":  {[]float64{0, 0, 0}, 0, false},
		"all the same":         {[]float64{0, 0, 0, 0}, 0, true},
		"up to 256 ulps":       {[]float64{256, 0, 7, 0}, 256, true},
		"more in a generation": {[]float64{0, 0, 0, 0}, 260, false},
		"more over time":       {[]float64{260, 0, 0, 0}, 0, false},
		"more before":          {[]float64{900, 0, 0, 0, 0}, 0, true},
		"not finite":           {[]float64{0, 0, 0, 0}, math.Inf(1), false},
	} {
		h := history{recent: 4, spread: c.spread * ulp}
		for _, v := range c.best {
			h.best = append(h.best, 1+v*ulp)
		}
		if got := h.rounded(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The rule Fall ends a run at a part of what its first values differed by. Points that fail
// do not count.
func TestFall(t *testing.T) {
	for _, fall := range []float64{1e-3, 1e-9} {
		first := math.NaN()
		cfg := Config{Mean: []float64{1, 1, 1}, Stop: Stop{Fall: fall}, Observe: func(s State) {
			if s.Generation == 1 {
				first = s.Spread
			}
		}}
		f := objective.Func(3, func(x []float64) float64 { return math.Sqrt(x[0]+0.8) + 7*sphere(x) }) // NaN below -0.8
		r, err := Run(ctx, f, cfg)
		if err != nil || r.Reason != "tolfun" || !(r.Spread <= fall*first) || r.Spread < fall*first/1e4 {
			t.Errorf("%v: %+v, first %v, error %v", fall, r, first, err)
		}
	}
}

// Where evaluations at the same time are free, populations are larger, and rounds fewer.
// Nothing changes where they are not, or where there are too few queries.
func TestAbreast(t *testing.T) {
	for _, c := range []struct{ n, parallel, queries, population int }{
		{40, 1000, 900_000, 1000}, {40, 1000, 90_000, 100}, {40, 200, 900_000, 200}, {2, 20, 100_000, 20},
		{40, 1, 900_000, 0}, {40, 0, 900_000, 0}, {40, 15, 900_000, 0}, {40, 1000, 9000, 0}, {1, 5, 1000, 5},
	} {
		s := Abreast(c.n, c.parallel, c.queries)
		if got := s.Run.Population; got != c.population || (s.Schedule == nil) != (got == 0) || s.Run.Rate > 2 || got > 0 && !(s.Run.Rate > 1) {
			t.Errorf("%+v: λ = %d, rate %v, %v", c, got, s.Run.Rate, s.Schedule)
		}
	}
	generations := func(s Series) int {
		s.Run.Mean, s.Run.Sigma = make([]float64, 10), 0.5
		record := query.NewRecord(query.NewMeter(objective.Func(10, rosenbrock), 100_000), query.Rules{Target: new(1e-8)}, nil)
		r, err := s.Minimize(ctx, record)
		if err != nil || r.Status != objective.TargetReached {
			t.Fatalf("%+v, error %v", r, err)
		}
		return r.Generations
	}
	if few, many := generations(Abreast(10, 400, 100_000)), generations(Series{}); 3*few > many {
		t.Errorf("%d generations, %d one by one", few, many)
	}
	// A small regime of its own.
	past := []Past{{Plan: Plan{Regime: "first", Population: 100}, Result: Result{Queries: 1000}}, {Plan: Plan{Regime: "large", Population: 200}, Result: Result{Queries: 2000}}}
	if plan, _ := (BIPOP{Small: 10}).Next(past, 100, func() float64 { return 0.5 }); plan.Population != int(10*math.Pow(10, 0.25)) {
		t.Errorf("small runs have λ = %d", plan.Population)
	}
}

// The rate multiplies c_μ. The negative weights follow, so that C stays positive definite
// (equation 53).
func TestRate(t *testing.T) {
	one, two := NewParameters(10, 100), newParameters(10, 100, 2)
	if math.Abs(two.CMu/one.CMu-2) > 1e-15 || two.C1 != one.C1 || two.CSigma != one.CSigma {
		t.Errorf("c_μ is %v, and %v at twice the rate", one.CMu, two.CMu)
	}
	negative := 0.0
	for _, w := range two.Weights[two.Mu:] {
		negative -= w
	}
	if limit := (1 - two.C1 - two.CMu) / (10 * two.CMu); negative > limit*(1+1e-12) {
		t.Errorf("negative weights sum to %v, at most %v allowed", negative, limit)
	}
	var bad *objective.OptionError
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Run(ctx, objective.Func(3, sphere), Config{Rate: rate}); !errors.As(err, &bad) || bad.Option != "Rate" {
			t.Errorf("rate %v: error %v", rate, err)
		}
	}
}

// A generation of which all points fail does not end a run: the step was too long.
func TestAGenerationThatFails(t *testing.T) {
	f := objective.Func(5, func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			if math.Abs(v) > 0.15 {
				return math.Inf(1)
			}
			sum += (v - 0.1) * (v - 0.1)
		}
		return sum
	})
	for seed := range uint64(5) {
		r, err := Run(context.Background(), query.NewMeter(f, 5000), Config{Sigma: 0.6, Seed: seed})
		if err != nil || r.Value > 1e-6 {
			t.Errorf("seed %d: %v after %d queries, %s, error %v", seed, r.Value, r.Queries, r.Reason, err)
		}
	}
}

// A run whose last spread is not known confirms no other value than its own.
func TestARunWithoutASpreadConfirmsNothing(t *testing.T) {
	past := func(value, spread float64) Past {
		return Past{Plan: Plan{Regime: "first", Population: 8}, Result: Result{Value: value, Spread: spread, Status: objective.Converged}}
	}
	for _, c := range []struct {
		second Past
		more   bool
	}{{past(0, math.Inf(1)), true}, {past(5, 1e-9), false}} {
		_, more := Confirmed{}.Next([]Past{past(5, math.Inf(1)), c.second}, 8, func() float64 { return 0 })
		if more != c.more {
			t.Errorf("after %v: more %v", c.second.Result, more)
		}
	}
}

// In many dimensions C is a diagonal, unless another form is chosen.
func TestManyDimensionsHaveADiagonal(t *testing.T) {
	for _, c := range []struct {
		n    int
		form Covariance
		want Covariance
	}{{LargeFrom - 1, nil, Cholesky{}}, {LargeFrom, nil, Diagonal{}}, {LargeFrom, Root{}, Root{}}} {
		if got := complete(t, Config{Covariance: c.form}, c.n).Covariance; got != c.want {
			t.Errorf("%d dimensions: %T, want %T", c.n, got, c.want)
		}
	}
}
