package hessian_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

var (
	ctx      = context.Background()
	stencils = []hessian.Stencil{hessian.FourPoint, hessian.Symmetric}
)

func must(t testing.TB, s hessian.Stencil, f objective.Objective, x []float64, u *mat.Dense, step float64) hessian.Estimate {
	t.Helper()
	e, err := s.At(ctx, f, x, u, step)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// counted counts the queries of f.
func counted(d int, f func(x []float64) float64) (objective.Objective, *int) {
	n := new(int)
	return objective.Func(d, func(x []float64) float64 { *n++; return f(x) }), n
}

func dense(r *rng.Stream, rows, cols int) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	r.Norm(m.RawMatrix().Data)
	return m
}

// naive is the formula as it stands, one entry at a time.
func naive(s hessian.Stencil, f func(x []float64) float64, x []float64, u *mat.Dense, step float64) *mat.Dense {
	m, d := u.Dims()
	at := func(i, j int, t hessian.Term) float64 {
		p := make([]float64, d)
		for k := range p {
			p[k] = x[k] + step*(t.A*u.At(i, k)+t.B*u.At(j, k))
		}
		return f(p)
	}
	h := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			terms := s.Pair
			if i == j {
				terms = s.Diagonal
			}
			sum := 0.0
			for _, t := range terms {
				sum += t.Weight * at(i, j, t)
			}
			h.Set(i, j, sum/(step*step))
		}
	}
	return h
}

// f(x, y) = x² + 3xy at (1, 2) along the coordinates, ε = ½: H = (2 3; 3 0).
func TestByHand(t *testing.T) {
	f := objective.Func(2, func(x []float64) float64 { return x[0]*x[0] + 3*x[0]*x[1] })
	for _, s := range stencils {
		e := must(t, s, f, []float64{1, 2}, nil, 0.5)
		if !mat.Equal(e.Hessian, mat.NewDense(2, 2, []float64{2, 3, 3, 0})) {
			t.Errorf("%s: %+v, %v", s.Name, e, mat.Formatted(e.Hessian))
		}
	}
}

func TestQueriesAreWhatTheStencilSays(t *testing.T) {
	for m, want := range map[int][2]int{1: {4, 3}, 2: {12, 7}, 7: {112, 57}, 100: {20_200, 10_101}} {
		for k, s := range stencils {
			f, n := counted(m, func(x []float64) float64 { return x[0] })
			must(t, s, f, make([]float64, m), nil, 0.1)
			if *n != want[k] || s.Queries(m) != want[k] {
				t.Errorf("%s asks %d queries along %d directions and says %d, want %d", s.Name, *n, m, s.Queries(m), want[k])
			}
		}
	}
}

// On quadratics every stencil is exact, to rounding, whatever the step, the
// point and the directions.
func TestExactOnQuadratics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 6).Draw(t, "d")
		m := rapid.IntRange(1, d).Draw(t, "m")
		step := math.Pow(10, rapid.Float64Range(-1, 1).Draw(t, "log step"))
		r := rng.Seed(rapid.Uint64().Draw(t, "seed")).Stream("test")
		a, u := dense(r, d, d), dense(r, m, d)
		var h, want mat.Dense
		h.Add(a, a.T())
		b, x := make([]float64, d), make([]float64, d)
		r.Norm(b)
		r.Norm(x)
		f := objective.Func(d, func(x []float64) float64 {
			v := mat.NewVecDense(d, x)
			return mat.Inner(v, &h, v)/2 + mat.Dot(mat.NewVecDense(d, b), v)
		})
		want.Product(u, &h, u.T())
		for _, s := range stencils {
			e := must2(t, s, f, x, u, step)
			tolerance := 1e-12 * (1 + 1/(step*step)) * (1 + mat.Norm(&want, 2)) * float64(100)
			if !mat.EqualApprox(e.Hessian, &want, tolerance) {
				t.Fatalf("%s: H =\n%v\nwant\n%v", s.Name, mat.Formatted(e.Hessian), mat.Formatted(&want))
			}
		}
	})
}

func must2(t *rapid.T, s hessian.Stencil, f objective.Objective, x []float64, u *mat.Dense, step float64) hessian.Estimate {
	e, err := s.At(ctx, f, x, u, step)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wavy is smooth and neither separable nor a polynomial.
func wavy(x []float64) float64 {
	sum, product := 0.0, 1.0
	for k, v := range x {
		sum += math.Sin(v + float64(k))
		product *= math.Exp(v / 4)
	}
	return sum*sum + product
}

func TestAgainstTheFormula(t *testing.T) {
	r := rng.Seed(1).Stream("test")
	for _, s := range stencils {
		x, u := make([]float64, 5), dense(r, 4, 5)
		r.Norm(x)
		e := must(t, s, objective.Func(5, wavy), x, u, 0.05)
		if want := naive(s, wavy, x, u, 0.05); !mat.EqualApprox(e.Hessian, want, 1e-10) {
			t.Errorf("%s:\n%v\nwant\n%v", s.Name, mat.Formatted(e.Hessian), mat.Formatted(want))
		}
	}
}

// Halving ε quarters the error.
func TestOrder(t *testing.T) {
	x := []float64{0.3, -0.2, 0.5}
	exact := must(t, hessian.FourPoint, objective.Func(3, wavy), x, nil, 1e-4).Hessian
	for _, s := range stencils {
		const want = 4
		var errors [2]float64
		for i, step := range []float64{0.04, 0.02} {
			var diff mat.Dense
			diff.Sub(must(t, s, objective.Func(3, wavy), x, nil, step).Hessian, exact)
			errors[i] = mat.Norm(&diff, 2)
		}
		if ratio := errors[0] / errors[1]; math.Abs(ratio-want) > 0.1*want {
			t.Errorf("%s: errors %.3g, ratio %.3g, want %d", s.Name, errors, ratio, want)
		}
	}
}

// A value that is not finite does not pass as a derivative; the
// entries that it has no part in are right.
func TestFailedValues(t *testing.T) {
	for _, s := range stencils {
		f := objective.Func(3, func(x []float64) float64 {
			if x[2] != 0 && x[0] > 0 {
				return math.Inf(1)
			}
			return x[0]*x[0] + x[1]*x[2]
		})
		e := must(t, s, f, make([]float64, 3), nil, 0.1)
		if e.Missing == 0 || !(math.IsInf(e.Hessian.At(0, 2), 0) || math.IsNaN(e.Hessian.At(0, 2))) {
			t.Errorf("%s: %d missing, H_02 = %v", s.Name, e.Missing, e.Hessian.At(0, 2))
		}
		if math.Abs(e.Hessian.At(0, 0)-2) > 1e-12 || math.Abs(e.Hessian.At(1, 2)-1) > 1e-12 {
			t.Errorf("%s: H =\n%v", s.Name, mat.Formatted(e.Hessian))
		}
	}
}

// The budget is exact, and an error is passed on.
func TestErrors(t *testing.T) {
	f, n := counted(4, wavy)
	_, err := hessian.Symmetric.At(ctx, query.NewMeter(f, 20), make([]float64, 4), nil, 0.1)
	if !errors.Is(err, objective.ErrBudget) || *n != 20 {
		t.Errorf("%v after %d queries", err, *n)
	}
	for _, step := range []float64{0, -1, math.Inf(1), math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for a step of %v", step)
				}
			}()
			hessian.Symmetric.At(ctx, f, make([]float64, 4), nil, step)
		}()
	}
}

// Large stencils are asked in several batches, none larger than MaxBatch.
func TestBatches(t *testing.T) {
	const d = 300
	largest, batches := 0, 0
	f := objective.Batch(d, func(points *mat.Dense, values []float64) {
		largest, batches = max(largest, len(values)), batches+1
		for i := range values {
			x := points.RawRowView(i)
			values[i] = x[0] * x[1]
		}
	})
	e := must(t, hessian.Symmetric, f, make([]float64, d), nil, 1)
	if want := fmt.Sprint(query.MaxBatch(d), 4); fmt.Sprint(largest, batches) != want {
		t.Errorf("largest batch and batches %d %d, want %s", largest, batches, want)
	}
	if e.Hessian.At(0, 1) != 1 || e.Hessian.At(1, 2) != 0 {
		t.Error("the batches were mixed up")
	}
}

// A function that fails here and there costs some queries more, not a Hessian;
// one that fails at x, or nearly everywhere, is not asked again and again.
func TestSpoiltEntriesAreAskedAgain(t *testing.T) {
	smooth := func(x []float64) float64 { return x[0]*x[0] + 3*x[0]*x[1] - x[1]*x[2] + x[3]*x[3] }
	at := []float64{0.1, 0.2, 0.3, 0.4}
	for _, s := range stencils {
		exact := must(t, s, objective.Func(4, smooth), at, nil, 0.1)
		calls := 0
		f := objective.Func(4, func(x []float64) float64 {
			if calls++; calls%11 == 5 && calls < s.Queries(4) {
				return math.Inf(1)
			}
			return smooth(x)
		})
		got := must(t, s, f, at, nil, 0.1)
		if calls <= s.Queries(4) || got.Missing != 0 || !mat.EqualApprox(got.Hessian, exact.Hessian, 1e-9) {
			t.Errorf("%s: %d queries, %d missing, %v", s.Name, calls, got.Missing, mat.Formatted(got.Hessian))
		}
		nowhere, n := counted(4, func([]float64) float64 { return math.Inf(1) })
		if got := must(t, s, nowhere, at, nil, 0.1); got.Missing != 10 || *n != s.Queries(4) {
			t.Errorf("%s: %d missing after %d queries", s.Name, got.Missing, *n)
		}
	}
}
