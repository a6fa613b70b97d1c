package cbo

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// sphere is f(x) = ‖x − 0.3‖², evaluated in batches.
func sphere(d int) objective.Objective {
	return objective.Batch(d, func(points *mat.Dense, values []float64) {
		for i := range values {
			values[i] = 0
			for _, v := range points.RawRowView(i) {
				values[i] += (v - 0.3) * (v - 0.3)
			}
		}
	})
}

func TestTheAnswerIsTheBestPointEverEvaluated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			Particles: rapid.IntRange(2, 12).Draw(t, "n"),
			Seed:      rapid.Uint64().Draw(t, "seed"),
			Restarts:  rapid.IntRange(0, 2).Draw(t, "restarts"),
			Stop:      Stop{Steps: 20},
		}
		cfg.Batch = rapid.IntRange(1, cfg.Particles).Draw(t, "batch")
		if rapid.Bool().Draw(t, "memory") {
			cfg.Memory = Remember{Lambda: 0.4}
		}
		if rapid.Bool().Draw(t, "correction") {
			cfg.Correction = Heaviside{}
		}
		if rapid.Bool().Draw(t, "resample") {
			cfg.Resample.Wait = 2
		}
		var best query.Best
		queries := 0
		f := objective.Func(2, func(x []float64) float64 {
			queries++
			v := math.Sin(9*x[0]) + math.Cos(7*x[1]) + x[0]*x[0]
			best.Offer(x, v)
			return v
		})
		r, err := Run(ctx, f, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.Value != best.Value || !floats.Equal(r.Point, best.Point) {
			t.Fatalf("answer %v at %v, best evaluated %v at %v", r.Value, r.Point, best.Value, best.Point)
		}
		// The documented cost: Particles at the start, Batch per step, and one
		// more per step for a correction that asks.
		cost := r.Runs*cfg.Particles + r.Steps*cfg.Batch
		if cfg.Correction != nil {
			cost += r.Steps
		}
		if queries != cost {
			t.Fatalf("%d queries for %d runs and %d steps, want %d", queries, r.Runs, r.Steps, cost)
		}
	})
}

func TestStopRules(t *testing.T) {
	quarter := func(f objective.Objective) objective.Objective { return query.NewMeter(f, 1000) }
	ended, cancel := context.WithCancel(ctx)
	cancel()
	constant := objective.Func(2, func([]float64) float64 { return 7 })
	for name, c := range map[string]struct {
		ctx  context.Context
		f    objective.Objective
		cfg  Config
		want objective.Status
	}{
		"budget":  {ctx, quarter(sphere(2)), Config{}, objective.BudgetSpent},
		"target":  {ctx, query.NewRecord(query.NewMeter(sphere(2), 1e6), query.Rules{Target: new(1e-3)}, nil), Config{}, objective.TargetReached},
		"spread":  {ctx, query.NewMeter(sphere(2), 1e6), Config{Sigma: Constant(0.5)}, objective.Converged},
		"one":     {ctx, query.NewMeter(sphere(2), 1e6), Config{Particles: 1}, objective.Converged},
		"stalled": {ctx, query.NewMeter(constant, 1e6), Config{Stop: Stop{Stall: 5, Spread: -1}}, objective.Stalled},
		"steps":   {ctx, query.NewMeter(sphere(2), 1e6), Config{Stop: Stop{Steps: 3}}, objective.StepLimit},
		"context": {ended, query.NewMeter(sphere(2), 1e6), Config{}, objective.Cancelled},
	} {
		r, err := Run(c.ctx, c.f, c.cfg)
		if err != nil || r.Status != c.want {
			t.Errorf("%s: status %v, error %v, want %v", name, r.Status, err, c.want)
		}
		if (r.Point == nil) != (name == "context") {
			t.Errorf("%s: point %v", name, r.Point)
		}
	}
}

func TestAnErrorKeepsTheBestPoint(t *testing.T) {
	calls := 0
	f := objective.Func(2, func(x []float64) float64 {
		if calls++; calls > 120 {
			panic("out of paper")
		}
		return x[0]
	})
	r, err := Run(ctx, query.NewGuard(f), Config{})
	if err == nil || !strings.Contains(err.Error(), "out of paper") || r.Status != objective.Failed {
		t.Errorf("status %v, error %v", r.Status, err)
	}
	if r.Point == nil || r.Value != r.Point[0] {
		t.Errorf("best %v at %v", r.Value, r.Point)
	}
}

func TestRestartsAreIndependent(t *testing.T) {
	var starts [][]float64
	cfg := Config{Sigma: Constant(0.5), Restarts: 2, Observe: func(s State) {
		if s.Step == 0 {
			starts = append(starts, append([]float64(nil), s.Particles.RawRowView(0)...))
		}
	}}
	r, err := Run(ctx, sphere(2), cfg)
	if err != nil || r.Runs != 3 || len(starts) != 3 {
		t.Fatalf("%d runs, %d starts, error %v", r.Runs, len(starts), err)
	}
	if floats.Equal(starts[0], starts[1]) || floats.Equal(starts[1], starts[2]) {
		t.Errorf("restarts begin at the same place: %v", starts)
	}
}

func TestKnownPointsAreTheFirstParticles(t *testing.T) {
	points := mat.NewDense(2, 2, []float64{0.1, 0.2, 0.3, 0.4})
	for _, n := range []int{2, 5} {
		_, err := Run(ctx, sphere(2), Config{Particles: n, Points: points, Stop: Stop{Steps: 1}, Observe: func(s State) {
			for i := range min(n, 2) {
				if s.Step == 0 && !floats.Equal(s.Particles.RawRowView(i), points.RawRowView(i)) {
					t.Errorf("n = %d: particle %d starts at %v", n, i, s.Particles.RawRowView(i))
				}
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// If there are more points than particles, all are evaluated and the particles start
// at the best.
func TestTheBestOfManyKnownPointsStart(t *testing.T) {
	points := mat.NewDense(5, 1, []float64{4, 1, 3, 0.5, 2})
	f := objective.Func(1, func(x []float64) float64 { return x[0] })
	var start []float64
	r, err := Run(ctx, query.NewMeter(f, 5), Config{Particles: 2, Points: points, Observe: func(s State) {
		start = append([]float64(nil), s.Particles.RawMatrix().Data...)
	}})
	if err != nil || r.Value != 0.5 || !floats.Equal(start, []float64{1, 0.5}) {
		t.Errorf("value %v, start %v, error %v", r.Value, start, err)
	}
}

// A NaN counts as +Inf even without a Guard.
func TestNaNCountsAsFailure(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 {
		if x[0] < 0.1 {
			return math.NaN()
		}
		return x[0]
	})
	r, err := Run(ctx, query.NewMeter(f, 20_000), Config{})
	if err != nil || !(r.Value < 0.101) {
		t.Errorf("value %v, error %v", r.Value, err)
	}
}

// Every variant finds the minimum of a function that suits it.
func TestVariantsConverge(t *testing.T) {
	for name, cfg := range map[string]Config{
		"plain":       {},
		"isotropic":   {Noise: Isotropic{}, Sigma: Constant(math.Sqrt(2. / 3))},
		"memory":      {Memory: Remember{Lambda: 0.4}},
		"batch":       {Batch: 20},
		"heaviside":   {Correction: Heaviside{}},
		"regularised": {Correction: Regularised{}},
		"resample":    {Resample: Resample{Wait: 20}},
		"restarts":    {Stop: Stop{Stall: 100}, Restarts: 3},
		"transformed": {Noise: Transformed{Frame: frame.Identity(3)}, Domain: ClipIn{frame.Identity(3), 1e8}},
		"truncated":   {Noise: Truncated{Most: 1}},
		"effective":   {Alpha: EffectiveSize{0.1}, Sigma: Constant(3)},
		"covariance":  {Noise: Covariance{}, Alpha: EffectiveSize{0.5}, Tau: 0.2},
		"inertia":     {Momentum: Inertia{0.02}},
		"pso":         {Momentum: Inertia{0.02}, Memory: Remember{Lambda: 0.4}},
		"barrier":     {Mirror: Barrier{objective.Cube(3, -1, 1)}, Sigma: Constant(12)},
		"clamped":     {Domain: Clamp{objective.Cube(3, -1, 1)}},
	} {
		r, err := Run(ctx, query.NewMeter(sphere(3), 60_000), cfg)
		tolerance := 1e-6
		if name == "isotropic" {
			tolerance = 1e-4 // it contracts slowly: 2e-5 measured
		}
		if err != nil || r.Value > tolerance {
			t.Errorf("%s: value %g, status %v, error %v", name, r.Value, r.Status, err)
		}
	}
}

// The minimum of Σx_j on a box is at its lower corner. The minimum of the squared
// distance from a point outside is at the nearest point of the boundary. Because
// the paper's strong noise settles slowly, both are compared with an equally sharp
// minimum inside, the kink of Σ|x_j − 0.3|. With the same number of queries the gap
// on the boundary is at most ten times the gap inside, at the worst of five seeds
// each.
func TestAMinimiserOnTheBoundaryIsFound(t *testing.T) {
	box := objective.Box{Lo: []float64{-1, 0, -0.5, 0.1}, Hi: []float64{1, 2, 0.5, 0.9}}
	outside := []float64{3, 1, -2, 0.5}
	worst := func(f func(x []float64) float64, minimum float64) float64 {
		gap := 0.0
		for seed := range uint64(5) {
			inside := objective.Func(4, func(x []float64) float64 {
				if !box.Contains(x) {
					t.Fatalf("%v lies outside the box", x)
				}
				return f(x)
			})
			r, err := Run(ctx, query.NewMeter(inside, 50_000), Config{Box: box, Domain: Reflect{box}, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			gap = max(gap, r.Value-minimum)
		}
		return gap
	}
	kink := worst(func(x []float64) float64 {
		sum := 0.0
		for _, v := range x {
			sum += math.Abs(v - 0.3)
		}
		return sum
	}, 0)
	corner := worst(floats.Sum, -1.4)
	face := worst(func(x []float64) float64 {
		d := floats.Distance(x, outside, 2)
		return d * d
	}, 4+2.25)
	t.Logf("gaps: inside %.2g, corner %.2g, face %.2g", kink, corner, face)
	if !(kink <= 1e-4 && corner <= 10*kink && face <= 10*kink) {
		t.Errorf("gaps: inside %g, corner %g, face %g", kink, corner, face)
	}
}

func TestReflect(t *testing.T) {
	for _, c := range []struct{ v, want float64 }{
		{1, 1}, {3, 3}, {2, 2}, {0.5, 1.5}, {3.25, 2.75}, {-1, 3}, {5, 1}, {6, 2}, {-2.5, 1.5},
		{math.NaN(), 1}, {math.Inf(1), 1}, {math.Inf(-1), 1},
	} {
		if got := reflect(c.v, 1, 3); got != c.want {
			t.Errorf("%v reflects to %v, want %v", c.v, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e9, 1e9).Draw(t, "lo")
		hi := lo + math.Pow(10, rapid.Float64Range(-6, 9).Draw(t, "log width"))
		if !(lo < hi) {
			t.Skip("an empty box")
		}
		if v := reflect(rapid.Float64().Draw(t, "v"), lo, hi); !(lo <= v && v <= hi) {
			t.Fatalf("%v is outside [%v, %v]", v, lo, hi)
		}
	})
}

// Clipping in a frame does not change a coordinate y_j that is within the radius. A
// point whose coordinates are all within it keeps its bits.
func TestClipIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rng.Seed(rapid.Uint64().Draw(t, "seed")).Stream("test")
		w := mat.NewDense(3, 3, nil)
		r.Norm(w.RawMatrix().Data)
		fr, err := frame.New(w)
		if err != nil || mat.Cond(fr.Matrix(), 2) > 100 {
			t.Skip("nearly singular")
		}
		y, x := mat.NewDense(4, 3, nil), mat.NewDense(4, 3, nil)
		r.Norm(y.RawMatrix().Data)
		y.Scale(math.Pow(10, rapid.Float64Range(-2, 12).Draw(t, "log size")), y)
		fr.Points(x, y)
		before := mat.DenseCopyOf(x)
		ClipIn{fr, 10}.Confine(x, make([]float64, 3))
		after := mat.NewDense(4, 3, nil)
		fr.Coordinates(after, x)
		for i := range 4 {
			slack := 1e-10 * floats.Norm(before.RawRowView(i), 2)
			for j := range 3 {
				if want := clip(y.At(i, j), 10); !(math.Abs(after.At(i, j)-want) <= slack) {
					t.Fatalf("y_%d = %g becomes %g, want %g", j, y.At(i, j), after.At(i, j), want)
				}
			}
			if floats.Norm(before.RawRowView(i), 2) <= 10 && !floats.Equal(before.RawRowView(i), x.RawRowView(i)) {
				t.Fatal("a point inside was moved")
			}
		}
	})
	// With fewer components than dimensions, what the frame does not see stays.
	few, err := frame.New(mat.NewDense(1, 3, []float64{0, 3, 4}))
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(1, 3, []float64{7, 30, 40}) // y = 50
	ClipIn{few, 10}.Confine(x, make([]float64, 3))
	if !mat.EqualApprox(x, mat.NewDense(1, 3, []float64{7, 6, 8}), 1e-13) {
		t.Errorf("(7, 30, 40) is clipped to %v, want (7, 6, 8)", x.RawMatrix().Data)
	}
	// Just outside, far inside and outside of very large and small radii, and
	// near where squares overflow.
	for _, c := range []struct{ radius, x, want float64 }{
		{10, 10.03, 10}, {10, 9.99, 9.99}, {1e155, 1e156, 1e150}, {1e155, 1e149, 1e149}, {math.Inf(1), math.Inf(1), 1e150},
		{1e-170, 1e-165, 1e-170}, {1e-170, 1e-171, 1e-171}, {10, 1e200, 10}, {10, -1e300, -10},
	} {
		x := mat.NewDense(1, 2, []float64{c.x, 0})
		ClipIn{frame.Identity(2), c.radius}.Confine(x, make([]float64, 2))
		if x.At(0, 0) != c.want || x.At(0, 1) != 0 {
			t.Errorf("(%g, 0) is clipped at %g to %v, want %g", c.x, c.radius, x.RawMatrix().Data, c.want)
		}
	}
	// In a square frame a clipped point is W̃†clip(y) and nothing else. A point
	// outside the ball whose coordinates are inside keeps its bits.
	turned, err := frame.New(mat.NewDense(2, 2, []float64{0.6, 0.8, -0.8, 0.6}))
	if err != nil {
		t.Fatal(err)
	}
	y, z, want := mat.NewDense(1, 2, []float64{13, 2}), mat.NewDense(1, 2, nil), mat.NewDense(1, 2, nil)
	turned.Points(z, y)
	turned.Coordinates(y, z)
	y.Set(0, 0, 10)
	turned.Points(want, y)
	ClipIn{turned, 10}.Confine(z, make([]float64, 2))
	if !mat.Equal(z, want) {
		t.Errorf("clipped to %v, want %v", z.RawMatrix().Data, want.RawMatrix().Data)
	}
	turned.Points(z, mat.NewDense(1, 2, []float64{9, 9.5}))
	want.Copy(z)
	ClipIn{turned, 10}.Confine(z, make([]float64, 2))
	if !mat.Equal(z, want) {
		t.Errorf("%v, which is inside, is moved to %v", want.RawMatrix().Data, z.RawMatrix().Data)
	}
	wild := mat.NewDense(1, 2, []float64{math.Inf(1), math.NaN()})
	ClipIn{frame.Identity(2), 10}.Confine(wild, make([]float64, 2))
	if wild.At(0, 0) != 10 || wild.At(0, 1) != 10 {
		t.Errorf("(+Inf, NaN) is clipped to %v", wild.RawMatrix().Data)
	}
	Clip{7}.Confine(wild, nil)
	if wild.At(0, 0) != 7 {
		t.Errorf("10 is clipped to %v", wild.At(0, 0))
	}
}

func TestBatchesTakeTurns(t *testing.T) {
	b := newBatch(10, 3, rng.Seed(1).Stream("test"))
	for range 20 { // permutations
		seen := map[int]bool{}
		for range 3 { // 3 deals of 3 fit in a permutation of 10
			b.deal()
			for _, i := range b.members {
				if seen[i] {
					t.Fatalf("particle %d is dealt twice from one permutation", i)
				}
				seen[i] = true
			}
		}
	}
}

func TestSchedules(t *testing.T) {
	s := Geometric{Start: 100, Factor: 1.005, Limit: 1e5}
	alpha := 100.0
	for k := range 3000 {
		if got := s.At(k); !(math.Abs(got-alpha) <= 1e-9*alpha) {
			t.Fatalf("α_%d = %v, want %v", k, got, alpha)
		}
		alpha = min(alpha*1.005, 1e5)
	}
	if zero := (Geometric{Start: 0, Factor: 1.005, Limit: 1e5}); zero.At(0) != 0 || zero.At(1_000_000) != 0 {
		t.Errorf("0 grows to %v", zero.At(1_000_000))
	}
	if Constant(3).At(17) != 3 {
		t.Error("a constant is not constant")
	}
}

// The defaults, which are set in one place, are the documented ones.
func TestDefaults(t *testing.T) {
	var c Config
	if err := c.complete(4); err != nil {
		t.Fatal(err)
	}
	if c.Particles != 50 || c.Tau != 0.03 || c.Lambda != 1 || c.Sigma.At(0) != 7.1 || c.Alpha.At(0) != 100 ||
		!(math.Abs(c.Alpha.At(1)-100.5) <= 1e-12) || c.Alpha.At(1e6) != 1e5 || c.Batch != 50 || c.Restarts != 0 || c.Stop != (Stop{Spread: 1e-14}) ||
		c.Resample != (Resample{Sigma: 0.1}) || c.Domain != (Clip{1e8}) || c.Noise != (Anisotropic{}) ||
		c.Correction != (Full{}) || c.Memory != (Forget{}) || c.Box.Lo[3] != -1 || c.Box.Hi[0] != 1 {
		t.Errorf("defaults %+v", c)
	}
}

func TestBadConfigs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for option, bad := range map[string][]Config{
		"Particles": {{Particles: -1}, {Particles: 1 << 40}},
		"Box":       {{Box: objective.Cube(2, 1, 0)}, {Box: objective.Cube(3, 0, 1)}, {Box: objective.Cube(2, 0, inf)}},
		"Points":    {{Points: mat.NewDense(1, 3, nil)}},
		"Tau":       {{Tau: -1}, {Tau: nan}, {Tau: inf}},
		"Lambda":    {{Lambda: -1}, {Lambda: nan}},
		"Sigma":     {{Sigma: Constant(-1)}, {Sigma: Constant(nan)}},
		"Alpha": {
			{Alpha: Constant(-1)}, {Alpha: Constant(inf)}, {Alpha: Geometric{}}, {Alpha: Geometric{Start: 1}},
			{Alpha: Geometric{Start: 1, Factor: 0.5, Limit: 2}}, {Alpha: Geometric{Start: 1, Factor: nan, Limit: 2}},
			{Alpha: Geometric{Start: 1, Factor: 2, Limit: inf}}, {Alpha: Geometric{Start: nan, Factor: 2, Limit: 3}},
		},
		"Batch":    {{Batch: -1}, {Batch: 51}},
		"Resample": {{Resample: Resample{Wait: -1}}, {Resample: Resample{Sigma: nan}}},
		"Stop":     {{Stop: Stop{Stall: -1}}, {Stop: Stop{Steps: -1}}, {Stop: Stop{Spread: nan}}},
		"Restarts": {{Restarts: -1}},
	} {
		for _, cfg := range bad {
			calls := 0
			f := objective.Func(2, func([]float64) float64 { calls++; return 0 })
			_, err := Run(ctx, f, cfg)
			var named *objective.OptionError
			if !errors.As(err, &named) || named.Option != option || calls > 0 {
				t.Errorf("%s: error %v after %d queries", option, err, calls)
			}
		}
	}
}

// A step in steady state allocates nothing, with any variant.
func TestAStepAllocatesNothing(t *testing.T) {
	w := mat.NewDense(5, 5, nil)
	rng.Seed(1).Stream("test").Norm(w.RawMatrix().Data)
	fr, err := frame.New(w)
	if err != nil {
		t.Fatal(err)
	}
	box := objective.Cube(5, -2, 2)
	for name, cfg := range map[string]Config{
		"plain":       {},
		"isotropic":   {Noise: Isotropic{}},
		"transformed": {Noise: Transformed{Frame: fr}, Domain: ClipIn{fr, 1}}, // clips often
		"truncated":   {Noise: Truncated{Isotropic{}, 0.1}},
		"covariance":  {Noise: Covariance{}, Alpha: EffectiveSize{0.5}},
		"inertia":     {Momentum: Inertia{0.1}},
		"adam":        {Momentum: Adam{}},
		"polarised":   {Sight: Polarised{1}},
		"mirror":      {Mirror: Onto{Simplex{}}},
		"entropy":     {Mirror: Entropy{}},
		"barrier":     {Mirror: Barrier{box}, Correction: Heaviside{}},
		"everything":  {Batch: 20, Memory: Remember{Lambda: 0.4}, Correction: Regularised{}, Domain: Reflect{box}},
	} {
		if err := cfg.complete(5); err != nil {
			t.Fatal(err)
		}
		s := newSwarm(query.NewGuard(sphere(5)), cfg, 0)
		if err := s.begin(ctx, 0); err != nil {
			t.Fatal(err)
		}
		k := 0
		step := func() {
			s.gather(k)
			if s.stop(k, 0) == objective.Running {
				if err := s.step(ctx, k, true); err != nil {
					t.Fatal(err)
				}
			}
			k++
		}
		for range 50 { // until the best point has been allocated
			step()
		}
		if n := testing.AllocsPerRun(100, step); n > 0 {
			t.Errorf("%s: %v allocations a step", name, n)
		}
	}
}
