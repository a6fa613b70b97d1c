package cbo

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

var ctx = context.Background()

// injected is a gaussian whose numbers the test chooses.
type injected struct {
	xi   []float64
	next int
}

func (g *injected) Norm(dst []float64) { g.next += copy(dst, g.xi[g.next:]) }

// firstCoordinate is f(x) = x_1.
func firstCoordinate(d int) objective.Objective {
	return objective.Func(d, func(x []float64) float64 { return x[0] })
}

// swarmAt makes a swarm at x with injected noise, after its first gather.
func swarmAt(t testing.TB, f objective.Objective, cfg Config, x *mat.Dense, xi []float64) *swarm {
	t.Helper()
	cfg.Particles, _ = x.Dims()
	cfg.Points = x
	cfg.Box = objective.Cube(f.Dim(), -1e9, 1e9)
	if err := cfg.complete(f.Dim()); err != nil {
		t.Fatal(err)
	}
	s := newSwarm(f, cfg, 0)
	s.noise, s.jolt = &injected{xi: xi}, &injected{xi: xi}
	if err := s.begin(ctx, 0); err != nil {
		t.Fatal(err)
	}
	s.gather(0)
	return s
}

// Section 2.1, the Euler–Maruyama step, by hand. Two particles at (0, 0) and
// (4, 2), f = x_1 and α so large that c = (0, 0); τ = 1/4, so √τ = 1/2; σ = 2.
//
//	x^(1): x − c = 0: no drift and no noise, so it stays.
//	x^(2): x − τ(x − c) = (3, 1.5), and σ√τ = 1 times D(x − c)ξ:
//	  anisotropic, ξ = (1, −1): (4·1, 2·(−1)), so (7, −0.5)
//	  isotropic: ‖(4, 2)‖ = √20, so (3 + √20, 1.5 − √20)
//	  transformed with W = [[1, 0], [0.6, 0.8]]: Wz = (4, 4), times ξ (4, −4),
//	    and W⁻¹ = [[1, 0], [−0.75, 1.25]] takes it to (4, −8), so (7, −6.5)
func TestOneStepByHand(t *testing.T) {
	skew, err := frame.New(mat.NewDense(2, 2, []float64{1, 0, 0.6, 0.8}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		noise  Noise
		x1, x2 float64
	}{
		{Anisotropic{}, 7, -0.5},
		{Isotropic{}, 3 + math.Sqrt(20), 1.5 - math.Sqrt(20)},
		{Transformed{Frame: skew}, 7, -6.5},
	} {
		x := mat.NewDense(2, 2, []float64{0, 0, 4, 2})
		cfg := Config{Tau: 0.25, Sigma: Constant(2), Alpha: Constant(1e4), Noise: c.noise}
		s := swarmAt(t, firstCoordinate(2), cfg, x, []float64{5, 5, 1, -1})
		if err := s.step(ctx, 0, false); err != nil {
			t.Fatal(err)
		}
		want := []float64{0, 0, c.x1, c.x2}
		for k, v := range s.x.RawMatrix().Data {
			if !(math.Abs(v-want[k]) <= 1e-14) {
				t.Errorf("%T: particles %v, want %v", c.noise, s.x.RawMatrix().Data, want)
				break
			}
		}
		if s.energies[1] != s.x.At(1, 0) {
			t.Errorf("%T: f = %v at %v", c.noise, s.energies[1], s.x.RawRowView(1))
		}
	}
}

// The variants of the step by hand, with the same particles and numbers:
//
//	λ = 2: x − 2τ(x − c) = (2, 1), plus noise (4, −2): (6, −1)
//	Heaviside: f(x) − f(c) = 4 > 0, so the whole drift: (7, −0.5)
//	Heaviside at f = −x_1: c = (4, 2); x^(1) is worse, so it drifts:
//	  z = (−4, −2), 0 + (1, 0.5) + (−4·5, −2·5) = (−19, −9.5); x^(2) stays
//	Resample with σ_r = 2: adds 2·½·ξ, read from the start: (5, 5), (1, −1)
func TestStepVariantsByHand(t *testing.T) {
	negative := objective.Func(2, func(x []float64) float64 { return -x[0] })
	base := Config{Tau: 0.25, Sigma: Constant(2), Alpha: Constant(1e4)}
	with := func(change func(*Config)) Config {
		cfg := base
		change(&cfg)
		return cfg
	}
	for name, c := range map[string]struct {
		f      objective.Objective
		cfg    Config
		shaken bool
		want   []float64
	}{
		"lambda":           {firstCoordinate(2), with(func(c *Config) { c.Lambda = 2 }), false, []float64{0, 0, 6, -1}},
		"heaviside":        {firstCoordinate(2), with(func(c *Config) { c.Correction = Heaviside{} }), false, []float64{0, 0, 7, -0.5}},
		"heaviside, worse": {negative, with(func(c *Config) { c.Correction = Heaviside{} }), false, []float64{-19, -9.5, 4, 2}},
		"regularised":      {firstCoordinate(2), with(func(c *Config) { c.Correction = Regularised{Epsilon: 1e-3} }), false, []float64{0, 0, 7, -0.5}},
		"resample":         {firstCoordinate(2), with(func(c *Config) { c.Resample = Resample{1, 2} }), true, []float64{5, 5, 8, -1.5}},
		"clip":             {firstCoordinate(2), with(func(c *Config) { c.Domain = Clip{5} }), false, []float64{0, 0, 5, -0.5}},
	} {
		x := mat.NewDense(2, 2, []float64{0, 0, 4, 2})
		s := swarmAt(t, c.f, c.cfg, x, []float64{5, 5, 1, -1})
		if err := s.step(ctx, 0, c.shaken); err != nil {
			t.Fatal(err)
		}
		for k, v := range s.x.RawMatrix().Data {
			if !(math.Abs(v-c.want[k]) <= 1e-13) {
				t.Errorf("%s: particles %v, want %v", name, s.x.RawMatrix().Data, c.want)
				break
			}
		}
	}
}

// Memory by hand, d = 1, c = 0 throughout (a third particle sits there). The
// particle at 4 went up to 6, remembers p = 4, and is pulled by c and by p:
// 6 − τ·6 + σ√τ·6·ξ − λ_m τ·2 + σ_m√τ·2·ζ with τ = ¼, σ = 2, λ_m = 0.4,
// σ_m = 0.8, ξ = ½, ζ = −1: 6 − 1.5 + 3 − 0.2 − 0.8 = 6.5.
func TestMemoryByHand(t *testing.T) {
	f := objective.Func(1, func(x []float64) float64 { return math.Abs(x[0]) })
	x := mat.NewDense(2, 1, []float64{0, 4})
	cfg := Config{Tau: 0.25, Sigma: Constant(2), Alpha: Constant(1e4), Memory: Remember{Lambda: 0.4}}
	// Step 1, first pull: 4 − 1 + 4·ξ with ξ = ¾ is 6. What is remembered does not
	// differ yet, so the second pull is 0. Step 2 is as above.
	s := swarmAt(t, f, cfg, x, []float64{9, 0.75, 9, 9, 9, 0.5, 9, -1})
	for k, want := range []float64{6, 6.5} {
		if err := s.step(ctx, k, false); err != nil {
			t.Fatal(err)
		}
		s.gather(k + 1)
		if !(math.Abs(s.x.At(1, 0)-want) <= 1e-13) || s.past.At(1, 0) != 4 || s.pastE[1] != 4 || s.c[0] != 0 {
			t.Fatalf("step %d: x = %v, want %v; p = %v, c = %v", k, s.x.At(1, 0), want, s.past.At(1, 0), s.c)
		}
	}
}

// A given σ_m is used unchanged. The default is λ_m σ.
func TestMemorySigma(t *testing.T) {
	if l, s := (Remember{Lambda: 0.4}).pull(5); l != 0.4 || s != 2 {
		t.Errorf("λ_m = %v, σ_m = %v", l, s)
	}
	if l, s := (Remember{Lambda: 0.4, Sigma: 3}).pull(5); l != 0.4 || s != 3 {
		t.Errorf("λ_m = %v, σ_m = %v", l, s)
	}
}

// naiveStep is the formula of section 2.1 with dense matrices D(z).
func naiveStep(x, c, xi []float64, tau, sigma float64, noise Noise) []float64 {
	d := len(x)
	z := mat.NewVecDense(d, nil)
	for j := range x {
		z.SetVec(j, x[j]-c[j])
	}
	matrix := mat.NewDense(d, d, nil) // D(z)
	switch noise := noise.(type) {
	case Isotropic:
		for j := range d {
			matrix.Set(j, j, mat.Norm(z, 2))
		}
	case Anisotropic:
		for j := range d {
			matrix.Set(j, j, z.AtVec(j))
		}
	case Transformed:
		var wz mat.VecDense
		wz.MulVec(noise.Frame.Matrix(), z)
		matrix.Mul(noise.Frame.Inverse(), mat.NewDiagDense(d, wz.RawVector().Data))
	}
	var s mat.VecDense
	s.MulVec(matrix, mat.NewVecDense(d, xi))
	out := make([]float64, d)
	for j := range out {
		out[j] = x[j] - tau*(x[j]-c[j]) + sigma*math.Sqrt(tau)*s.AtVec(j)
	}
	return out
}

func TestStepIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rng.Seed(rapid.Uint64().Draw(t, "seed")).Stream("test")
		n, d := rapid.IntRange(1, 4).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "d")
		w := mat.NewDense(d, d, nil)
		r.Norm(w.RawMatrix().Data)
		fr, err := frame.New(w)
		if err != nil || mat.Cond(fr.Matrix(), 2) > 1e3 {
			t.Skip("nearly singular")
		}
		x, xi := mat.NewDense(n, d, nil), make([]float64, n*d)
		r.Norm(x.RawMatrix().Data)
		r.Norm(xi)
		tau, sigma := 0.01+r.Float64(), 3*r.Float64()
		for _, noise := range []Noise{Isotropic{}, Anisotropic{}, Transformed{Frame: fr}} {
			cfg := Config{Particles: n, Tau: tau, Sigma: Constant(sigma), Alpha: Constant(3), Noise: noise,
				Points: x, Box: objective.Cube(d, -1, 1)}
			if err := cfg.complete(d); err != nil {
				t.Fatal(err)
			}
			s := newSwarm(firstCoordinate(d), cfg, 0)
			s.noise = &injected{xi: xi}
			if err := s.begin(ctx, 0); err != nil {
				t.Fatal(err)
			}
			s.gather(0)
			c := append([]float64(nil), s.c...)
			if err := s.step(ctx, 0, false); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				want := naiveStep(x.RawRowView(i), c, xi[i*d:(i+1)*d], tau, sigma, noise)
				for j := range want {
					if !(math.Abs(s.x.At(i, j)-want[j]) <= 1e-11) {
						t.Fatalf("%T: particle %d is %v, want %v", noise, i, s.x.RawRowView(i), want)
					}
				}
			}
		}
	})
}

// Section 3.2: D^transform(z; I) = D^aniso(z), to the bit.
func TestTransformedByTheIdentityIsAnisotropic(t *testing.T) {
	f := objective.Func(7, func(x []float64) float64 {
		sum := 0.0
		for j, v := range x {
			sum += float64(j+1) * v * v
		}
		return sum
	})
	trace := func(noise Noise) (trace []uint64) {
		_, err := Run(ctx, f, Config{Noise: noise, Seed: 3, Stop: Stop{Steps: 200}, Observe: func(s State) {
			for _, v := range s.Particles.RawMatrix().Data {
				trace = append(trace, math.Float64bits(v))
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		return trace
	}
	want, got := trace(Anisotropic{}), trace(Transformed{Frame: frame.Identity(7)})
	if len(want) != 201*50*7 || !slices.Equal(got, want) {
		t.Fatalf("traces of %d and %d numbers differ", len(got), len(want))
	}
}

// Section 3.2: with Y = W⁻¹X, anisotropic CBO on g from X and CBO on
// f = g(W·) with transformed noise from Y, driven by the same ξ, satisfy
// WY_k = X_k for all k. Checked to 1e-9 over 50 steps, for the variants too.
func TestChangeOfVariables(t *testing.T) {
	for name, variant := range map[string]Config{
		"plain": {}, "isotropic": {Noise: Isotropic{}}, "additive": {Noise: Additive{}}, "truncated": {Noise: Truncated{Most: 0.5}},
		"inertia": {Momentum: Inertia{0.1}}, "memory": {Memory: Remember{Lambda: 0.4}}, "batch": {Batch: 10},
		"effective size": {Alpha: EffectiveSize{0.5}}, "corrected": {Correction: Heaviside{}},
	} {
		t.Run(name, func(t *testing.T) { changeOfVariables(t, variant) })
	}
}

func changeOfVariables(t *testing.T, variant Config) {
	for seed := range uint64(10) {
		r := rng.Seed(seed).Stream("test")
		const n, d = 20, 6
		w := mat.NewDense(d, d, nil)
		r.Norm(w.RawMatrix().Data)
		fr, err := frame.New(w)
		if err != nil {
			t.Fatal(err)
		}
		g := func(y []float64) float64 {
			sum := 0.0
			for _, v := range y {
				sum += v*v - math.Cos(5*v)
			}
			return sum
		}
		f := objective.Func(d, func(x []float64) float64 {
			y := mat.NewDense(1, d, nil)
			fr.Coordinates(y, mat.NewDense(1, d, x))
			return g(y.RawRowView(0))
		})
		startY := mat.NewDense(n, d, nil) // coordinates y, the particles of g
		r.Norm(startY.RawMatrix().Data)
		startX := mat.NewDense(n, d, nil)
		fr.Points(startX, startY)

		paths := make([][]*mat.Dense, 2)
		for k, c := range []struct {
			f     objective.Objective
			start *mat.Dense
			noise Noise
		}{
			{objective.Func(d, g), startY, variant.Noise},
			{f, startX, Transformed{fr, variant.Noise}},
		} {
			cfg := variant
			cfg.Particles, cfg.Points, cfg.Noise, cfg.Domain, cfg.Seed, cfg.Stop.Steps = n, c.start, c.noise, Free{}, seed, 50
			cfg.Sigma = Constant(1)
			if cfg.Alpha == nil {
				cfg.Alpha = Constant(30)
			}
			cfg.Observe = func(s State) { paths[k] = append(paths[k], mat.DenseCopyOf(s.Particles)) }
			if _, err := Run(ctx, c.f, cfg); err != nil {
				t.Fatal(err)
			}
		}
		back := mat.NewDense(n, d, nil)
		for k := range paths[0] {
			fr.Coordinates(back, paths[1][k])
			if !mat.EqualApprox(back, paths[0][k], 1e-9) {
				t.Fatalf("seed %d: the paths have parted at step %d", seed, k)
			}
		}
		if len(paths[0]) != 51 {
			t.Fatalf("%d states of 50 steps", len(paths[0]))
		}
	}
}

// With m < d components, transformed noise explores only in the span of W̃†. The
// part of x that f ignores moves only by the drift to the consensus.
func TestTransformedNoiseOfFewComponents(t *testing.T) {
	fr, err := frame.New(mat.NewDense(1, 3, []float64{0, 1, 0}))
	if err != nil {
		t.Fatal(err)
	}
	noise := Transformed{Frame: fr}
	if noise.Width(3) != 1 {
		t.Errorf("width %d, want 1", noise.Width(3))
	}
	dst, z := mat.NewDense(1, 3, nil), mat.NewDense(1, 3, []float64{5, 2, 7})
	noise.Apply(dst, z, mat.NewDense(1, 1, []float64{3}), mat.NewDense(1, 1, nil))
	if got := fmt.Sprint(dst.RawMatrix().Data); got != "[0 6 0]" {
		t.Errorf("D(z)ξ = %s, want [0 6 0]", got)
	}
}
