package hessian_test

import (
	"errors"
	"math"
	"testing"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// At the chosen step a Hessian is at most ten times as wrong as at the best of
// all scales, for functions of very different size, smoothness and noise.
func TestStepIsNearTheBest(t *testing.T) {
	noise := rng.Seed(1).Stream("noise")
	for name, f := range map[string]func(x []float64) float64{
		"wavy":       wavy,
		"huge":       func(x []float64) float64 { return 1e9 * wavy(x) },
		"offset":     func(x []float64) float64 { return 1e6 + wavy(x) },
		"fast waves": func(x []float64) float64 { return math.Cos(20*x[0]+3*x[1]) + math.Sin(30*x[2]) },
		"noisy":      func(x []float64) float64 { return wavy(x) + 1e-8*noise.NormFloat64() },
	} {
		for _, s := range stencils {
			x, r := []float64{0.3, -0.2, 0.5}, rng.Seed(2).Stream("test")
			o := objective.Func(3, f)
			step, err := s.Step(ctx, o, stacked(3, x), dense(r, 3, 3), 0, objective.Rounding)
			if err != nil {
				t.Fatal(err)
			}
			smooth := f
			if name == "noisy" {
				smooth = wavy
			}
			exact := richardson(t, smooth, x)
			wrong := func(step float64) float64 {
				var diff mat.Dense
				diff.Sub(must(t, s, o, x, nil, step).Hessian, exact)
				return mat.Norm(&diff, 2)
			}
			best := math.Inf(1)
			for k := -20; k <= 0; k++ {
				best = min(best, wrong(math.Pow(10, float64(k)/4)))
			}
			if got := wrong(step); !(got <= 10*best) {
				t.Errorf("%s, %s: step %.1e is wrong by %.1e, the best by %.1e", name, s.Name, step, got, best)
			}
		}
	}
}

// With noise that is known a Hessian is at most ten times as wrong as at the best of all scales.
func TestStepForNoise(t *testing.T) {
	for name, f := range map[string]func(x []float64) float64{"wavy": wavy} {
		for _, sigma := range []float64{1e-8, 1e-5, 1e-3} {
			noise := rng.Seed(4).Stream("noise")
			o := objective.Func(3, func(x []float64) float64 { return f(x) + sigma*noise.NormFloat64() })
			x, r := []float64{0.3, -0.2, 0.5}, rng.Seed(2).Stream("test")
			grain := objective.Grain{Absolute: sigma, Kind: objective.RandomNoise}
			step, err := hessian.Symmetric.Step(ctx, o, stacked(8, x), dense(r, 8, 3), 0, grain)
			if err != nil {
				t.Fatal(err)
			}
			exact := richardson(t, f, x)
			wrong := func(step float64) float64 {
				sum := 0.0
				for range 5 {
					var diff mat.Dense
					diff.Sub(must(t, hessian.Symmetric, o, x, nil, step).Hessian, exact)
					sum += mat.Norm(&diff, 2)
				}
				return sum / 5
			}
			best := math.Inf(1)
			for k := -16; k <= 0; k++ {
				best = min(best, wrong(math.Pow(10, float64(k)/4)))
			}
			if got := wrong(step); !(got <= 10*best) {
				t.Errorf("%s, σ = %g: step %.1e is wrong by %.1e, the best by %.1e", name, sigma, step, got, best)
			}
		}
	}
	nowhere := objective.Func(3, func([]float64) float64 { return math.Inf(1) })
	grain := objective.Grain{Absolute: 1, Kind: objective.RandomNoise}
	if _, err := hessian.Symmetric.Step(ctx, nowhere, stacked(1, make([]float64, 3)), stacked(1, make([]float64, 3)), 0, grain); !errors.Is(err, hessian.ErrNoStep) {
		t.Errorf("error %v", err)
	}
}

// stacked returns n rows x.
func stacked(n int, x []float64) *mat.Dense {
	m := mat.NewDense(n, len(x), nil)
	for i := range n {
		m.SetRow(i, x)
	}
	return m
}

// richardson returns a Hessian of a smooth function to eight digits or so.
func richardson(t *testing.T, f func(x []float64) float64, x []float64) *mat.Dense {
	at := func(step float64) *mat.Dense {
		return must(t, hessian.Symmetric, objective.Func(len(x), f), x, nil, step).Hessian
	}
	// (4D(h/2) − D(h))/3, twice.
	extrapolate := func(fine, coarse *mat.Dense, order float64) *mat.Dense {
		var out mat.Dense
		fine.Scale(order, fine)
		out.Sub(fine, coarse)
		out.Scale(1/(order-1), &out)
		return &out
	}
	const h = 4e-3
	return extrapolate(extrapolate(at(h/4), at(h/2), 4), extrapolate(at(h/2), at(h), 4), 16)
}

func TestStepKeepsItsLimits(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "squared-norm", Dim: 4})
	if err != nil {
		t.Fatal(err)
	}
	r := rng.Seed(3).Stream("test")
	furthest := 0.0
	f := objective.Batch(4, func(points *mat.Dense, values []float64) {
		for i := range values {
			furthest = max(furthest, mat.Norm(points.RowView(i), math.Inf(1)))
		}
		if err := p.Evaluate(ctx, points, values); err != nil {
			panic(err)
		}
	})
	direction := mat.NewDense(1, 4, []float64{1, 0, 0, 0})
	step, err := hessian.Symmetric.Step(ctx, f, stacked(1, make([]float64, 4)), direction, 0.01, objective.Rounding)
	if err != nil || !(step <= 0.01) || !(furthest <= 0.01) {
		t.Errorf("step %v, error %v, asked as far as %v", step, err, furthest)
	}
	// On each line f(x) once and 18 scales of two points, in one batch.
	batches := 0
	counting := objective.Batch(4, func(_ *mat.Dense, values []float64) {
		batches++
		if len(values) != 2*(1+18*2) {
			t.Errorf("a batch of %d points", len(values))
		}
	})
	if _, err := hessian.Symmetric.Step(ctx, counting, stacked(2, make([]float64, 4)), dense(r, 2, 4), 0, objective.Rounding); err != nil || batches != 1 {
		t.Errorf("%d batches, error %v", batches, err)
	}
	if _, err := hessian.Symmetric.Step(ctx, query.NewMeter(f, 3), stacked(2, make([]float64, 4)), dense(r, 2, 4), 0, objective.Rounding); !errors.Is(err, objective.ErrBudget) {
		t.Errorf("error %v", err)
	}
	nowhere := objective.Func(4, func([]float64) float64 { return math.Inf(1) })
	if _, err := hessian.Symmetric.Step(ctx, nowhere, stacked(1, make([]float64, 4)), direction, 0, objective.Rounding); !errors.Is(err, hessian.ErrNoStep) {
		t.Errorf("error %v", err)
	}
}
