package grains_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// measured returns the grain of f over a box, and how many queries that took.
func measured(t interface{ Fatal(...any) }, f objective.Objective, box objective.Box, seed uint64) (objective.Grain, int) {
	m := query.NewMeter(f, 1000)
	g, err := grains.Measure(context.Background(), m, box, rng.Seed(seed).Stream("grain"))
	if err != nil {
		t.Fatal(err)
	}
	return g, m.Queries()
}

func drawn(t interface{ Fatal(...any) }, s problem.Spec) *problem.Problem {
	p, err := problem.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// No function of the catalogue has noise: 14 queries say so, 34 where one is rough on all scales,
// 260 where values are whole numbers.
func TestExactFunctionsHaveNoGrain(t *testing.T) {
	var names []string
	for _, suite := range problem.Suites() {
		some, err := problem.Suite(suite)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, some...)
	}
	for _, name := range names {
		for _, d := range []int{2, 10, 40} {
			for seed := range uint64(3) {
				p := drawn(t, problem.Spec{Name: name, Dim: d, Seed: seed})
				if g, n := measured(t, p, p.Domain(), seed); g != objective.Rounding || n > 260 {
					t.Errorf("%v: %+v after %d queries", p, g, n)
				}
			}
		}
	}
}

// Random noise is measured to a factor of two, whatever f and σ are.
func TestGrainOfRandomNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"rastrigin", "levy", "rosenbrock", "ackley", "squared-norm"}).Draw(t, "problem")
		d := rapid.IntRange(1, 40).Draw(t, "d")
		seed := rapid.Uint64().Draw(t, "seed")
		s := math.Pow(10, rapid.Float64Range(-8, 0).Draw(t, "log S"))
		clean := drawn(t, problem.Spec{Name: name, Dim: d, Seed: seed})
		p := drawn(t, problem.Spec{Name: name, Dim: d, Seed: seed, Blemishes: problem.Blemishes{Noise: s}})
		g, _ := measured(t, p, p.Domain(), seed)
		sigma := s * deviationOf(t, clean, seed)
		if at := valueIn(t, clean, seed); g.Kind != objective.RandomNoise || !(g.Of(at) > sigma/2.2 && g.Of(at) < 2.2*sigma) {
			t.Fatalf("%+v, the noise is %v", g, sigma)
		}
	})
}

// valuesIn returns values of f at points of its domain.
func valuesIn(t interface{ Fatal(...any) }, p *problem.Problem, seed uint64, n int) []float64 {
	stream, points, values := rng.Seed(seed).Stream("test"), mat.NewDense(n, p.Dim(), nil), make([]float64, n)
	for i := range n {
		p.Domain().Draw(points.RawRowView(i), stream)
	}
	if err := p.Clean(context.Background(), points, values); err != nil {
		t.Fatal(err)
	}
	return values
}

func valueIn(t interface{ Fatal(...any) }, p *problem.Problem, seed uint64) float64 {
	return valuesIn(t, p, seed, 1)[0]
}

// deviationOf returns the standard deviation of f over its domain.
func deviationOf(t interface{ Fatal(...any) }, p *problem.Problem, seed uint64) float64 {
	sum, squares, n := 0.0, 0.0, 2000
	for _, v := range valuesIn(t, p, seed, n) {
		sum, squares = sum+v, squares+v*v
	}
	mean := sum / float64(n)
	return math.Sqrt(squares/float64(n) - mean*mean)
}

// Noise in proportion to f is measured where f is asked, and known to be so where f varies
// much.
func TestGrainOfRelativeNoise(t *testing.T) {
	relative := 0
	for seed := range uint64(20) {
		for _, s := range []float64{1e-8, 1e-5, 1e-2} {
			p := drawn(t, problem.Spec{Name: "rastrigin", Dim: 20, Seed: seed, Blemishes: problem.Blemishes{NoiseRelative: s}})
			at := valueIn(t, p, seed)
			g, _ := measured(t, p, p.Domain(), seed)
			if g.Kind != objective.RandomNoise || !(g.Of(at) > s*at/4 && g.Of(at) < 4*s*at) {
				t.Errorf("seed %d: %+v, the noise is %v", seed, g, s*at)
			}
			if g.Absolute == 0 {
				relative++
			}
			stream := rng.Seed(seed).Stream("noise")
			wide := objective.Func(2, func(x []float64) float64 {
				return math.Exp(9*x[0]+x[1]) * (1 + s*stream.NormFloat64())
			})
			if g, _ := measured(t, wide, objective.Cube(2, -1, 1), seed); g.Kind != objective.RandomNoise || !(g.Relative > s/2 && g.Relative < 2*s) || g.Absolute != 0 {
				t.Errorf("seed %d: %+v, the noise is %v", seed, g, s)
			}
		}
	}
	if relative < 50 {
		t.Errorf("noise of %d of 60 sums of twenty waves was seen to grow with f, want 50", relative)
	}
}

// Printed numbers lie on the raster of their digits.
func TestGrainOfPrintedNumbers(t *testing.T) {
	for _, name := range []string{"rastrigin", "rosenbrock", "ackley", "ellipsoid"} {
		for _, digits := range []int{3, 4, 6, 8} {
			for seed := range uint64(10) {
				p := drawn(t, problem.Spec{Name: name, Dim: 20, Seed: seed, Blemishes: problem.Blemishes{Digits: digits}})
				if g, n := measured(t, p, p.Domain(), seed); g.Kind != objective.Raster || g.Digits != digits || n != 14 && n != 260 {
					t.Errorf("%s, %d digits: %+v after %d queries", name, digits, g, n)
				}
			}
		}
	}
	known := 0 // that the decimals are fixed; the values may be too similar to tell
	for seed := range uint64(10) {
		p := drawn(t, problem.Spec{Name: "rastrigin", Dim: 2, Seed: seed})
		one := func(format func(v float64) float64) objective.Grain {
			f := objective.Batch(2, func(points *mat.Dense, values []float64) {
				if err := p.Evaluate(context.Background(), points, values); err != nil {
					t.Fatal(err)
				}
				for i, v := range values {
					values[i] = format(v)
				}
			})
			g, _ := measured(t, f, p.Domain(), seed)
			return g
		}
		decimals := func(v float64) float64 {
			v, _ = strconv.ParseFloat(fmt.Sprintf("%.3f", math.Exp(v/10)), 64)
			return v
		}
		switch g := one(decimals); {
		case g.Kind != objective.Raster:
			t.Errorf("three decimals: %+v", g)
		case math.Abs(g.Absolute-1e-3/math.Sqrt(12)) < 1e-9:
			known++
		}
		if g := one(func(v float64) float64 { return float64(float32(v)) }); g.Kind != objective.SinglePrecision || !(g.Of(32) > 0x1p-21 && g.Of(32) < 0x1p-18) {
			t.Errorf("rounded to single precision: %+v", g)
		}
		if g := one(func(v float64) float64 { return math.Round(9 * v) }); g.Kind != objective.Raster || g.Of(500) < 0.1 {
			t.Errorf("rounded to whole numbers: %+v", g)
		}
	}
	if known < 8 {
		t.Errorf("three decimals are known in %d of 10", known)
	}
}

// Values that jump from point to point, and are the same when asked again, are noisy; those
// of a function that is rough on all scales are not.
func TestGrainOfJumps(t *testing.T) {
	for seed := range uint64(50) {
		for _, sigma := range []float64{1e-10, 1e-6, 1e-2} {
			f := objective.Func(3, func(x []float64) float64 {
				hash := math.Float64bits(x[0])*0x9e3779b97f4a7c15 ^ math.Float64bits(x[2])
				return math.Exp(x[0]) + x[1]*x[2] + sigma*rng.Seed(hash).Stream("jump").NormFloat64()
			})
			g, n := measured(t, f, objective.Cube(3, -2, 2), seed)
			if g.Kind != objective.DeterministicNoise || !(g.Of(1) > sigma/3 && g.Of(1) < 3*sigma) || n != 34 {
				t.Errorf("seed %d: %+v after %d queries, the noise is %v", seed, g, n, sigma)
			}
		}
		rough := objective.Func(1, func(x []float64) float64 {
			sum := 0.0
			for k := range 40 {
				sum += math.Ldexp(math.Abs(math.Ldexp(x[0], k)-math.Round(math.Ldexp(x[0], k))), -k)
			}
			return sum
		})
		if g, _ := measured(t, rough, objective.Cube(1, -2, 2), seed); g != objective.Rounding {
			t.Errorf("rough on all scales: %+v", g)
		}
	}
}

// The grain knows no unit: that of a·f is a times that of f, for any power of two, however large
// or small.
func TestGrainKnowsNoUnit(t *testing.T) {
	for _, sigma := range []float64{0, 1e-3} {
		var of []objective.Grain
		for _, power := range []int{0, 40, 900, -900} {
			noise := rng.Seed(1).Stream("noise")
			f := objective.Func(3, func(x []float64) float64 {
				return math.Ldexp(math.Exp(x[0])+x[1]*x[2]+sigma*noise.NormFloat64(), power)
			})
			g, _ := measured(t, f, objective.Cube(3, -2, 2), 7)
			of = append(of, g.Scaled(math.Ldexp(1, -power)))
		}
		for _, g := range of {
			if g != of[0] || sigma == 0 && g != objective.Rounding {
				t.Errorf("σ = %v: %+v, want %+v", sigma, g, of[0])
			}
		}
	}
}

// Where f fails another point is tried; the end of a budget is passed on.
func TestGrainWhereFFails(t *testing.T) {
	p := drawn(t, problem.Spec{Name: "rastrigin", Dim: 5, Blemishes: problem.Blemishes{Failing: 0.2, Noise: 1e-3}})
	for seed := range uint64(20) {
		if g, _ := measured(t, p, p.Domain(), seed); g.Kind != objective.RandomNoise {
			t.Errorf("seed %d: %+v", seed, g)
		}
	}
	random := rng.Seed(3).Stream("crashes") // by chance, wherever it is asked
	crashing := objective.Func(2, func(x []float64) float64 {
		if random.Float64() < 0.3 {
			return math.NaN()
		}
		return x[0] + float64(0.01*random.NormFloat64())
	})
	for seed := range uint64(20) {
		if g, _ := measured(t, crashing, objective.Cube(2, -1, 1), seed); g.Kind != objective.RandomNoise || g.Of(1) < 0.005 || g.Of(1) > 0.02 {
			t.Errorf("with crashes, seed %d: %+v", seed, g)
		}
	}
	nowhere := objective.Func(2, func([]float64) float64 { return math.NaN() })
	if g, n := measured(t, nowhere, objective.Cube(2, -1, 1), 1); g != objective.Rounding || n != 8*14 {
		t.Errorf("%+v after %d queries", g, n)
	}
	for budget := range 40 {
		g, err := grains.Measure(context.Background(), query.NewMeter(p, budget), p.Domain(), rng.Seed(1).Stream("grain"))
		if err == nil || g != objective.Rounding {
			t.Errorf("a budget of %d: %+v, error %v", budget, g, err)
		}
	}
}

// By hand: of 123.456 with four digits the last stands for 0.1, whatever f is multiplied by
// afterwards; and noise is in a value once.
func TestGrainOfDigitsByHand(t *testing.T) {
	g := objective.Grain{Digits: 4, Kind: objective.Raster}
	sigma := 0.1 / math.Sqrt(12)
	if got := g.Of(-123.4); math.Abs(got-sigma) > 1e-15 || g.Of(0) != 0 {
		t.Errorf("%v, want %v", got, sigma)
	}
	for k := -290; k < 300; k++ { // a logarithm may be rounded down
		if got, want := g.Of(math.Pow10(k)), math.Pow10(k-3)/math.Sqrt(12); math.Abs(got-want) > 1e-12*want {
			t.Errorf("1e%d: %v, want %v", k, got, want)
		}
	}
	if got := g.Scaled(8).Scaled(4).Of(-123.4 * 32); math.Abs(got-32*sigma) > 1e-13 {
		t.Errorf("scaled: %v, want %v", got, 32*sigma)
	}
	if got := g.Times(grains.OfSum, 123.4); math.Abs(got-grains.OfMixed*sigma) > 1e-13 {
		t.Errorf("of a sum: %v", got)
	}
	if got := objective.Rounding.Times(grains.OfSum, 2); got != 512*0x1p-52 {
		t.Errorf("rounding of a sum: %v", got)
	}
	if objective.NoNoise.String() != "none" || objective.Raster.String() != "raster" {
		t.Errorf("%v, %v", objective.NoNoise, objective.Raster)
	}
}
