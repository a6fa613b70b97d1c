package auto

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// noisyFunc is g with random noise of standard deviation sigma.
func noisyFunc(d int, sigma float64, seed uint64, g func(x []float64) float64) objective.Objective {
	stream := rng.Seed(seed).Stream("test")
	return objective.Func(d, func(x []float64) float64 { return g(x) + float64(sigma*stream.NormFloat64()) })
}

// noisyWatch watches a noisy function whose noise is known.
func noisyWatch(f objective.Objective, sigma float64) *watched {
	w := watch(f, func(objective.Stage) {})
	w.grain = objective.Known(sigma)
	w.noise = newNoise(w.grain, 1_000_000, 0)
	w.due = func(context.Context, int) error { return nil }
	return w
}

// Student's quantiles, from a table.
func TestStudent(t *testing.T) {
	for nu, want := range map[int]float64{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 7: 2.365, 10: 2.228, 30: 2.042, 120: 1.980} {
		if got := student(nu); math.Abs(got-want) > 6e-4 {
			t.Errorf("%d degrees of freedom: %v, want %v", nu, got, want)
		}
	}
	if !math.IsInf(student(0), 1) {
		t.Errorf("one value has the error %v, want ∞", student(0))
	}
}

// Averages, joined in any way, have the mean and the variance of all values, and leave out
// what has failed. Where more has failed than not the mean is worse than all others.
func TestAverage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		failing := rapid.Map(rapid.Float64Range(-1e3, 1e3), func(v float64) float64 {
			if v > 500 {
				return math.Inf(1)
			}
			return v
		})
		values := rapid.SliceOfN(failing, 2, 30).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		var a, b average
		for i, v := range values {
			if i < cut {
				a.add(v)
			} else {
				b.add(v)
			}
		}
		a.join(b)
		right := slices.DeleteFunc(slices.Clone(values), notFinite)
		if 2*len(right) < len(values) || len(right) == 0 {
			if !math.IsInf(a.mean(), 1) {
				t.Fatalf("%v: the mean is %v", values, a.mean())
			}
			return
		}
		mean, n := 0.0, float64(len(right))
		for _, v := range right {
			mean += v / n
		}
		variance := 0.0
		for _, v := range right {
			variance += (v - mean) * (v - mean) / (n - 1)
		}
		if len(right) == 1 {
			variance = math.Inf(1)
		}
		if math.Abs(a.mean()-mean) > 1e-9 || math.Abs(a.variance()-variance) > 1e-9*(1+variance) || a.first != values[a.before] {
			t.Fatalf("%+v with variance %v, want %v, %v", a, a.variance(), mean, variance)
		}
	})
}

// A noisy simulator that crashes by chance: the best point is compared all the same, and its
// value has an interval.
func TestNoiseAndCrashes(t *testing.T) {
	for _, part := range []float64{0.05, 0.3} {
		random := rng.Seed(1).Stream("crashes")
		f := objective.Func(3, func(x []float64) float64 {
			if random.Float64() < part {
				return math.Inf(1)
			}
			return 3 + x[0]*x[0] + 2*x[1]*x[1] + x[2]*x[2] + 0.01*random.NormFloat64()
		})
		out, err := Auto{}.Minimize(ctx, query.NewMeter(f, 5000), strategy.Task{Budget: 5000})
		c := out.Chosen
		if err != nil || out.Noise == nil || out.Noise.Kind != objective.RandomNoise || c == nil {
			t.Fatalf("%v of all points fail: noise %v, chosen %v, error %v", part, out.Noise, c, err)
		}
		if !(math.Abs(c.Mean-3) < 3*c.Error+1e-3) || !(c.Error < 0.01) {
			t.Errorf("%v of all points fail: %+v", part, c)
		}
	}
}

// The average of a trail by hand: p/n is 1 up to the sixth generation, then 6/7.
func TestTrail(t *testing.T) {
	var trail trail
	for k := range 7 {
		x := float64(k + 1)
		trail.follow(cmaes.State{Mean: []float64{x}, Points: [][]float64{{x - 1}, {x + 1}}}, 10*x)
	}
	want := 6 + 6./7
	if math.Abs(trail.mean[0]-want) > 1e-12 || math.Abs(trail.value-10*want) > 1e-12 || math.Abs(trail.covariance.At(0, 0)-2) > 1e-12 {
		t.Errorf("mean %v, value %v, covariance %v; want %v, %v, 2", trail.mean, trail.value, trail.covariance.At(0, 0), want, 10*want)
	}
}

// A contest finds the best of six points, and its interval has the true value. With 200
// contests a right interval of 95 % holds in 180 or more with a probability of 0.999.
func TestContest(t *testing.T) {
	right, covered := 0, 0
	for seed := range uint64(200) {
		w := noisyWatch(noisyFunc(1, 1, seed, func(x []float64) float64 { return x[0] }), 1)
		c := &contest{f: w, left: 300}
		for _, x := range []float64{3, 1, 0, 5, 2, 4} {
			c.finalists = append(c.finalists, &finalist{x: []float64{x}})
		}
		chosen, err := c.choose(ctx)
		if err != nil || w.queries > 300 {
			t.Fatal(err, w.queries)
		}
		if chosen.Point[0] == 0 {
			right++
		}
		if math.Abs(chosen.Mean-chosen.Point[0]) <= chosen.Error {
			covered++
		}
	}
	if right < 195 || covered < 180 {
		t.Errorf("%d of 200 right, %d of 200 intervals", right, covered)
	}
}

// Pairs give slope and curvature as naive least squares do, with the variances that follow
// from those of the values.
func TestPairsAreLeastSquares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		const sigma, fx = 0.3, 1.7
		var p pairs
		x, v := mat.NewDense(2*n, 2, nil), mat.NewDense(2*n, 1, nil)
		for i := range n {
			h := rapid.Float64Range(0.5, 2).Draw(t, "h")
			up, down := rapid.Float64Range(-5, 5).Draw(t, "up"), rapid.Float64Range(-5, 5).Draw(t, "down")
			p.add(h, up, down, func(float64) float64 { return sigma })
			x.SetRow(2*i, []float64{h, h * h / 2})
			x.SetRow(2*i+1, []float64{-h, h * h / 2})
			v.Set(2*i, 0, up-fx)
			v.Set(2*i+1, 0, down-fx)
		}
		var want, xx, inverse mat.Dense
		if err := want.Solve(x, v); err != nil {
			t.Fatal(err)
		}
		xx.Mul(x.T(), x)
		if err := inverse.Inverse(&xx); err != nil {
			t.Fatal(err)
		}
		b, c, vb, vc := p.parabola(fx, 0)
		for _, check := range [][2]float64{
			{b, want.At(0, 0)}, {c, want.At(1, 0)}, {vb, sigma * sigma * inverse.At(0, 0)}, {vc, sigma * sigma * inverse.At(1, 1)},
		} {
			if math.Abs(check[0]-check[1]) > 1e-9*(1+math.Abs(check[1])) {
				t.Fatalf("b, c and their variances are %v %v %v %v, want %v", b, c, vb, vc, check[1])
			}
		}
	})
}

// frameOf are coordinates along the rows of u, with scale 1.
func frameOf(u *mat.Dense) *coordinates {
	m, d := u.Dims()
	return &coordinates{w: u, u: u, bounds: objective.Cube(d, math.Inf(-1), math.Inf(1)), scale: slices.Repeat([]float64{1}, m), singles: ranks.First(m)}
}

func identity(d int) *mat.Dense {
	u := mat.NewDense(d, d, nil)
	for i := range d {
		u.Set(i, i, 1)
	}
	return u
}

// Newton steps come to the minimum far below the noise, in coordinates that fit and in others.
// It says when it is there, and does not go on for ever.
func TestNewton(t *testing.T) {
	const d, sigma = 6, 0.01
	for name, g := range map[string]func(x []float64) float64{
		"separable": func(x []float64) float64 {
			sum := 0.0
			for i, v := range x {
				z := v - 0.1
				sum += float64(i+1) * (z*z + 0.3*z*z*z)
			}
			return sum
		},
		"not separable": func(x []float64) float64 {
			sum, all := 0.0, 0.0
			for _, v := range x {
				sum += (v - 0.1) * (v - 0.1)
				all += v - 0.1
			}
			return sum + all*all
		},
	} {
		done := 0
		for seed := range uint64(10) {
			w := noisyWatch(noisyFunc(d, sigma, seed, g), sigma)
			s := newNewton(w, frameOf(identity(d)), make([]float64, d), false)
			if err := s.descend(ctx, 0.05, 20_000); err != nil {
				t.Fatal(err)
			}
			if gap := g(s.x); gap < 0.3*sigma && s.done {
				done++
			}
		}
		if done < 9 {
			t.Errorf("%s: %d of 10", name, done)
		}
	}
}

// The Hessian of a quadratic is diagonal in the coordinates that conjugate returns.
func TestConjugate(t *testing.T) {
	const d = 4
	h := mat.NewSymDense(d, []float64{4, 1, 0, 2, 1, 3, 1, 0, 0, 1, 5, 1, 2, 0, 1, 6})
	g := func(x []float64) float64 {
		v := mat.NewVecDense(d, slices.Clone(x))
		return mat.Inner(v, h, v) / 2
	}
	w := noisyWatch(noisyFunc(d, 1e-9, 1, g), 1e-9)
	s := newNewton(w, frameOf(identity(d)), make([]float64, d), false)
	s.free = true
	if err := s.feel(ctx); err != nil {
		t.Fatal(err)
	}
	at, err := s.conjugate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var m mat.Dense
	m.Product(at.u, h, at.u.T())
	for i := range d {
		for j := range i {
			if v := m.At(i, j) / math.Sqrt(m.At(i, i)*m.At(j, j)); math.Abs(v) > 0.2 {
				t.Errorf("the mixed element %d, %d is %v of the diagonal ones", i+1, j+1, v)
			}
		}
	}
}

// The budget is kept to exactly, and the comparison has its share of it. A run that goes on
// beyond its plan asks for the same points up to it.
func TestComparisonWithinTheBudget(t *testing.T) {
	const d, budget = 3, 2000
	ackley := func(x []float64) float64 {
		sum := 0.0
		for i, v := range x {
			sum += math.Abs(v-0.3*x[(i+1)%d]) + v*v
		}
		return math.Sqrt(sum)
	}
	points := map[int][][]float64{}
	for _, limit := range []int{budget, 2*budget + 300} {
		f := objective.Func(d, func(x []float64) float64 {
			points[limit] = append(points[limit], slices.Clone(x))
			return ackley(x) + 0.1*rng.Seed(len(points[limit])).Stream("test").NormFloat64()
		})
		compared := false
		task := strategy.Task{Budget: budget, Limit: limit, Stage: func(s objective.Stage) { compared = compared || s.Name == comparison.Name }}
		out, err := Auto{}.Minimize(ctx, query.NewMeter(f, limit), task)
		if err != nil || out.Status != objective.BudgetSpent || len(points[limit]) != limit {
			t.Fatalf("%v after %d queries, error %v", out.Status, len(points[limit]), err)
		}
		if !compared || out.Chosen == nil || out.Noise == nil || out.Noise.Kind != objective.RandomNoise {
			t.Fatalf("compared %v, chosen %v, noise %v", compared, out.Chosen, out.Noise)
		}
		if !slices.Equal(points[limit][out.Chosen.Query-1], out.Chosen.Point) {
			t.Errorf("query %d is not at the point chosen", out.Chosen.Query)
		}
	}
	for i, x := range points[budget] {
		if !slices.Equal(x, points[2*budget+300][i]) {
			t.Fatalf("query %d is at another point with another limit", i+1)
		}
	}
}

// Noise that does not change when a point is asked again, and rasters: the interval has the
// true value.
func TestOtherNoise(t *testing.T) {
	const d = 4
	bowl := func(x []float64) float64 {
		sum := 3.0
		for i, v := range x {
			sum += float64(i+1) * (v - 0.2) * (v - 0.2)
		}
		return sum
	}
	for name, f := range map[string]func(x []float64) float64{
		"deterministic": func(x []float64) float64 {
			noise := 0.0
			for i, v := range x {
				noise += math.Sin(1e9 * v * float64(i+1))
			}
			return bowl(x) + 1e-3*noise
		},
		"raster": func(x []float64) float64 { return math.Round(bowl(x)*1e3) / 1e3 },
	} {
		w := query.NewMeter(objective.Func(d, f), 5000)
		out, err := Auto{}.Minimize(ctx, w, strategy.Task{Budget: 5000})
		if err != nil || out.Noise == nil || string(out.Noise.Kind) != name {
			t.Fatalf("%s: noise %v, error %v", name, out.Noise, err)
		}
		c := out.Chosen
		if c == nil || !(math.Abs(c.Mean-3) < 3*c.Error+1e-3) || !(c.Error < 1e-3) {
			t.Errorf("%s: %+v after %d queries, %v", name, c, w.Queries(), out.Status)
		}
	}
}

// An error of f ends a comparison, and is passed on.
func TestComparisonThatFails(t *testing.T) {
	broken := errors.New("broken")
	n := 0
	f := objective.Batch(2, func(points *mat.Dense, values []float64) {
		for i := range values {
			n++
			values[i] = points.At(i, 0)*points.At(i, 0) + math.Abs(points.At(i, 1)) + 0.1*rng.Seed(n).Stream("test").NormFloat64()
		}
	})
	failing := failsAfter{f, &n, 5850, broken}
	_, err := Auto{}.Minimize(ctx, failing, strategy.Task{Budget: 6000})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

// failsAfter is f, until so many queries were made.
type failsAfter struct {
	objective.Objective
	n    *int
	most int
	err  error
}

func (f failsAfter) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if *f.n >= f.most {
		return f.err
	}
	return f.Objective.Evaluate(ctx, points, values)
}

// Where f is flat and exact, as |f| with relative noise is at a minimum of 0, there is nothing to
// gain, and settling stays where it is.
func TestNewtonWhereNothingIsLeft(t *testing.T) {
	const d = 3
	w := noisyWatch(objective.Func(d, func([]float64) float64 { return 0 }), 0)
	w.grain.Relative = 1e-3
	x := []float64{0.1, 0.2, 0.3}
	s := newNewton(w, frameOf(identity(d)), x, false)
	if err := s.descend(ctx, 0.05, 20_000); err != nil {
		t.Fatal(err)
	}
	if !s.done || !slices.Equal(s.x, x) {
		t.Errorf("done: %t, at %v", s.done, s.x)
	}
}

// Where f fails at the point that a search has come to, nothing can be told about it: neither
// settling nor a Hessian asks for points that are not numbers.
func TestNewtonWhereFFails(t *testing.T) {
	for d := 1; d <= 3; d++ {
		x := slices.Repeat([]float64{0.1}, d)
		noisy := noisyFunc(d, 1e-3, 1, func(y []float64) float64 {
			if slices.ContainsFunc(y, math.IsNaN) {
				t.Fatalf("asked at %v", y)
			}
			if slices.Equal(x, y) {
				return math.Inf(1)
			}
			return kernel.Dot(y, y)
		})
		w := noisyWatch(noisy, 1e-3)
		r := &run{f: w, task: strategy.Task{Budget: 10_000}}
		if err := r.finishFrom(ctx, x, axes(nil, objective.Cube(d, math.Inf(-1), math.Inf(1)), d), 5000); err != nil {
			t.Fatal(err)
		}
		s := newNewton(w, frameOf(identity(d)), x, false)
		if err := s.descend(ctx, 0.05, 20_000); err != nil || s.done {
			t.Errorf("done: %t, %v", s.done, err)
		}
	}
}

// However large or small f is, Newton steps ask it at numbers.
func TestFinishWhateverTheUnit(t *testing.T) {
	for _, unit := range []float64{1e-310, 1e-300, 1e-200, 1e200, 1e300} {
		for d := 1; d <= 2; d++ {
			w := noisyWatch(noisyFunc(d, unit*1e-3, 1, func(x []float64) float64 {
				if slices.ContainsFunc(x, notFinite) {
					t.Fatalf("in units of %v asked at %v", unit, x)
				}
				return unit * kernel.Dot(x, x)
			}), unit*1e-3)
			r := &run{f: w, task: strategy.Task{Budget: 10_000}}
			if err := r.finishFrom(ctx, slices.Repeat([]float64{0.1}, d), axes(nil, objective.Cube(d, math.Inf(-1), math.Inf(1)), d), 5000); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Where f is exactly 0, whatever noise was told, its noise is 0 and a number.
func TestQuieterAtZero(t *testing.T) {
	w := noisyWatch(objective.Func(2, func([]float64) float64 { return 0 }), 1e-3)
	w.first = 1
	r := &run{f: w}
	if again, err := r.quieter(ctx, []float64{0, 0}); !again || err != nil {
		t.Fatal(again, err)
	}
	if got := w.sigma(1); math.IsNaN(got) || got > 1e-10 {
		t.Errorf("noise %v", got)
	}
}

// Where f has failed everywhere what is said of its noise is a number.
func TestNoiseOfWhatFails(t *testing.T) {
	w := noisyWatch(objective.Func(2, func([]float64) float64 { return math.NaN() }), 1e-3)
	w.best.Value = math.Inf(1)
	if n := (&run{f: w, measured: true}).noise(); n.Sigma != 1e-3 {
		t.Errorf("%+v", n)
	}
}
