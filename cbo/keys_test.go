package cbo

import (
	same "reflect"
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Settings in words are the settings, in whatever order they are given.
func TestKeys(t *testing.T) {
	third := mat.NewDense(1, 2, []float64{0.6, 0.8})
	for settings, want := range map[string]Config{
		"":                                 {},
		"truncate=0.5,noise=isotropic":     {Noise: Truncated{Isotropic{}, 0.5}},
		"truncate=0.5":                     {Noise: Truncated{nil, 0.5}},
		"ess=0.5,lambda=2":                 {Alpha: EffectiveSize{0.5}, Lambda: 2},
		"growth=1,batch=5":                 {Alpha: Geometric{100, 1, 1e5}, Batch: 5},
		"inertia=0.1,memory=0.4":           {Momentum: Inertia{0.1}, Memory: Remember{Lambda: 0.4}},
		"adam=0.8,correction=heaviside":    {Momentum: Adam{Beta1: 0.8}, Correction: Heaviside{}},
		"polarise=0.3,resample=9":          {Sight: Polarised{0.3}, Resample: Resample{Wait: 9}},
		"hopping=0.2":                      {Tau: 1, Lambda: 1, Sigma: Constant(0.2), Noise: Additive{}},
		"sampling=1":                       Config{}.Sampling(1),
		"domain=simplex,steps=3":           {Domain: Scaled{Of: Simplex{}}, Stop: Stop{Steps: 3}},
		"mirror=sphere,stall=3,restarts=2": {Mirror: Onto{Scaled{Of: Sphere{1}}}, Stop: Stop{Stall: 3}, Restarts: 2},
		"mirror=barrier":                   {Mirror: Barrier{}},
		"equalities=3 4 5":                 {Domain: Scaled{Of: Equalities{third, []float64{1}}}},
		"noise=covariance,correction=full": {Noise: Covariance{}, Correction: Full{}},
		"noise=additive,correction=regularised,mirror=entropy": {Noise: Additive{}, Correction: Regularised{}, Mirror: Entropy{}},
	} {
		got, err := Config{}.With(strings.FieldsFunc(settings, func(r rune) bool { return r == ',' })...)
		if err != nil || !same.DeepEqual(got, want) {
			t.Errorf("%s: %+v, error %v, want %+v", settings, got, err, want)
		}
	}
	for settings, want := range map[string]string{
		"noise": "not KEY=VALUE", "luck=1": "unknown key", "ess=1": "below 1", "lambda=0": "above 0", "growth=0.5": "at least 1",
		"lambda=NaN": "must be a number", "batch=0": "at least 1", "noise=red": "one of additive, anisotropic", "equalities=1": "two or more",
		"equalities=1 2;1": "row 2", "equalities=1 x": "not a number", "lambda=1,lambda=2": "twice", "lambda=,lambda=2": "twice", "mirror=simplex,domain=sphere": "domain and mirror cannot be given together",
		"noise=covariance,truncate=1": "cannot be given together", "polarise=1,correction=heaviside": "correction=heaviside and polarise cannot", "equalities=0 0 1": "all 0", "equalities=1 1 2;2 2 1": "depends",
	} {
		if _, err := (Config{}).With(strings.Split(settings, ",")...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", settings, err, want)
		}
	}
	grown, err := Config{Alpha: Geometric{3, 1.005, 1e5}}.With("polarise=1")
	if err != nil || grown.Alpha != Constant(3) {
		t.Errorf("polarised: α is %v, error %v", grown.Alpha, err)
	}
	if grown, err = (Config{Alpha: Geometric{3, 1.005, 1e5}}).With("polarise=1", "growth=1.1"); err != nil || grown.Alpha != (Geometric{3, 1.1, 1e5}) {
		t.Errorf("polarised and growing: α is %v, error %v", grown.Alpha, err)
	}
	if len(Keys()) != len(keys) {
		t.Errorf("%d of %d keys are described", len(Keys()), len(keys))
	}
}

// In other units sets mean the user's, and a barrier is that of the start box.
func TestInUnits(t *testing.T) {
	start := objective.Cube(2, 0, 4)
	got := Config{Domain: Scaled{Of: Simplex{}}, Mirror: Onto{Scaled{Of: Sphere{1}}}}.InUnits(start)
	if want := (Config{Domain: Scaled{Simplex{}, start}, Mirror: Onto{Scaled{Sphere{1}, start}}}); !same.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (Config{Mirror: Entropy{}}).InUnits(start).Mirror; !same.DeepEqual(got, Entropy{start}) {
		t.Errorf("%+v", got)
	}
	if got := (Config{Domain: Clamp{}}).InUnits(start).Domain; !same.DeepEqual(got, Clamp{objective.Cube(2, -1, 1)}) {
		t.Errorf("%+v", got)
	}
	if got := (Config{Mirror: Barrier{}, Domain: Free{}}).InUnits(start); !same.DeepEqual(got, Config{Mirror: Barrier{objective.Cube(2, -1, 1)}, Domain: Free{}}) {
		t.Errorf("%+v", got)
	}
	// A step of mirror descent in other units stays on the simplex in those.
	r, err := Run(ctx, objective.Func(2, func(z []float64) float64 {
		x, y := 2+2*z[0], 2+2*z[1]
		if x < -1e-15 || y < -1e-15 || x+y < 1-1e-14 || x+y > 1+1e-14 {
			t.Fatalf("asked at %v, %v", x, y)
		}
		return (x - 0.3) * (x - 0.3)
	}), Config{Mirror: Onto{Scaled{Of: Simplex{}}}, Stop: Stop{Steps: 200}}.InUnits(start))
	if err != nil || r.Value > 1e-4 {
		t.Errorf("value %v, error %v", r.Value, err)
	}
}
