package acceptance

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// skew are three coordinates that are neither given nor orthogonal.
func skew(x []float64) (a, b, c float64) { return x[0] + 2*x[1] - x[2], x[0] - x[1], x[1]/2 + x[2] }

// If the minimum is at infinity, or there is none, auto soon says so. Within bounds there
// is one.
func TestAutoWithoutAMinimum(t *testing.T) {
	cases := map[string]struct {
		f       func(x []float64) float64
		bounded float64 // the minimum within [-2, 3]³
	}{
		"linear":               {func(x []float64) float64 { return x[0] + 2*x[1] - x[2] }, -9},
		"linear in one":        {func(x []float64) float64 { return x[0] }, -2},
		"linear and quadratic": {func(x []float64) float64 { a, b, c := skew(x); return a + b*b + c*c }, -7.25},
		"cubic":                {func(x []float64) float64 { a, b, c := skew(x); return a*a*a + b*b + c*c }, -725},
		"saddle":               {func(x []float64) float64 { a, b, c := skew(x); return -a*a + b*b + c*c }, -120.75},
		"saddle as given":      {func(x []float64) float64 { return -x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }, -9},
	}
	for _, name := range flags.Sample(slices.Sorted(maps.Keys(cases)), 2) {
		c := cases[name]
		f := objective.Func(3, c.f)
		r, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 100_000})
		if err != nil || r.Status != objective.Unbounded || r.Queries > 3000 || !strings.Contains(r.String(), "it may have no minimum") {
			t.Errorf("%s: %v, %v, error %v", name, r.Status, r, err)
		}
		r, err = untwist.Minimize(ctx, f, untwist.Options{Budget: 100_000, Bounds: objective.Cube(3, -2, 3)})
		if err != nil || r.Status != objective.Converged || math.Abs(r.Value-c.bounded) > 1e-9 {
			t.Errorf("%s within bounds: %v at %v, %v, error %v", name, r.Value, r.Point, r.Status, err)
		}
	}
}

// Functions that are not sums of smooth ridges with a minimum inside.
func TestAutoOddFunctions(t *testing.T) {
	cases := map[string]struct {
		f         func(x []float64) float64
		min, most float64
	}{
		"constant":       {func([]float64) float64 { return 3 }, 3, 500},
		"identical":      {func(x []float64) float64 { a, b, c := skew(x); return well(a) + well(b) + well(c) }, -9, 3000},
		"exponential":    {func(x []float64) float64 { return math.Exp(-x[0]) + x[1]*x[1] + x[2]*x[2] }, 0, 2000},
		"fails in parts": {func(x []float64) float64 { a, b, c := skew(x); return math.Pow(math.Sqrt(1-a)-0.5, 2) + b*b + c*c*c*c }, 0, 60_000},
		"steps":          {func(x []float64) float64 { return math.Floor(math.Abs(x[0])) + math.Abs(x[1]) + x[2]*x[2] }, 0, 5000},
		"kinks":          {func(x []float64) float64 { a, b, c := skew(x); return math.Abs(a) + math.Abs(b) + math.Abs(c) }, 0, 60_000},
		"huge":           {func(x []float64) float64 { a, b, c := skew(x); return 1e250 * (1 + a*a + b*b + c*c*c*c) }, 1e250, 3000},
		"tiny":           {func(x []float64) float64 { a, b, c := skew(x); return 1e-250 * (1 + a*a + b*b + c*c*c*c) }, 1e-250, 3000},
	}
	for _, name := range flags.Sample(slices.Sorted(maps.Keys(cases)), 4) {
		c := cases[name]
		r, err := untwist.Minimize(ctx, objective.Func(3, c.f), untwist.Options{Budget: 60_000})
		if err != nil || r.Value-c.min > 1e-9*max(1, math.Abs(c.min)) || float64(r.Queries) > c.most {
			t.Errorf("%s: %v, want %v; %v, error %v", name, r.Value, c.min, r, err)
		}
	}
}

func well(t float64) float64 { return t*t - 3*math.Cos(3*t) }

// Functions that once misled auto: it missed minima or made wrong claims.
func TestAutoIsNotMisled(t *testing.T) {
	inf := math.Inf(1)
	sq := func(v float64) float64 { return v * v }
	valley := func(x []float64) float64 { return -x[0] + 100*sq(x[2]-x[1]*x[1]) + sq(1-x[1]) }
	skewed := func(g func(y float64) float64) func(x []float64) float64 {
		return func(x []float64) float64 { a, b, c := skew(x); return g(a) + g(b) + g(c) }
	}
	cases := map[string]struct {
		f    func(x []float64) float64
		o    untwist.Options
		want float64
	}{
		"a first covariance that is singular": {func(x []float64) float64 {
			y0 := .9512278964969396*x[0] + .09888851296621615*x[1] - .2930663971094426*x[2]
			y1 := .03457570245000535*x[0] + 1.3324706043382846*x[1] + .15510235766387445*x[2]
			return math.Cosh(y0) + math.Cosh(y1) - 2
		}, untwist.Options{}, 0},
		"a linear coordinate and a valley": {valley, untwist.Options{Bounds: cube(-3.3, 1.7)}, -1.7},
		"failing in the middle of the bounds": {func(x []float64) float64 {
			if math.Abs(x[0]) < 0.05 {
				return math.NaN()
			}
			return math.Cosh(x[0]-1) + math.Cosh(x[1]-1) + x[2]*x[2]
		}, untwist.Options{Bounds: cube(-2, 2)}, 2},
		"a known point far from the start box": {skewed(func(y float64) float64 { return math.Cosh((y - 50) / 40) }),
			untwist.Options{Start: cube(-1, 1), Bounds: cube(-1, 100), Points: [][]float64{{100, 50, 20}}, Budget: 20_000}, 3},
		"plateaus":             {func(x []float64) float64 { return sq(max(0, x[0])) + sq(x[1]) + sq(max(0, -x[2])) }, untwist.Options{}, 0},
		"a narrow start box":   {skewed(func(y float64) float64 { return math.Cosh(y) - 1 }), untwist.Options{Start: cube(1, 1.001), Budget: 60_000}, 0},
		"half-infinite bounds": {skewed(func(y float64) float64 { return sq(y-1) * (2 + math.Cos(y)) }), untwist.Options{Start: cube(-1, 2), Bounds: cube(-1, inf), Budget: 20_000}, 0},
		"-Inf in a region": {func(x []float64) float64 {
			if x[0] < -3 {
				return math.Inf(-1)
			}
			return math.Cosh(x[0]) + math.Cosh(x[1]) + math.Cosh(x[2])
		}, untwist.Options{}, math.Inf(-1)},
		"steps within bounds": {func(x []float64) float64 { return math.Floor(2*x[0]) + math.Floor(2*x[1]) + math.Floor(2*x[2]) },
			untwist.Options{Bounds: cube(-2, 2)}, -12},
	}
	for _, name := range flags.Sample(slices.Sorted(maps.Keys(cases)), 4) {
		c := cases[name]
		r, err := untwist.Minimize(ctx, objective.Func(3, c.f), c.o)
		if err != nil || r.Value > c.want+1e-8 || r.Status == objective.Unbounded {
			t.Errorf("%s: %v, want %v; %v, %v, error %v", name, r.Value, c.want, r.Status, r, err)
		}
		for _, p := range r.Profiles {
			if slices.ContainsFunc(p.Value, math.IsNaN) || p.Wells[0].Value != 0 {
				t.Errorf("%s: a profile %v with wells %v", name, p.Value, p.Wells)
			}
		}
	}
}

// Searching a model ends with the context.
func TestAutoModelEndsWithTheContext(t *testing.T) {
	bounds := objective.Cube(12, -1, 1)
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 12, Mix: "orthogonal", Bounds: &bounds})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := untwist.Minimize(ctx, p, untwist.Options{Bounds: bounds, Progress: func(p untwist.Progress) {
		if p.Stage == "lines" {
			cancel()
		}
	}})
	if err != nil || r.Status != objective.Cancelled || r.Queries > 6000 {
		t.Errorf("%v, %v, error %v", r.Status, r, err)
	}
}

func cube(lo, hi float64) untwist.Box { return objective.Cube(3, lo, hi) }
