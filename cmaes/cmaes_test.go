package cmaes

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// noValues switches off the stop rules that look at values.
var noValues = Stop{Fun: -1, Stagnation: -1}

// trajectory returns all points asked for in the given number of generations.
func trajectory(t testing.TB, f objective.Objective, cfg Config, generations int) [][]float64 {
	t.Helper()
	var all [][]float64
	cfg.Stop.Queries = generations * cfg.Population
	cfg.Observe = func(s State) {
		for _, x := range s.Points {
			all = append(all, slices.Clone(x))
		}
	}
	if _, err := Run(ctx, f, cfg); err != nil {
		t.Fatal(err)
	}
	return all
}

// Only the order of values counts. The trajectory keeps its bits under increasing maps of
// f, for every form of the covariance.
func TestIncreasingMapsChangeNothing(t *testing.T) {
	for _, c := range []Covariance{Cholesky{}, Root{}, Diagonal{}} {
		cfg := Config{Mean: []float64{1, 2, -1, 0.5}, Sigma: 0.5, Population: 9, Covariance: c, Stop: noValues}
		var want [][]float64
		for name, g := range map[string]func(float64) float64{
			"f":      func(v float64) float64 { return v },
			"f³":     func(v float64) float64 { return v * v * v },
			"log f":  math.Log,
			"8f + 3": func(v float64) float64 { return 8*v + 3 },
		} {
			cfg.Normal = rng.Seed(3).Stream("test").Norm
			got := trajectory(t, objective.Func(4, func(x []float64) float64 { return g(1 + rosenbrock(x)) }), cfg, 60)
			if want == nil {
				want = got
			}
			if !cmp.Equal(got, want) {
				t.Errorf("%T: %s goes another way", c, name)
			}
		}
	}
}

// If the problem is translated, so are the steps. If the problem and z are rotated, so are
// the steps with the symmetric root. Both hold to 1e-8 over 50 generations.
func TestEquivariance(t *testing.T) {
	const n, generations = 5, 50
	mean := []float64{1, 2, -1, 0.5, 0}
	q := mat.NewDense(n, n, nil)
	rng.Seed(8).Stream("q").Norm(q.RawMatrix().Data)
	kernel.Orthonormalise(q.RawMatrix())
	turned := func(x []float64) []float64 { // Qx
		y := make([]float64, n)
		kernel.MulVec(y, q.RawMatrix(), x)
		return y
	}
	back := func(x []float64) []float64 { // Qᵀx
		y := make([]float64, n)
		kernel.MulVecT(y, q.RawMatrix(), x)
		return y
	}
	base := Config{Mean: mean, Sigma: 0.5, Population: 8, Stop: noValues}
	for _, c := range []Covariance{Cholesky{}, Root{}} {
		plain, moved := base, base
		plain.Covariance, moved.Covariance = c, c
		plain.Normal, moved.Normal = rng.Seed(1).Stream("test").Norm, rng.Seed(1).Stream("test").Norm
		shift := []float64{10, -3, 0.25, 7, 1}
		moved.Mean = slices.Clone(mean)
		for k := range shift {
			moved.Mean[k] += shift[k]
		}
		a := trajectory(t, objective.Func(n, rosenbrock), plain, generations)
		b := trajectory(t, objective.Func(n, func(x []float64) float64 {
			y := slices.Clone(x)
			for k := range y {
				y[k] -= shift[k]
			}
			return rosenbrock(y)
		}), moved, generations)
		apart(t, fmt.Sprintf("%T, moved", c), a, b, func(x []float64) []float64 {
			y := slices.Clone(x)
			for k := range y {
				y[k] += shift[k]
			}
			return y
		})
	}
	// f(Qx) from Qᵀm with Qᵀz: the points are Qᵀx.
	stream := rng.Seed(2).Stream("test")
	plain, rotated := base, base
	plain.Covariance, rotated.Covariance, rotated.Mean = Root{}, Root{}, back(mean)
	plain.Normal = rng.Seed(2).Stream("test").Norm
	rotated.Normal = func(dst []float64) {
		stream.Norm(dst)
		for z := range slices.Chunk(dst, n) {
			copy(z, back(z))
		}
	}
	a := trajectory(t, objective.Func(n, rosenbrock), plain, generations)
	b := trajectory(t, objective.Func(n, func(x []float64) float64 { return rosenbrock(turned(x)) }), rotated, generations)
	apart(t, "turned", a, b, back)
}

// apart fails unless b is the image of a under the map to, within 1e-8.
func apart(t *testing.T, what string, a, b [][]float64, to func([]float64) []float64) {
	t.Helper()
	worst := 0.0
	for i := range a {
		for k, v := range to(a[i]) {
			worst = max(worst, math.Abs(v-b[i][k]))
		}
	}
	if len(a) != len(b) || worst > 1e-8 {
		t.Errorf("%s: %d and %d points, apart by %g", what, len(a), len(b), worst)
	}
}

// For any values, C stays exactly symmetric and positive definite, or the run ends because
// of its condition number.
func TestCovarianceStaysPositiveDefinite(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "n")
		lambda := rapid.IntRange(2, 12).Draw(rt, "λ")
		pick := rapid.SampledFrom([]float64{0, 1, -1, 1e300, math.Inf(1), math.NaN(), 0.5, 7})
		f := objective.Func(n, func([]float64) float64 { return pick.Draw(rt, "value") })
		d := newDescent(f, complete(rt, Config{Population: lambda, Normal: rng.Seed(1).Stream("test").Norm}, n))
		c := d.cov.(*cholesky)
		for range 15 {
			if err := d.generation(ctx); err != nil {
				rt.Fatal(err)
			}
			if !d.sound {
				if d.stop() != "condition" {
					rt.Fatalf("it stops for %q", d.stop())
				}
				return
			}
			var product mat.Dense
			product.Mul(c.a, c.a.T())
			if !mat.EqualApprox(&product, c.c, 1e-12*mat.Norm(c.c, 2)) || !mat.Equal(c.c, c.c.T()) {
				rt.Fatalf("C = %v, AAᵀ = %v", mat.Formatted(c.c), mat.Formatted(&product))
			}
			for _, v := range d.m {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					rt.Fatalf("m = %v", d.m)
				}
			}
		}
	})
}

func complete(t rapid.TB, cfg Config, n int) Config {
	if err := cfg.complete(n); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// The blocked factorisation agrees with LAPACK's, also for more than one panel.
func TestFactorise(t *testing.T) {
	for _, n := range []int{1, 5, 31, 32, 33, 64, 100} {
		c := Cholesky{}.begin(n, 4).(*cholesky)
		g := mat.NewDense(n, n, nil)
		rng.Seed(uint64(n)).Stream("test").Norm(g.RawMatrix().Data)
		c.c.Mul(g, g.T())
		path, want := make([]float64, n), make([]float64, n)
		path[0] = 2
		if !c.factorise(path) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		var reference mat.Cholesky
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range n {
				sym.SetSym(i, j, c.c.At(i, j))
			}
		}
		reference.Factorize(sym)
		var l mat.TriDense
		reference.LTo(&l)
		if !mat.EqualApprox(&l, c.a, 1e-9*mat.Norm(&l, 2)) || !mat.Equal(c.aT, c.a.T()) {
			t.Errorf("n = %d: A is another", n)
		}
		// From A = I the path becomes A⁻¹p, rescaled to its old length.
		kernel.MulVec(want, c.a.RawMatrix(), path)
		kernel.Normalise(want)
		if length := math.Sqrt(kernel.Dot(path, path)); math.Abs(length-2) > 1e-9 || math.Abs(want[0]-1) > 1e-6 {
			t.Errorf("n = %d: the path has length %g, and A times it points to %v", n, length, want[:1])
		}
		c.c.Set(n-1, n-1, -1)
		if c.factorise(path) {
			t.Errorf("n = %d: a matrix that is not positive definite passed", n)
		}
	}
}

// The fold is the identity well inside the box, maps every point into the box, and is
// continuous. back inverts it.
func TestFold(t *testing.T) {
	inf := math.Inf(1)
	for _, box := range []objective.Box{objective.Cube(1, -1, 1), objective.Cube(1, 0, inf), objective.Cube(1, -inf, 3), objective.Cube(1, 5, 5.01), objective.Cube(1, -inf, inf)} {
		f := newFold(box)
		rapid.Check(t, func(t *rapid.T) {
			u := rapid.Float64Range(-50, 50).Draw(t, "u")
			x := []float64{0}
			f.into(x, []float64{u})
			if !box.Contains(x) {
				t.Fatalf("%v goes to %v, outside %v", u, x, box)
			}
			near := []float64{0}
			if f.into(near, []float64{u + 1e-7}); math.Abs(near[0]-x[0]) > 2e-7 {
				t.Fatalf("%v jumps from %v to %v", u, x, near)
			}
			again := []float64{0}
			if f.into(again, f.back(x)); math.Abs(again[0]-x[0]) > 1e-9 {
				t.Fatalf("%v comes back as %v", x, again)
			}
		})
	}
	f, x := newFold(objective.Cube(2, -1, 1)), make([]float64, 2)
	if f.into(x, []float64{0.5, -0.85}); !slices.Equal(x, []float64{0.5, -0.85}) {
		t.Errorf("inside it moves to %v", x)
	}
}

// A minimum on a face or in a corner of the bounds is found, and nothing outside
// is asked for.
func TestMinimumOnTheBounds(t *testing.T) {
	for _, target := range [][]float64{{2, 0, 0, 0, 0}, {2, -3, 5, 1.5, -7}, {0.2, 2, 0, -0.1, 0.4}} {
		bounds := objective.Cube(5, -1, 1)
		f := objective.Func(5, func(x []float64) float64 {
			if !bounds.Contains(x) {
				t.Fatalf("%v is outside", x)
			}
			sum := 0.0
			for i := range x {
				sum += float64(i+1) * math.Pow(x[i]-target[i], 2)
			}
			return sum
		})
		r, err := Run(ctx, query.NewMeter(f, 20_000), Config{Sigma: 0.5, Bounds: bounds})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range r.Point {
			if want := min(max(target[i], -1), 1); math.Abs(v-want) > 1e-5 {
				t.Errorf("coordinate %d is %v, want %v; %s after %d queries", i, v, want, r.Reason, r.Queries)
			}
		}
	}
}

// NaN and +Inf rank last. A wall of them does not stop a run, and a run that sees nothing
// else ends soon.
func TestFailedValues(t *testing.T) {
	f := objective.Func(4, func(x []float64) float64 {
		if x[0] < 0 {
			return math.NaN()
		}
		if x[1] > 4 {
			return math.Inf(1)
		}
		return sphere([]float64{x[0] - 0.01, x[1], x[2], x[3]})
	})
	r, err := Run(ctx, query.NewMeter(f, 20_000), Config{Mean: []float64{3, 3, 3, 3}, Sigma: 1})
	if err != nil || r.Value > 1e-9 {
		t.Errorf("%v, %s, error %v", r.Value, r.Reason, err)
	}
	nowhere := objective.Func(4, func([]float64) float64 { return math.NaN() })
	if r, err := Run(ctx, query.NewMeter(nowhere, 1_000_000), Config{}); err != nil || r.Status != objective.Converged || r.Queries > 10_000 || r.Point != nil {
		t.Errorf("%+v, error %v", r, err)
	}
}

// Why runs stop.
func TestStopRules(t *testing.T) {
	constant := objective.Func(3, func([]float64) float64 { return 1 })
	slope := objective.Func(3, func(x []float64) float64 { return x[0] })
	minus := objective.Func(3, func(x []float64) float64 { return math.Inf(-1) })
	smooth := objective.Func(3, sphere)
	noise := rng.Seed(1).Stream("noise")
	noisy := objective.Func(3, func([]float64) float64 { return noise.NormFloat64() })
	skew := objective.Func(3, func(x []float64) float64 { return x[0]*x[0] + 1e16*x[1]*x[1] + 1e-16*x[2]*x[2] })
	for want, c := range map[string]struct {
		f    objective.Objective
		stop Stop
	}{
		"tolfun":     {constant, Stop{}},
		"tolupsigma": {slope, Stop{}},
		"unbounded":  {minus, Stop{}},
		"tolx":       {smooth, Stop{Fun: -1}},
		"stagnation": {noisy, Stop{}},
		"queries":    {smooth, Stop{Queries: 100}},
		"condition":  {skew, Stop{Fun: -1, X: -1}},
	} {
		r, err := Run(ctx, query.NewMeter(c.f, 1_000_000), Config{Mean: []float64{1, 1, 1}, Stop: c.stop})
		if err != nil || r.Reason != want {
			t.Errorf("%s: %s after %d queries, error %v", want, r.Reason, r.Queries, err)
		}
	}
	var bad *objective.OptionError
	for option, cfg := range map[string]Config{
		"Mean": {Mean: []float64{1}}, "Sigma": {Sigma: -1}, "Population": {Population: 1}, "Bounds": {Bounds: objective.Cube(3, 1, 0)},
	} {
		if _, err := Run(ctx, smooth, cfg); !errors.As(err, &bad) || bad.Option != option {
			t.Errorf("%s: error %v", option, err)
		}
	}
}

// In steady state a generation allocates nothing.
func TestNothingIsAllocated(t *testing.T) {
	for _, c := range []Covariance{Cholesky{}, Diagonal{}} {
		f := objective.Batch(40, func(points *mat.Dense, values []float64) {
			for i := range values {
				values[i] = points.At(i, 0)
			}
		})
		d := newDescent(f, complete(t, Config{Covariance: c, Stop: noValues}, 40))
		step := func() {
			if err := d.generation(ctx); err != nil {
				t.Fatal(err)
			}
			d.stop()
		}
		step()
		if n := testing.AllocsPerRun(100, step); n > 0 {
			t.Errorf("%T: %v allocations a generation", c, n)
		}
	}
}

// Separable CMA-ES learns a separable function faster.
func TestDiagonalIsFasterWhereItFits(t *testing.T) {
	full := queriesTo(t, objective.Func(20, ellipsoid), 1e-8, Config{Mean: slices.Repeat([]float64{3}, 20), Sigma: 1}, 1_000_000)
	diagonal := queriesTo(t, objective.Func(20, ellipsoid), 1e-8, Config{Mean: slices.Repeat([]float64{3}, 20), Sigma: 1, Covariance: Diagonal{}}, 1_000_000)
	if diagonal > full/2 {
		t.Errorf("%d queries, the full one takes %d", diagonal, full)
	}
}

// A series is a function of its seed, keeps to its budget, and follows the schedule in the
// golden file.
func TestSeries(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 5, Mix: "orthogonal", Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	run := func() Result {
		out.Reset()
		meter := query.NewMeter(p, 30_001)
		// math.Exp may differ in its last bit between processors, so runs do not end by rounding.
		r, err := Series{Run: Config{Sigma: 3, Stop: Stop{Fun: 1e-11}}, Box: p.Domain(), Seed: 4, Began: func(p Plan) {
			fmt.Fprintf(&out, "%s λ=%d σ=%.4f ≤%d\n", p.Regime, p.Population, p.Sigma, p.Queries)
		}}.Minimize(ctx, meter)
		if err != nil || meter.Queries() != r.Queries || r.Status != objective.BudgetSpent || r.Queries != 30_001 {
			t.Fatalf("%+v, %d queries, error %v", r, meter.Queries(), err)
		}
		return r
	}
	if a, b := run(), run(); !cmp.Equal(a, b) {
		t.Errorf("%+v and %+v", a, b)
	}
	const path = "testdata/bipop.golden"
	if *flags.Update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("the schedule has moved (-committed +now):\n%s", diff)
	}
	// Without a budget a series ends with its schedule.
	r, err := Series{Box: objective.Cube(3, -1, 1), Schedule: IPOP{Restarts: 2}}.Minimize(ctx, objective.Func(3, sphere))
	if err != nil || r.Status != objective.Converged || r.Value > 1e-10 {
		t.Errorf("%+v, error %v", r, err)
	}
}

// Zero values run. Bad values are refused by name before the first query.
func TestZeroAndBadSeries(t *testing.T) {
	r, err := Series{}.Minimize(ctx, query.NewMeter(objective.Func(3, sphere), 1000))
	if err != nil || r.Queries != 1000 || !(r.Value < 1e-6) {
		t.Errorf("the zero series: %+v, error %v", r, err)
	}
	if r, err := (Series{Schedule: Confirmed{}}).Minimize(ctx, query.NewMeter(objective.Func(3, sphere), 1000)); err != nil || r.Point == nil {
		t.Errorf("confirmed without a schedule: %+v, error %v", r, err)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		option string
		series Series
	}{
		{"Box", Series{Box: objective.Cube(2, -1, 1)}},
		{"Box", Series{Box: objective.Box{Lo: make([]float64, 3)}}},
		{"Box", Series{Box: objective.Cube(3, 0, inf)}},
		{"Box", Series{Box: objective.Cube(3, 1, 0)}},
		{"Box", Series{Box: objective.Cube(3, nan, 0)}},
		{"Sigma", Series{Run: Config{Sigma: -1}}},
		{"Mean", Series{Run: Config{Mean: []float64{0, nan, 0}}}},
	} {
		queries := 0
		f := objective.Func(3, func([]float64) float64 { queries++; return 0 })
		_, err := c.series.Minimize(ctx, f)
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != c.option || queries > 0 {
			t.Errorf("%s: error %v after %d queries", c.option, err, queries)
		}
	}
}

// lazy is a schedule from outside the package that leaves everything to the series.
type lazy struct{}

func (lazy) Next(past []Past, _ int, _ func() float64) (Plan, bool) { return Plan{}, len(past) < 2 }

func TestAnotherSchedule(t *testing.T) {
	r, err := Series{Schedule: lazy{}}.Minimize(ctx, objective.Func(3, sphere))
	if err != nil || r.Status != objective.Converged || !(r.Value < 1e-10) {
		t.Errorf("%+v, error %v", r, err)
	}
}

// The seed determines the random numbers, unless Normal is given.
func TestWhereNumbersComeFrom(t *testing.T) {
	run := func(cfg Config) [][]float64 {
		cfg.Population = 6
		return trajectory(t, objective.Func(3, sphere), cfg, 3)
	}
	zero, one := run(Config{}), run(Config{Seed: 1})
	if cmp.Equal(zero, one) {
		t.Error("two seeds ask for the same points")
	}
	if !cmp.Equal(one, run(Config{Seed: 1})) || !cmp.Equal(one, run(Config{Seed: 5, Normal: rng.Seed(1).Stream("cmaes").Norm})) {
		t.Error("the same numbers ask for other points")
	}
}

// If the mean is outside the bounds, by rounding or by mistake, the run starts on them.
func TestMeanOutsideTheBounds(t *testing.T) {
	bounds := objective.Cube(2, -1, 1)
	f := objective.Func(2, func(x []float64) float64 {
		if !bounds.Contains(x) {
			t.Fatalf("%v is outside", x)
		}
		return sphere(x)
	})
	r, err := Run(ctx, f, Config{Mean: []float64{1 + 1e-15, -7}, Bounds: bounds})
	if err != nil || !(r.Value < 1e-10) {
		t.Errorf("%+v, error %v", r, err)
	}
}

// A form of the covariance has no state. Runs that share one do not affect each other.
func TestRunsShareAForm(t *testing.T) {
	first := mat.NewSymDense(2, []float64{4, 1, 1, 2})
	shared := Config{Covariance: Cholesky{First: first}, Population: 6}
	alone := trajectory(t, objective.Func(2, rosenbrock), shared, 20)
	inner := shared
	inner.Seed = 3
	got := trajectory(t, objective.Func(2, func(x []float64) float64 {
		if _, err := Run(ctx, query.NewMeter(objective.Func(2, sphere), 50), inner); err != nil {
			t.Fatal(err)
		}
		return rosenbrock(x)
	}), shared, 20)
	if !cmp.Equal(alone, got) {
		t.Error("a run within a run changes it")
	}
	if first.At(0, 0) != 4 || first.At(0, 1) != 1 {
		t.Errorf("the first C has become %v", mat.Formatted(first))
	}
}
