package cbo

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// naiveSimplex finds θ of Σ max(x_j − θ, 0) = 1 by bisection.
func naiveSimplex(x []float64) []float64 {
	part := func(theta float64) []float64 {
		out := make([]float64, len(x))
		for j, v := range x {
			out[j] = math.Max(v-theta, 0)
		}
		return out
	}
	lo, hi := floats.Min(x)-2, floats.Max(x)
	for range 200 {
		if floats.Sum(part((lo+hi)/2)) > 1 {
			lo = (lo + hi) / 2
		} else {
			hi = (lo + hi) / 2
		}
	}
	return part(hi)
}

// someEqualities returns m equalities Ax = b in d dimensions as they are given and as a set.
func someEqualities(t testing.TB, m, d int, r *rng.Stream) (*mat.Dense, []float64, Equalities) {
	t.Helper()
	a, b := mat.NewDense(m, d, nil), make([]float64, m)
	r.Norm(a.RawMatrix().Data)
	r.Norm(b)
	set, err := NewEqualities(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return a, b, set
}

// naiveEqualities is x − Aᵀ(AAᵀ)⁻¹(Ax − b).
func naiveEqualities(a *mat.Dense, b, x []float64) []float64 {
	var rest, gram, l, back, out mat.Dense
	point, right := mat.NewDense(len(x), 1, x), mat.NewDense(len(b), 1, b)
	rest.Mul(a, point)
	rest.Sub(&rest, right)
	gram.Mul(a, a.T())
	if err := l.Solve(&gram, &rest); err != nil {
		panic(err)
	}
	back.Mul(a.T(), &l)
	out.Sub(point, &back)
	return mat.Col(nil, 0, &out)
}

// The projections are what their definitions say, and the nearest point does not move.
func TestProjections(t *testing.T) {
	r := rng.Seed(1).Stream("test")
	for range 100 {
		d := 1 + r.IntN(6)
		a, b, equalities := someEqualities(t, 1+r.IntN(d), d, r)
		x := mat.NewDense(1, d, nil)
		r.Norm(x.RawRowView(0))
		box := objective.Cube(d, -0.5, 0.7)
		for name, c := range map[string]struct {
			set   Domain
			naive func(x []float64) []float64
		}{
			"simplex": {Simplex{}, naiveSimplex},
			"sphere": {Sphere{2}, func(x []float64) []float64 {
				out := make([]float64, len(x))
				return floats.ScaleTo(out, 2/floats.Norm(x, 2), x)
			}},
			"equalities": {equalities, func(x []float64) []float64 { return naiveEqualities(a, b, x) }},
			"box": {Clamp{box}, func(x []float64) []float64 {
				out := make([]float64, len(x))
				for j, v := range x {
					out[j] = math.Max(-0.5, math.Min(0.7, v))
				}
				return out
			}},
			"in other units": {Scaled{Simplex{}, objective.Cube(d, 2, 8)}, func(x []float64) []float64 {
				out := make([]float64, len(x))
				for j, v := range x {
					out[j] = 5 + 3*v
				}
				out = naiveSimplex(out)
				for j, v := range out {
					out[j] = (v - 5) / 3
				}
				return out
			}},
		} {
			got := mat.DenseCopyOf(x)
			want := c.naive(x.RawRowView(0))
			c.set.Confine(got, make([]float64, d))
			for range 2 {
				if !floats.EqualApprox(got.RawRowView(0), want, 1e-9) {
					t.Fatalf("%s: %v is projected to %v, want %v", name, x.RawRowView(0), got.RawRowView(0), want)
				}
				c.set.Confine(got, make([]float64, d))
			}
		}
	}
	if _, err := NewEqualities(mat.NewDense(2, 2, []float64{1, 2, 2, 4}), []float64{1, 2}); err == nil {
		t.Error("dependent equalities are accepted")
	}
	if _, err := NewEqualities(mat.NewDense(1, 2, []float64{1, 2}), nil); err == nil {
		t.Error("equalities without right sides are accepted")
	}
	odd := mat.NewDense(3, 2, []float64{0, 0, math.Inf(1), 1, math.NaN(), math.Inf(-1)})
	for _, set := range []Domain{Sphere{1}, Simplex{}} {
		p := mat.DenseCopyOf(odd)
		set.Confine(p, make([]float64, 2))
		for i := range 3 {
			if outside(set, p.RawRowView(i)) > 1e-15 {
				t.Errorf("%T: %v goes to %v", set, odd.RawRowView(i), p.RawRowView(i))
			}
		}
	}
}

// outside is how far x is from a set, as rounding sees it.
func outside(set Domain, x []float64) float64 {
	switch set := set.(type) {
	case Sphere:
		return math.Abs(floats.Norm(x, 2)/set.Radius - 1)
	case Simplex:
		if floats.Min(x) < 0 {
			return math.Inf(1)
		}
		return math.Abs(floats.Sum(x) - 1)
	}
	return math.NaN()
}

// Bungert, Hoffmann, Kim and Roith 2025: duals move by what their images are, and the images
// follow. With the projections, the entropy of the simplex and the barrier of a box.
func TestMirrorIsTheFormula(t *testing.T) {
	box := objective.Cube(3, -2, 2)
	barrier := func(y []float64) []float64 {
		out := make([]float64, len(y))
		for j, v := range y {
			out[j] = 2 * (math.Sqrt(1+v*v) - 1) / v // CBXpy's form of the same
		}
		return out
	}
	softmax := func(y []float64) []float64 {
		out := make([]float64, len(y))
		for j, v := range y {
			out[j] = math.Exp(v)
		}
		floats.Scale(1/floats.Sum(out), out)
		return out
	}
	for name, c := range map[string]struct {
		mirror Mirror
		naive  func(y []float64) []float64
	}{
		"simplex": {Onto{Simplex{}}, naiveSimplex},
		"sphere":  {Onto{Sphere{1}}, func(y []float64) []float64 { return floats.ScaleTo(make([]float64, len(y)), 1/floats.Norm(y, 2), y) }},
		"entropy": {Entropy{}, softmax},
		"barrier": {Barrier{box}, barrier},
	} {
		for seed := range uint64(10) {
			r := rng.Seed(seed).Stream("test")
			const n, d, steps = 4, 3, 3
			xi := make([]float64, n*d*steps)
			r.Norm(xi)
			cfg := Config{Particles: n, Tau: oracleTau, Sigma: Constant(oracleSigma), Alpha: Constant(oracleAlpha), Mirror: c.mirror, Seed: seed}
			if err := cfg.complete(d); err != nil {
				t.Fatal(err)
			}
			s := newSwarm(objective.Func(d, bumpy), cfg, 0)
			s.noise = &injected{xi: xi}
			if err := s.begin(ctx, 0); err != nil {
				t.Fatal(err)
			}
			y := rowsOf(s.y)
			for k := range steps {
				s.gather(k)
				x := make([][]float64, n)
				for i := range y {
					x[i] = c.naive(y[i])
				}
				mean := naiveMean(x, naiveSoftmin(energiesOf(x), oracleAlpha))
				for i := range y {
					for j := range y[i] {
						z := x[i][j] - mean[j]
						y[i][j] += -oracleTau*z + oracleSigma*math.Sqrt(oracleTau)*z*xi[(k*n+i)*d+j]
					}
				}
				if err := s.step(ctx, k, false); err != nil {
					t.Fatal(err)
				}
				for i := range y {
					if !floats.EqualApprox(s.y.RawRowView(i), y[i], 1e-9) || !floats.EqualApprox(s.x.RawRowView(i), c.naive(y[i]), 1e-9) {
						t.Fatalf("%s, seed %d, step %d: particle %d is %v at %v, want %v", name, seed, k, i, s.y.RawRowView(i), s.x.RawRowView(i), y[i])
					}
				}
			}
		}
	}
}

// A dual of a point has the point as its image.
func TestDuals(t *testing.T) {
	x := []float64{0.2, 0.5, 0.3}
	for _, m := range []Mirror{None{}, Onto{Simplex{}}, Entropy{}, Entropy{objective.Cube(3, -4, 8)}, Barrier{objective.Cube(3, -1, 3)}} {
		y, x := mat.NewDense(1, 3, nil), slices.Clone(x)
		if e, ok := m.(Entropy); ok && !e.Start.IsZero() {
			for j, v := range x {
				x[j] = (v - 2) / 6
			}
		}
		m.dual(y.RawRowView(0), x)
		m.image(y, y, make([]float64, 3))
		if !floats.EqualApprox(y.RawRowView(0), x, 1e-12) {
			t.Errorf("%T: %v becomes %v", m, x, y.RawRowView(0))
		}
	}
}

// Mirror CBO and projected CBO never leave the simplex or the sphere: of all points that
// are asked for, in 10 runs each, none has a negative coordinate on the simplex, and sums and
// norms are 1 but for rounding, d·2⁻⁵². They find the minimum there, too.
func TestNothingLeavesTheSet(t *testing.T) {
	target := []float64{0.1, 0.5, 0.2, 0.15, 0.05} // on the simplex
	axis := []float64{0.6, -0.8, 0, 0, 0}          // on the sphere
	runs := flags.Usually(10, 2)
	for name, c := range map[string]struct {
		cfg     Config
		set     Domain
		minimum []float64
	}{
		"mirror, simplex":    {Config{Mirror: Onto{Simplex{}}}, Simplex{}, target},
		"entropy, simplex":   {Config{Mirror: Entropy{}}, Simplex{}, target},
		"mirror, sphere":     {Config{Mirror: Onto{Sphere{1}}}, Sphere{1}, axis},
		"projected, simplex": {Config{Domain: Simplex{}}, Simplex{}, target},
		"projected, sphere":  {Config{Domain: Sphere{1}}, Sphere{1}, axis},
	} {
		solved := 0
		for seed := range uint64(runs) {
			asked := 0
			f := objective.Func(5, func(x []float64) float64 {
				asked++
				if out := outside(c.set, x); !(out <= 5*0x1p-52) {
					t.Fatalf("%s, seed %d: f is asked at %v, %g outside", name, seed, x, out)
				}
				return math.Pow(floats.Distance(x, c.minimum, 2), 2)
			})
			cfg := c.cfg
			cfg.Seed, cfg.Stop.Steps, cfg.Sigma, cfg.Tau = seed, 1000, Constant(5), 0.05
			r, err := Run(ctx, f, cfg)
			if err != nil || asked < 10_000 {
				t.Fatalf("%s: %d queries, error %v", name, asked, err)
			}
			if r.Value <= 1e-3 {
				solved++
			}
		}
		t.Logf("%s: %d of %d within 1e-3", name, solved, runs)
		if solved < runs-runs/10 {
			t.Errorf("%s: %d of %d runs come within 1e-3 of the minimum", name, solved, runs)
		}
	}
}
