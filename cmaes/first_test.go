package cmaes

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// spread returns a diagonal matrix, and the function Σ x_i²/c_i.
func spread(n int) (*mat.SymDense, objective.Objective) {
	c := mat.NewSymDense(n, nil)
	for i := range n {
		c.SetSym(i, i, math.Pow(10, 6*float64(i)/float64(n-1)))
	}
	return c, objective.Func(n, func(x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			sum += v * v / c.At(i, i)
		}
		return sum
	})
}

// With the right first covariance an ellipsoid is like a sphere. With I nothing changes.
func TestFirstCovariance(t *testing.T) {
	c, ellipsoid := spread(8)
	run := func(f objective.Objective, first *mat.SymDense) Result {
		r, err := Run(ctx, f, Config{Mean: slices.Repeat([]float64{1}, 8), Covariance: Cholesky{First: first}, Normal: rng.Seed(1).Stream("test").Norm, Stop: Stop{Fun: 1e-11}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	identity := mat.NewSymDense(8, nil)
	for i := range 8 {
		identity.SetSym(i, i, 1)
	}
	plain, same := run(ellipsoid, nil), run(ellipsoid, identity)
	if plain.Value != same.Value || plain.Queries != same.Queries {
		t.Errorf("%v after %d queries without, %v after %d with I", plain.Value, plain.Queries, same.Value, same.Queries)
	}
	if told := run(ellipsoid, c); told.Value > 1e-8 || 3*told.Queries > 2*plain.Queries {
		t.Errorf("%v after %d queries, %d without being told", told.Value, told.Queries, plain.Queries)
	}
	for name, first := range map[string]*mat.SymDense{"too small": mat.NewSymDense(3, nil), "singular": mat.NewSymDense(8, nil)} {
		var bad *objective.OptionError
		if _, err := Run(ctx, ellipsoid, Config{Covariance: Cholesky{First: first}}); !errors.As(err, &bad) || bad.Option != "Covariance" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A series starts every run with the same first covariance. Once ends it after one run,
// and Confirmed when two runs have found the same value.
func TestShortSchedules(t *testing.T) {
	c, ellipsoid := spread(4)
	count := func(s Schedule) int {
		runs := 0
		series := Series{Run: Config{Covariance: Cholesky{First: c}}, Box: objective.Cube(4, -1, 1), Schedule: s, Began: func(Plan) { runs++ }}
		if r, err := series.Minimize(ctx, ellipsoid); err != nil || r.Value > 1e-8 {
			t.Errorf("%v, error %v", r.Value, err)
		}
		return runs
	}
	if got := count(Once{}); got != 1 {
		t.Errorf("%d runs, want 1", got)
	}
	if got := count(Confirmed{BIPOP{}, 1e-6}); got != 2 {
		t.Errorf("%d runs of a bowl, want 2", got)
	}
	past := func(values ...float64) (all []Past) {
		for _, v := range values {
			all = append(all, Past{Plan: Plan{"first", 6, 1, 0}, Result: Result{Value: v, Queries: 100}})
		}
		return all
	}
	u := func() float64 { return 0.5 }
	for _, v := range []struct {
		values []float64
		more   bool
	}{{nil, true}, {[]float64{3}, true}, {[]float64{3, 1}, true}, {[]float64{3, 3, 1}, true}, {[]float64{3, 1, 1.0000001}, false}, {[]float64{1, 3, 1}, false}} {
		if _, more := (Confirmed{BIPOP{}, 1e-6}).Next(past(v.values...), 6, u); more != v.more {
			t.Errorf("after %v it goes on: %v", v.values, more)
		}
	}
}
