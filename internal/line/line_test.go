package line

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/untwist/untwist/internal/query"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

var ctx = context.Background()

func eye(d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	for i := range d {
		m.Set(i, i, 1)
	}
	return m
}

// everywhere is a range without limits.
func everywhere(lo, hi, step float64) Range {
	return Range{Lo: lo, Hi: hi, Step: step, Least: math.Inf(-1), Most: math.Inf(1)}
}

// Brent's method alone, on functions with known minima, and with few queries.
func TestBrent(t *testing.T) {
	for name, c := range map[string]struct {
		f          func(float64) float64
		a, x, b    float64
		want, most float64
	}{
		"parabola": {func(t float64) float64 { return (t - 0.3) * (t - 0.3) }, -1, 0, 1, 0.3, 6},
		"quartic":  {func(t float64) float64 { return math.Pow(t-0.3, 4) }, -1, 0, 1, 0.3, 40},
		"cosine":   {math.Cos, 2, 3, 4, math.Pi, 25},
		"kink":     {func(t float64) float64 { return math.Abs(t - 0.1) }, -1, 0, 1, 0.1, 45},
		"wall":     {func(t float64) float64 { return t + math.Log(1/max(t, 0)) }, -0.5, 2, 3, 1, 45},
	} {
		s := newBrent(sample{c.a, c.f(c.a)}, sample{c.x, c.f(c.x)}, sample{c.b, c.f(c.b)}, 1e-6)
		n := 0.0
		for {
			u, more := s.next()
			if !more {
				break
			}
			if u < c.a || u > c.b {
				t.Fatalf("%s: it looks at %v", name, u)
			}
			s.tell(c.f(u))
			n++
		}
		tolerance := 1e-5
		if name == "quartic" {
			tolerance = 1e-3
		}
		if math.Abs(s.x-c.want) > tolerance || n > c.most {
			t.Errorf("%s: %v after %v queries, want %v", name, s.x, n, c.want)
		}
	}
}

// Every line finds its own global minimum among many wells, all in the same
// batches.
func TestGlobalMinimaOfManyLines(t *testing.T) {
	shift := []float64{0.3, -1.7, 2.2, 0}
	batches := 0
	f := objective.Batch(4, func(points *mat.Dense, values []float64) {
		batches++
		for i := range values {
			values[i] = 0
			for j, b := range shift {
				z := points.At(i, j) - b
				values[i] += z*z - 10*math.Cos(2*math.Pi*z)
			}
		}
	})
	x := []float64{1, 1, 1, 1}
	v := []float64{0}
	if err := f.Evaluate(ctx, mat.NewDense(1, 4, x), v); err != nil {
		t.Fatal(err)
	}
	ranges := slices.Repeat([]Range{everywhere(-6, 6, 0.25)}, 4)
	profiles, err := Minimize(ctx, f, x, v[0], eye(4), ranges, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for j, p := range profiles {
		if got := x[j] + p.Wells[0].Y; math.Abs(got-shift[j]) > 1e-3 || p.Open {
			t.Errorf("line %d: %v, want %v, open %v", j, got, shift[j], p.Open)
		}
		if len(p.Wells) < 3 || !slices.IsSorted(p.Y) || p.Wells[1].Value < p.Wells[0].Value {
			t.Errorf("line %d: wells %v", j, p.Wells)
		}
	}
	if batches > 25 {
		t.Errorf("%d batches", batches)
	}
}

// A minimum outside the range is followed, to a limit; one at infinity leaves the
// line open.
func TestRangesAreWidened(t *testing.T) {
	f := objective.Func(3, func(x []float64) float64 { return math.Pow(x[0]-300, 2) - x[1] + math.Pow(x[2]+50, 2) })
	limited := everywhere(-1, 1, 0.5)
	limited.Least = -20
	profiles, err := Minimize(ctx, f, make([]float64, 3), 90_000+2500, eye(3), []Range{everywhere(-1, 1, 0.5), everywhere(-1, 1, 0.5), limited}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	if got := profiles[0].Wells[0].Y; math.Abs(got-300) > 1e-2 || profiles[0].Open {
		t.Errorf("%v, open %v", got, profiles[0].Open)
	}
	if !profiles[1].Open || profiles[1].Wells[0].Y < 1e5 {
		t.Errorf("%v, open %v", profiles[1].Wells[0], profiles[1].Open)
	}
	if got := profiles[2].Wells[0].Y; got != -20 {
		t.Errorf("%v, want the limit", got)
	}
}

// Values that are not finite are walls; a spent budget ends it.
func TestBadValues(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 {
		if x[0] < 0.2 {
			return math.NaN()
		}
		return (x[0] - 0.5) * (x[0] - 0.5)
	})
	profiles, err := Minimize(ctx, f, []float64{1}, 0.25, eye(1), []Range{everywhere(-2, 2, 0.3)}, Config{})
	if err != nil || math.Abs(1+profiles[0].Wells[0].Y-0.5) > 1e-3 {
		t.Errorf("%v, error %v", profiles, err)
	}
	if _, err := Minimize(ctx, query.NewMeter(f, 5), []float64{1}, 0.25, eye(1), []Range{everywhere(-2, 2, 0.3)}, Config{}); !errors.Is(err, objective.ErrBudget) {
		t.Errorf("error %v", err)
	}
}

// The lowest point of a parabola through three of its points.
func TestVertex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, depth, bend := rapid.Float64Range(-3, 3).Draw(t, "at"), rapid.Float64Range(-5, 5).Draw(t, "depth"), rapid.Float64Range(0.1, 9).Draw(t, "bend")
		p := func(x float64) sample { return sample{x, depth + bend*(x-at)*(x-at)} }
		left, right := rapid.Float64Range(0.1, 2).Draw(t, "left"), rapid.Float64Range(0.1, 2).Draw(t, "right")
		got := vertex(p(at-left), p(at+(right-left)/3), p(at+right))
		if math.Abs(got.t-at) > 1e-6 || math.Abs(got.value-depth) > 1e-6 {
			t.Fatalf("%v, want %v at %v", got, depth, at)
		}
	})
	if got := vertex(sample{0, 1}, sample{1, 1}, sample{2, 1}); got != (sample{1, 1}) {
		t.Errorf("of three equal ones %v", got)
	}
	if got := vertex(sample{0, math.Inf(1)}, sample{1, 1}, sample{2, 3}); got != (sample{1, 1}) {
		t.Errorf("beside a failure %v", got)
	}
}

// Bad ranges are refused before a query is asked; a range without room stays as it is, and one of no width is a point.
func TestBadRanges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := Range{Lo: -1, Hi: 1, Step: 0.1, Least: -1, Most: 1}
	for _, r := range []Range{
		{}, {Lo: -1, Hi: 1, Step: nan, Least: -1, Most: 1}, {Lo: 1, Hi: -1, Step: 1, Least: -1, Most: 1}, {Lo: -inf, Hi: 1, Step: 1, Least: -inf, Most: inf},
		{Lo: -1, Hi: 1, Step: 1, Most: inf}, {Lo: -1, Hi: 1, Step: 1, Least: -inf},
	} {
		queries := 0
		f := objective.Func(2, func([]float64) float64 { queries++; return 0 })
		if _, err := Minimize(ctx, f, make([]float64, 2), 0, eye(2), []Range{good, r}, Config{}); err == nil || queries > 0 {
			t.Errorf("%+v: error %v after %d queries", r, err, queries)
		}
	}
	f := objective.Func(2, func(x []float64) float64 { return -x[0] + x[1] })
	profiles, err := Minimize(ctx, f, []float64{1, 1}, 0, eye(2), []Range{good, {Step: 1}}, Config{})
	if err != nil || profiles[0].Wells[0].Y != 1 || profiles[0].Open || profiles[1].Wells[0].Y != 0 || profiles[1].Component != 1 {
		t.Errorf("%+v, error %v", profiles, err)
	}
}

func TestMisuse(t *testing.T) {
	f := objective.Func(2, func([]float64) float64 { return 0 })
	for name, misuse := range map[string]func(){
		"a range too few": func() { _, _ = Minimize(ctx, f, make([]float64, 2), 0, eye(2), make([]Range, 1), Config{}) },
		"a long x":        func() { _, _ = Minimize(ctx, f, make([]float64, 3), 0, eye(2), make([]Range, 2), Config{}) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), "give each range its direction") {
					t.Errorf("%s: %v", name, r)
				}
			}()
			misuse()
		}()
	}
}

// A grid that has a point in x, where f is known, to rounding: the well beside it is found.
func TestAGridThroughX(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 {
		return x[0]*x[0] - 10*math.Cos(2*math.Pi*(x[0]+0.11))
	})
	at0 := -10 * math.Cos(2*math.Pi*0.11)
	for _, off := range []float64{0, 1e-17, -1e-17} {
		profiles, err := Minimize(ctx, f, []float64{0}, at0, eye(1), []Range{everywhere(-3+off, 3+off, 0.3)}, Config{})
		if err != nil || math.Abs(profiles[0].Wells[0].Y+0.11) > 0.01 {
			t.Errorf("%v: wells %v, error %v", off, profiles[0].Wells, err)
		}
	}
}

// Whoever ends early has the point where the lowest points of coarse grids meet: with half of what all grids take f has
// come three quarters of the way down.
func TestCoarseGridsMeetFirst(t *testing.T) {
	const d = 8
	f := func(x []float64) float64 {
		sum := 0.0
		for j, v := range x {
			v -= float64(j%5) - 2.2
			sum += v*v + 1 - math.Cos(2*math.Pi*v)
		}
		return sum
	}
	ranges := slices.Repeat([]Range{everywhere(-4, 4, 0.1)}, d)
	best, from := math.Inf(1), f(make([]float64, d))
	early := query.NewMeter(objective.Func(d, func(x []float64) float64 {
		best = min(best, f(x))
		return f(x)
	}), d*40)
	_, err := Minimize(ctx, early, make([]float64, d), from, eye(d), ranges, Config{Meet: objective.Cube(d, -4, 4)})
	if !errors.Is(err, objective.ErrBudget) || best > from/4 {
		t.Errorf("%v, from %v; error %v", best, from, err)
	}
}
