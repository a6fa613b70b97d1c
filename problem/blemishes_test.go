package problem_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// spotted returns a Levy function of 5 components with blemishes.
func spotted(t testing.TB, b problem.Blemishes) *problem.Problem {
	t.Helper()
	return must(t, problem.Spec{Name: "levy", Dim: 5, Seed: 7, Blemishes: b})
}

// somewhere draws points of the domain.
func somewhere(p *problem.Problem, n int) *mat.Dense {
	points := mat.NewDense(n, p.Dim(), nil)
	box, stream := p.Domain(), rng.Seed(9).Stream("somewhere")
	for i := range n {
		box.Draw(points.RawRowView(i), stream)
	}
	return points
}

type evaluation func(ctx context.Context, points *mat.Dense, values []float64) error

func at(t testing.TB, ctx context.Context, f evaluation, points *mat.Dense) []float64 {
	t.Helper()
	n, _ := points.Dims()
	values := make([]float64, n)
	if err := f(ctx, points, values); err != nil {
		t.Fatal(err)
	}
	return values
}

// naiveDeviation is the standard deviation of f over the domain, from points of its own.
func naiveDeviation(t testing.TB, p *problem.Problem, f evaluation) float64 {
	return stat.StdDev(at(t, t.Context(), f, somewhere(p, 20_000)), nil)
}

// close compares to a relative difference.
func closeTo(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-300)
}

// A standard deviation from 1,000 points is right to a few percent: Levy's values have a
// kurtosis below 6, so that its standard error is at most √(5/4000) = 3.5 %, and 15 % is more
// than four of them.
const deviationError = 0.15

// The maps are their formulas, with the s that the exponential map reveals.
func TestMaps(t *testing.T) {
	clean := spotted(t, problem.Blemishes{})
	points := somewhere(clean, 50)
	f := at(t, t.Context(), clean.Evaluate, points)
	s := (f[0] - clean.Minimum()) / math.Log(at(t, t.Context(), spotted(t, problem.Blemishes{Map: "exp"}).Evaluate, points)[0])
	if want := naiveDeviation(t, clean, clean.Evaluate); !closeTo(s, want, deviationError) {
		t.Errorf("s = %v, want about %v", s, want)
	}
	for name, phi := range map[string]func(v float64) float64{
		"sqrt":   func(v float64) float64 { return math.Sqrt(1 + v/s) },
		"log":    func(v float64) float64 { return math.Log(1 + v/s) },
		"square": func(v float64) float64 { return (v / s) * (v / s) },
		"exp":    func(v float64) float64 { return math.Exp(v / s) },
		"rms":    func(v float64) float64 { return math.Sqrt(v / 5) },
	} {
		p := spotted(t, problem.Blemishes{Map: name})
		for i, got := range at(t, t.Context(), p.Evaluate, points) {
			if want := phi(f[i] - clean.Minimum()); !closeTo(got, want, 1e-12) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
		if got := at(t, t.Context(), p.Clean, points); got[7] != f[7] || p.Minimum() != clean.Minimum() || !p.Blemished() {
			t.Errorf("%s: a clean value of %v, want %v; minimum %v", name, got[7], f[7], p.Minimum())
		}
	}
	if len(problem.Maps()) != 5 {
		t.Errorf("maps %v", problem.Maps())
	}
}

// After a map, the noise is measured by the mapped function.
func TestNoiseIsMeasuredByTheFunction(t *testing.T) {
	for _, name := range append(problem.Maps(), "") {
		quiet := spotted(t, problem.Blemishes{Map: name})
		loud := spotted(t, problem.Blemishes{Map: name, Noise: 0.01})
		points := somewhere(quiet, 100)
		f, g := at(t, t.Context(), quiet.Evaluate, points), at(t, t.Context(), loud.Evaluate, points)
		xi := at(t, t.Context(), spotted(t, problem.Blemishes{Noise: 0.01}).Evaluate, points)
		plain := at(t, t.Context(), spotted(t, problem.Blemishes{}).Evaluate, points)
		want := naiveDeviation(t, quiet, quiet.Evaluate) / naiveDeviation(t, quiet, quiet.Clean)
		for i := range f { // the same ξ in other units
			if ratio := (g[i] - f[i]) / (xi[i] - plain[i]); name != "exp" && !closeTo(ratio, want, 2*deviationError) {
				t.Fatalf("%q: noise %v times that of f, want about %v", name, ratio, want)
			}
		}
	}
}

// ξ is N(0, 1) and depends on the seed and the number of the query alone. The mean and the
// variance of 20,000 numbers are within five standard errors: a correct generator fails at
// one seed in 500,000. The same holds for the correlation with the next number, and for
// that of the two kinds of noise.
func TestNoiseIsGaussian(t *testing.T) {
	const n, s = 20_000, 0.5
	one := mat.NewDense(n, 5, nil) // n times the same point
	xi := map[string][]float64{}
	for name, b := range map[string]problem.Blemishes{
		"absolute": {Map: "rms", Noise: s}, "relative": {Map: "rms", NoiseRelative: s},
		"another seed": {Map: "rms", Noise: s},
	} {
		spec := problem.Spec{Name: "levy", Dim: 5, Seed: 7, Blemishes: b}
		if name == "another seed" {
			spec.Seed = 8
		}
		p := must(t, spec)
		spec.Blemishes = problem.Blemishes{Map: "rms"}
		f := value(t, must(t, spec), one.RawRowView(0))
		unit := s * f
		if b.Noise > 0 { // what 1,000 points say that the deviation is
			unit = s * naiveThousand(t, must(t, spec))
		}
		for _, v := range at(t, t.Context(), p.Evaluate, one) {
			xi[name] = append(xi[name], (v-f)/unit)
		}
		mean, variance, next := 0.0, 0.0, 0.0
		for i, v := range xi[name] {
			mean += v / n
			variance += v * v / n
			next += v * xi[name][max(i-1, 0)] / n
		}
		if !(math.Abs(mean) <= 5/math.Sqrt(n)) || !(math.Abs(variance-1) <= 5*math.Sqrt(2./n)) || !(math.Abs(next) <= 5/math.Sqrt(n)) {
			t.Errorf("%s: mean %v, variance %v, correlation %v", name, mean, variance, next)
		}
		within := 0
		for _, v := range xi[name] {
			if math.Abs(v) < 1 {
				within++
			}
		}
		if share := float64(within) / n; !(math.Abs(share-0.6827) <= 5*math.Sqrt(0.6827*0.3173/n)) {
			t.Errorf("%s: a share of %v within one standard deviation", name, share)
		}
	}
	for _, other := range []string{"relative", "another seed"} {
		if c := stat.Correlation(xi["absolute"], xi[other], nil); !(math.Abs(c) <= 5/math.Sqrt(n)) {
			t.Errorf("a correlation of %v with %s", c, other)
		}
	}
}

// naiveThousand is the standard deviation of the values of p over the 1,000 points from
// which p estimates it.
func naiveThousand(t testing.TB, p *problem.Problem) float64 {
	points := mat.NewDense(1000, p.Dim(), nil)
	stream, box := rng.Seed(p.Spec().Seed).Stream("problem", "spread"), p.Domain()
	for i := range 1000 {
		box.Draw(points.RawRowView(i), stream)
	}
	return stat.StdDev(at(t, t.Context(), p.Evaluate, points), nil)
}

// The value of a query depends on its point and its number alone: not on the batch, on the
// workers, or on what was asked before.
func TestNoiseDependsOnTheNumberAlone(t *testing.T) {
	p := spotted(t, problem.Blemishes{Noise: 0.1, NoiseRelative: 0.1, Digits: 9, Failing: 0.1})
	points := somewhere(p, 300)
	want := at(t, t.Context(), p.Evaluate, points)
	for _, workers := range []int{1, 3} {
		for _, guarded := range []bool{true, false} {
			var f objective.Objective = p
			if guarded {
				f = query.NewGuard(p)
			}
			meter := query.NewMeter(query.NewPool(f, workers), 1000)
			for lo, size := 0, 1; lo < 300; lo, size = lo+size, 2*size {
				size = min(size, 300-lo)
				batch := points.Slice(lo, lo+size, 0, 5).(*mat.Dense)
				for i, v := range at(t, t.Context(), meter.Evaluate, batch) {
					if w := want[lo+i]; v != w && !(math.IsNaN(w) && (guarded && math.IsInf(v, 1) || !guarded && math.IsNaN(v))) {
						t.Fatalf("%d workers: query %d is %v, want %v", workers, lo+i+1, v, w)
					}
				}
			}
		}
	}
	late := query.WithNumbers(t.Context(), func(i int) int { return 201 + i })
	if v := at(t, late, p.Evaluate, points.Slice(200, 201, 0, 5).(*mat.Dense))[0]; v != want[200] && !math.IsNaN(v) {
		t.Errorf("query 201 by itself is %v, want %v", v, want[200])
	}
	if again := at(t, late, p.Evaluate, points); again[0] == want[0] {
		t.Error("another number gives the same noise")
	}
}

// Everything at once, in the order of the fields, against the pieces one by one.
func TestBlemishesAreAppliedInOrder(t *testing.T) {
	all := problem.Blemishes{
		Map: "log", Noise: 0.01, NoiseRelative: 0.02, ScaleValue: 3, Offset: -5, Digits: 4, Failing: 0.2, FailingBeyond: new(0.1),
	}
	p := spotted(t, all)
	points := somewhere(p, 400)
	mapped := at(t, t.Context(), spotted(t, problem.Blemishes{Map: "log"}).Evaluate, points)
	noisy := at(t, t.Context(), spotted(t, problem.Blemishes{Map: "log", Noise: 0.01}).Evaluate, points)
	relative := at(t, t.Context(), spotted(t, problem.Blemishes{Map: "log", NoiseRelative: 0.02}).Evaluate, points)
	fails := at(t, t.Context(), spotted(t, problem.Blemishes{Failing: 0.2}).Evaluate, points)
	beyond := at(t, t.Context(), spotted(t, problem.Blemishes{FailingBeyond: new(0.1)}).Evaluate, points)
	for i, got := range at(t, t.Context(), p.Evaluate, points) {
		v := noisy[i] * (relative[i] / mapped[i]) // mapped·(1+Sξ′) / mapped
		want, _ := strconv.ParseFloat(fmt.Sprintf("%.3e", 3*v-5), 64)
		if math.IsNaN(fails[i]) || math.IsNaN(beyond[i]) {
			want = math.NaN()
		}
		// The pieces round, and may fall on the other side of a tie.
		if !(math.IsNaN(got) && math.IsNaN(want)) && !closeTo(got, want, 1e-15) && !closeTo(3*v-5, (got+want)/2, 1e-12) {
			t.Fatalf("point %d: %v, want %v", i, got, want)
		}
	}
}

// Scale and offset are exact, and zero blemishes leave every bit as it is.
func TestScaleAndOffset(t *testing.T) {
	clean := spotted(t, problem.Blemishes{})
	points := somewhere(clean, 100)
	f := at(t, t.Context(), clean.Evaluate, points)
	for _, c := range []struct{ a, b float64 }{{2, 0}, {1, 10}, {1e-9, 1e3}, {0, -4}} {
		a := c.a
		if a == 0 {
			a = 1
		}
		for i, v := range at(t, t.Context(), spotted(t, problem.Blemishes{ScaleValue: c.a, Offset: c.b}).Evaluate, points) {
			if want := float64(a*f[i]) + c.b; v != want {
				t.Fatalf("%v·f + %v is %v, want %v", c.a, c.b, v, want)
			}
		}
	}
	if p := spotted(t, problem.Blemishes{ScaleValue: 1}); p.Blemished() || p.Spec() != clean.Spec() {
		t.Error("a scale of 1 is a blemish")
	}
}

// Values are rounded as a program prints them.
func TestDigits(t *testing.T) {
	clean := spotted(t, problem.Blemishes{})
	points := somewhere(clean, 200)
	f := at(t, t.Context(), clean.Evaluate, points)
	for _, n := range []int{1, 2, 6, 15, 17} {
		for i, v := range at(t, t.Context(), spotted(t, problem.Blemishes{Digits: n}).Evaluate, points) {
			want, err := strconv.ParseFloat(fmt.Sprintf("%.*e", n-1, f[i]), 64)
			if err != nil || v != want || n == 17 && v != f[i] {
				t.Errorf("%d digits of %v are %v, want %v", n, f[i], v, want)
			}
		}
	}
	// 0, and what is too large to be rounded up.
	flat := must(t, problem.Spec{Name: "squared-norm", Dim: 1, Mix: "none", Blemishes: problem.Blemishes{Digits: 2}})
	for x, want := range map[float64]float64{0: 0, 1.34e154: 1.7956e308, 1e200: math.Inf(1), math.NaN(): math.NaN()} {
		if v := value(t, flat, []float64{x}); !closeTo(v, want, 1e-3) && v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
			t.Errorf("f(%v) = %v, want %v", x, v, want)
		}
	}
}

// A share P of points fails, whatever the batch, and always the same points: within five
// standard errors of 20,000 points, and so do the points that differ from one in a single
// coordinate.
func TestFailing(t *testing.T) {
	const n = 20_000
	for _, share := range []float64{0.01, 0.3, 0.9} {
		p := spotted(t, problem.Blemishes{Failing: share})
		clean := spotted(t, problem.Blemishes{})
		near := mat.NewDense(n, 5, nil)
		for i := range n {
			near.Set(i, 4, float64(i)*1e-9)
		}
		for name, points := range map[string]*mat.Dense{"in the domain": somewhere(p, n), "near a point": near} {
			values, again := at(t, t.Context(), p.Evaluate, points), at(t, t.Context(), p.Evaluate, points)
			f := at(t, t.Context(), clean.Evaluate, points)
			failed := 0
			for i, v := range values {
				if math.IsNaN(v) {
					failed++
				}
				if v != f[i] && !math.IsNaN(v) || math.IsNaN(v) != math.IsNaN(again[i]) {
					t.Fatalf("%v and then %v, want %v", v, again[i], f[i])
				}
			}
			if got := float64(failed) / n; !(math.Abs(got-share) <= 5*math.Sqrt(share*(1-share)/n)) {
				t.Errorf("%s a share of %v fails, want %v", name, got, share)
			}
		}
		if a, b := value(t, p, []float64{0, 1, 2, 3, 4}), value(t, p, []float64{math.Copysign(0, -1), 1, 2, 3, 4}); math.IsNaN(a) != math.IsNaN(b) {
			t.Error("−0 and 0 differ")
		}
	}
	one := at(t, t.Context(), spotted(t, problem.Blemishes{Failing: 0.5}).Evaluate, somewhere(spotted(t, problem.Blemishes{}), 100))
	other := must(t, problem.Spec{Name: "levy", Dim: 5, Seed: 8, Blemishes: problem.Blemishes{Failing: 0.5}})
	differ := 0
	for i, v := range at(t, t.Context(), other.Evaluate, somewhere(other, 100)) {
		if math.IsNaN(v) != math.IsNaN(one[i]) {
			differ++
		}
	}
	if differ < 25 || differ > 75 { // 50 ± 5 standard errors
		t.Errorf("another seed fails at %d of 100 other points", differ)
	}
}

// Beyond a plane every point fails: T widths of the domain from x*, in one direction.
func TestFailingBeyond(t *testing.T) {
	for _, far := range []float64{0, 0.05, 0.4} {
		p := spotted(t, problem.Blemishes{FailingBeyond: &far})
		best := p.Minimiser()
		if v := value(t, p, best); math.IsNaN(v) {
			t.Errorf("T = %v: x* fails", far)
		}
		// Where the plane cuts the axes through x*: at T·width/n_i.
		limit := far * 20
		normal := make([]float64, 5)
		sum := 0.0
		for i := range normal {
			fails := func(step float64) bool {
				x := p.Minimiser()
				x[i] += step
				return math.IsNaN(value(t, p, x))
			}
			sign := 1.0
			if fails(-1e6) {
				sign = -1
			}
			lo, hi := 0.0, 1e6
			for range 100 {
				if mid := (lo + hi) / 2; fails(sign * mid) {
					hi = mid
				} else {
					lo = mid
				}
			}
			if limit > 0 {
				normal[i] = limit / hi
				sum += normal[i] * normal[i]
			}
			if fails(sign*1e6) == fails(-sign*1e6) || fails(-sign) {
				t.Errorf("T = %v: coordinate %d fails on both sides", far, i)
			}
		}
		if limit > 0 && !closeTo(sum, 1, 1e-6) {
			t.Errorf("T = %v: |n|² = %v", far, sum)
		}
	}
}

// A coupling adds D·s times something of standard deviation 1 that is no sum of functions
// of the components, and becomes part of f: nobody knows the minimum any more.
func TestCouplings(t *testing.T) {
	clean := spotted(t, problem.Blemishes{})
	points := somewhere(clean, 20_000)
	f := at(t, t.Context(), clean.Evaluate, points)
	s := naiveThousand(t, clean)
	for _, kind := range problem.CouplingKinds() {
		p := spotted(t, problem.Blemishes{Coupling: 0.3, CouplingKind: kind})
		if p.Blemished() || !math.IsNaN(p.Minimum()) {
			t.Errorf("%s: blemished %v, minimum %v", kind, p.Blemished(), p.Minimum())
		}
		g := at(t, t.Context(), p.Evaluate, points)
		c := make([]float64, len(g))
		for i := range g {
			c[i] = (g[i] - f[i]) / (0.3 * s)
		}
		if sd := stat.StdDev(c, nil); !closeTo(sd, 1, deviationError) {
			t.Errorf("%s: the standard deviation of c is %v", kind, sd)
		}
		if again := at(t, t.Context(), p.Clean, points); again[3] != g[3] {
			t.Errorf("%s: clean %v, not %v", kind, again[3], g[3])
		}
		// c is Σ_ij n_ij a(y_i) b(y_j) with whole n_ij ≥ 0 that sum to 2m, up to a factor.
		naiveCoupling(t, kind, clean, points.Slice(0, 400, 0, 5).(*mat.Dense), c[:400])
	}
	again := spotted(t, problem.Blemishes{Coupling: 0.3})
	if again.Spec().CouplingKind != "sines" || again.Spec().Blemishes != spotted(t, problem.Blemishes{Coupling: 0.3, CouplingKind: "sines"}).Spec().Blemishes {
		t.Errorf("the default kind is %q", again.Spec().CouplingKind)
	}
}

// naiveCoupling fits c by least squares to all products a(y_i)b(y_j), i ≠ j, and checks the
// coefficients.
func naiveCoupling(t *testing.T, kind string, p *problem.Problem, points *mat.Dense, c []float64) {
	t.Helper()
	a, b := math.Sin, func(y float64) float64 { return math.Cos(2 * y) }
	if kind == "products" {
		a = func(y float64) float64 { return math.Tanh(y / 2) }
		b = a
	}
	m := p.Dim()
	var names [][2]int
	for i := range m {
		for j := range m {
			if i < j || i > j && kind == "sines" { // products are symmetric
				names = append(names, [2]int{i, j})
			}
		}
	}
	design := mat.NewDense(len(c), len(names), nil)
	for row := range c {
		for k, name := range names {
			y := func(j int) float64 { return mat.Dot(p.Frame().Matrix().RowView(j), points.RowView(row)) } // W has rows of length 1
			design.Set(row, k, a(y(name[0]))*b(y(name[1])))
		}
	}
	var n mat.VecDense
	if err := n.SolveVec(design, mat.NewVecDense(len(c), c)); err != nil {
		t.Fatal(err)
	}
	var rest mat.VecDense
	rest.MulVec(design, &n)
	rest.SubVec(&rest, mat.NewVecDense(len(c), c))
	if size := mat.Norm(&rest, math.Inf(1)); !(size <= 1e-9) {
		t.Errorf("%s: the coupling is no sum of such products: %v is left", kind, size)
	}
	sum := mat.Sum(&n)
	for k := range names {
		if count := n.AtVec(k) / sum * float64(2*m); !(math.Abs(count-math.Round(count)) <= 1e-7 && count > -0.5) {
			t.Errorf("%s: pair %v comes %v times", kind, names[k], count)
		}
	}
}

// Every problem can have every blemish.
func TestEveryProblemWithBlemishes(t *testing.T) {
	each(t, everyBlemish)
	names, err := problem.Suite("bbob")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { everyBlemish(t, problem.Spec{Name: name, Dim: 6, Seed: 3}) })
	}
}

func everyBlemish(t *testing.T, s problem.Spec) {
	clean := must(t, s)
	points := somewhere(clean, 3)
	for _, b := range []problem.Blemishes{
		{Map: "log", Noise: 1e-3, Digits: 6}, {Coupling: 0.1, CouplingKind: "products", Noise: 1e-3},
	} {
		s.Blemishes = b
		p, err := problem.New(s)
		if s.Components == 1 && b.Coupling > 0 {
			if err == nil {
				t.Error("one component is coupled")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range at(t, t.Context(), p.Evaluate, points) {
			if math.IsNaN(v) || math.IsInf(v, 0) || v == value(t, clean, points.RawRowView(i)) {
				t.Errorf("%v: %v", b, v)
			}
		}
	}
}

// Where g makes its own components, those of the frame are coupled.
func TestCouplingInAFrame(t *testing.T) {
	spec := problem.Spec{Name: "bbob-10", Dim: 5, Seed: 3}
	clean := must(t, spec)
	points := somewhere(clean, 400)
	for _, kind := range problem.CouplingKinds() {
		spec.Blemishes = problem.Blemishes{Coupling: 0.3, CouplingKind: kind}
		c := at(t, t.Context(), must(t, spec).Evaluate, points)
		for i, f := range at(t, t.Context(), clean.Evaluate, points) {
			c[i] -= f
		}
		size := stat.StdDev(c, nil)
		for i := range c {
			c[i] /= size
		}
		naiveCoupling(t, kind, clean, points, c)
	}
}

func TestBadBlemishes(t *testing.T) {
	for _, c := range []struct {
		blemishes    problem.Blemishes
		option, want string
	}{
		{problem.Blemishes{Map: "cube"}, "Map", `unknown map "cube": must be one of sqrt, log, square, exp, rms`},
		{problem.Blemishes{Map: "log", Coupling: 1}, "Map", `"log" cannot be combined with a coupling`},
		{problem.Blemishes{Noise: -1}, "Noise", "-1, must be a number of at least 0"},
		{problem.Blemishes{Noise: math.NaN()}, "Noise", "NaN, must be"},
		{problem.Blemishes{NoiseRelative: math.Inf(1)}, "NoiseRelative", "+Inf, must be"},
		{problem.Blemishes{Coupling: -0.1}, "Coupling", "-0.1, must be"},
		{problem.Blemishes{Coupling: 1, CouplingKind: "knots"}, "CouplingKind", `unknown kind "knots": must be one of sines, products`},
		{problem.Blemishes{CouplingKind: "sines"}, "CouplingKind", `"sines" needs a coupling above 0`},
		{problem.Blemishes{ScaleValue: -2}, "ScaleValue", "-2, must be"},
		{problem.Blemishes{Offset: math.Inf(-1)}, "Offset", "-Inf, must be finite"},
		{problem.Blemishes{Digits: 18}, "Digits", "18, must be from 1 to 17"},
		{problem.Blemishes{Digits: -1}, "Digits", "-1, must be from 1 to 17"},
		{problem.Blemishes{Failing: 1}, "Failing", "1, must be at least 0 and below 1"},
		{problem.Blemishes{FailingBeyond: new(-0.1)}, "FailingBeyond", "-0.1, must be a number of at least 0"},
	} {
		_, err := problem.New(problem.Spec{Name: "levy", Dim: 5, Blemishes: c.blemishes})
		var bad *objective.OptionError
		if !errors.As(err, &bad) || bad.Option != c.option || !strings.Contains(bad.Reason, c.want) {
			t.Errorf("%v: error %v, want %s: %s", c.blemishes, err, c.option, c.want)
		}
	}
	if _, err := problem.New(problem.Spec{Name: "levy", Dim: 5, Components: 1, Blemishes: problem.Blemishes{Coupling: 1}}); err == nil {
		t.Error("one component is coupled")
	}
}

func TestBlemishesInWords(t *testing.T) {
	for want, b := range map[string]problem.Blemishes{
		"":                                      {},
		"map=sqrt noise=1e-06":                  {Map: "sqrt", Noise: 1e-6, ScaleValue: 1},
		"coupling=0.1 coupling-kind=sines":      {Coupling: 0.1},
		"coupling=0.1 coupling-kind=products":   {Coupling: 0.1, CouplingKind: "products"},
		"noise-relative=0.01 scale-value=1e-12": {NoiseRelative: 0.01, ScaleValue: 1e-12},
		"offset=-1000 digits=6 failing=0.03 failing-beyond=0": {Offset: -1000, Digits: 6, Failing: 0.03, FailingBeyond: new(0.)},
	} {
		if got := b.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	p := spotted(t, problem.Blemishes{Noise: 0.5})
	if got := p.String(); got != "levy, 5 dimensions, 5 components, mix paper, seed 7, noise=0.5" {
		t.Error(got)
	}
}

func BenchmarkBlemishes(b *testing.B) {
	for _, c := range []problem.Blemishes{{}, {Map: "log"}, {Noise: 1}, {Digits: 6}, {Failing: 0.1}, {FailingBeyond: new(1.)}, {Coupling: 1}} {
		p := must(b, problem.Spec{Name: "rastrigin", Dim: 10, Seed: 1, Blemishes: c})
		points, values := somewhere(p, 50), make([]float64, 50)
		b.Run(c.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Evaluate(context.Background(), points, values); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50, "ns/query")
		})
	}
}
