package cbo

import (
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// bumpy is a function with no symmetry that an oracle could share by chance.
func bumpy(x []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += float64(j+1)*(v-0.3)*(v-0.3) + math.Cos(3*v)
	}
	return sum
}

// naiveSoftmin is ω_i = exp(−αE_i)/Σ exp(−αE_j), as it stands.
func naiveSoftmin(energies []float64, alpha float64) []float64 {
	w := make([]float64, len(energies))
	for i, e := range energies {
		w[i] = math.Exp(-alpha * e)
	}
	floats.Scale(1/floats.Sum(w), w)
	return w
}

// naiveMean is Σ w_i x_i.
func naiveMean(x [][]float64, w []float64) []float64 {
	c := make([]float64, len(x[0]))
	for i := range x {
		for j := range c {
			c[j] += w[i] * x[i][j]
		}
	}
	return c
}

// An oracle says where the particles x are after a step with the numbers ξ, by a paper's formula,
// and may keep something from step to step.
type oracle func(k int, x [][]float64, xi [][]float64) [][]float64

// agrees takes three steps from the same particles with the same ξ as the oracle, in 1 to 4
// dimensions.
func agrees(t *testing.T, name string, alpha float64, config func(d int, r *rng.Stream) (Config, func(n int) oracle)) {
	t.Helper()
	for seed := range uint64(20) {
		r := rng.Seed(seed).Stream("test")
		d := 1 + r.IntN(4)
		n := d + 2 + r.IntN(4)
		cfg, make := config(d, r)
		if cfg.Alpha == nil {
			cfg.Alpha = Constant(alpha)
		}
		const steps = 3
		start, xi := mat.NewDense(n, d, nil), mat.NewDense(n*steps, d, nil)
		r.Norm(start.RawMatrix().Data)
		r.Norm(xi.RawMatrix().Data)
		s := swarmAt(t, objective.Func(d, bumpy), cfg, start, xi.RawMatrix().Data)
		next, x := make(n), rowsOf(s.x)
		for k := range steps {
			if err := s.step(ctx, k, false); err != nil {
				t.Fatal(err)
			}
			s.gather(k + 1)
			x = next(k, x, rowsOf(rows(xi, k*n, (k+1)*n)))
			for i := range x {
				if !floats.EqualApprox(s.x.RawRowView(i), x[i], 1e-9) {
					t.Fatalf("%s, seed %d, step %d: particle %d is at %v, want %v", name, seed, k, i, s.x.RawRowView(i), x[i])
				}
			}
		}
	}
}

func rowsOf(m *mat.Dense) [][]float64 {
	n, _ := m.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = append([]float64(nil), m.RawRowView(i)...)
	}
	return out
}

// energiesOf are f at all particles.
func energiesOf(x [][]float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = bumpy(x[i])
	}
	return out
}

// each is an oracle whose particles move one by one: by(k, i, x, z, ξ) with z = x − c.
func each(alpha float64, by func(k, i int, x, z, xi []float64) []float64) func(int) oracle {
	return func(int) oracle {
		return func(k int, x, xi [][]float64) [][]float64 {
			c := naiveMean(x, naiveSoftmin(energiesOf(x), alpha))
			out := make([][]float64, len(x))
			for i := range x {
				z := make([]float64, len(c))
				floats.SubTo(z, x[i], c)
				out[i] = by(k, i, x[i], z, xi[i])
			}
			return out
		}
	}
}

const oracleTau, oracleSigma, oracleAlpha = 0.2, 0.7, 1.5

func plain(change func(*Config)) Config {
	cfg := Config{Tau: oracleTau, Sigma: Constant(oracleSigma)}
	change(&cfg)
	return cfg
}

// Fornasier, Richtárik, Riedl and Sun 2024: the noise of a particle is σ(‖x − c‖ ∧ M)√τ ξ. In a
// frame and with other noise, ‖·‖ and D are those there.
func TestTruncatedIsTheFormula(t *testing.T) {
	const most = 0.8
	agrees(t, "truncated", oracleAlpha, func(int, *rng.Stream) (Config, func(int) oracle) {
		return plain(func(c *Config) { c.Noise = Truncated{Isotropic{}, most} }), each(oracleAlpha, func(_, _ int, x, z, xi []float64) []float64 {
			out := make([]float64, len(x))
			for j := range x {
				out[j] = x[j] - oracleTau*z[j] + oracleSigma*math.Sqrt(oracleTau)*math.Min(floats.Norm(z, 2), most)*xi[j]
			}
			return out
		})
	})
	agrees(t, "in a frame", oracleAlpha, func(d int, r *rng.Stream) (Config, func(int) oracle) {
		w := turned(t, d, r)
		return plain(func(c *Config) { c.Noise = Transformed{w, Truncated{nil, most}} }), each(oracleAlpha, func(_, _ int, x, z, xi []float64) []float64 {
			var y, noise mat.VecDense
			y.MulVec(w.Matrix(), mat.NewVecDense(len(z), z))
			part := math.Min(1, most/mat.Norm(&y, 2))
			for j := range z {
				y.SetVec(j, part*y.AtVec(j)*xi[j])
			}
			noise.MulVec(w.Inverse(), &y)
			out := make([]float64, len(x))
			for j := range x {
				out[j] = x[j] - oracleTau*z[j] + oracleSigma*math.Sqrt(oracleTau)*noise.AtVec(j)
			}
			return out
		})
	})
}

// turned returns some frame of d dimensions that is not nearly singular.
func turned(t *testing.T, d int, r *rng.Stream) *frame.Frame {
	t.Helper()
	w := mat.NewDense(d, d, nil)
	r.Norm(w.RawMatrix().Data)
	for j := range d {
		w.Set(j, j, w.At(j, j)+5)
	}
	f, err := frame.New(w)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Grassi and Pareschi 2021, with velocities V as they have them:
//
//	V' = m/(m+γτ) V + λτ/(m+γτ) (c − X) + σ√τ/(m+γτ) D(c − X)ξ,   X' = X + τV',   γ = 1 − m.
//
// (D(c − X) = −D(X − c) there: ξ has the other sign.) m = 0 is plain CBO.
func TestInertiaIsTheFormula(t *testing.T) {
	for _, m := range []float64{0, 0.1, 0.6} {
		agrees(t, "inertia", oracleAlpha, func(int, *rng.Stream) (Config, func(int) oracle) {
			velocities := map[int][]float64{}
			return plain(func(c *Config) { c.Momentum = Inertia{m} }), each(oracleAlpha, func(_, i int, x, z, xi []float64) []float64 {
				if velocities[i] == nil {
					velocities[i] = make([]float64, len(x))
				}
				v, out, whole := velocities[i], make([]float64, len(x)), m+(1-m)*oracleTau
				for j := range x {
					v[j] = m/whole*v[j] - oracleTau/whole*z[j] + oracleSigma*math.Sqrt(oracleTau)/whole*z[j]*xi[j]
					out[j] = x[j] + oracleTau*v[j]
				}
				return out
			})
		})
	}
}

// Chen, Jin and Lyu 2022, with their moments of x − c.
func TestAdamIsTheFormula(t *testing.T) {
	const alpha = 0.2 // so that no particle is the consensus, where z/|z| is rounding
	agrees(t, "adam", alpha, func(int, *rng.Stream) (Config, func(int) oracle) {
		first, second := map[[2]int]float64{}, map[[2]int]float64{}
		return plain(func(c *Config) { c.Momentum = Adam{} }), each(alpha, func(k, i int, x, z, xi []float64) []float64 {
			out := make([]float64, len(x))
			for j := range x {
				at := [2]int{i, j}
				first[at] = 0.9*first[at] + 0.1*z[j]
				second[at] = 0.99*second[at] + 0.01*z[j]*z[j]
				m, v := first[at]/(1-math.Pow(0.9, float64(k+1))), second[at]/(1-math.Pow(0.99, float64(k+1)))
				out[j] = x[j] - oracleTau*m/(math.Sqrt(v)+1e-8) + oracleSigma*math.Sqrt(oracleTau)*z[j]*xi[j]
			}
			return out
		})
	})
}

// Carrillo, Hoffmann, Stuart and Vaes 2022: the weighted covariance as it is defined, and their
// step in the mode for sampling. The root is that of gonum's Cholesky decomposition.
func TestSamplingIsTheFormula(t *testing.T) {
	const beta, dt = 0.8, 0.4
	agrees(t, "sampling", beta, func(int, *rng.Stream) (Config, func(int) oracle) {
		return Config{Tau: dt}.Sampling(beta), func(int) oracle {
			return func(_ int, x, xi [][]float64) [][]float64 {
				w := naiveSoftmin(energiesOf(x), beta)
				c, d := naiveMean(x, w), len(x[0])
				covariance := mat.NewSymDense(d, nil)
				for i := range x {
					z := mat.NewVecDense(d, nil)
					z.SubVec(mat.NewVecDense(d, x[i]), mat.NewVecDense(d, c))
					covariance.SymRankOne(covariance, w[i], z)
				}
				root := naiveRoot(covariance)
				out := make([][]float64, len(x))
				a := math.Exp(-dt)
				for i := range x {
					var noise mat.VecDense
					noise.MulVec(root, mat.NewVecDense(d, xi[i]))
					out[i] = make([]float64, d)
					for j := range d {
						out[i][j] = c[j] + a*(x[i][j]-c[j]) + math.Sqrt((1-a*a)*(1+beta))*noise.AtVec(j)
					}
				}
				return out
			}
		}
	})
}

// naiveRoot is L of LLᵀ, column after column, where a pivot that is rounding is 0.
func naiveRoot(c *mat.SymDense) *mat.Dense {
	d := c.SymmetricDim()
	l := mat.NewDense(d, d, nil)
	for j := range d {
		for i := j; i < d; i++ {
			sum := c.At(i, j)
			for k := range j {
				sum -= l.At(i, k) * l.At(j, k)
			}
			switch {
			case i == j:
				if sum > 1e-12*c.At(j, j) {
					l.Set(j, j, math.Sqrt(sum))
				}
			case l.At(j, j) > 0:
				l.Set(i, j, sum/l.At(j, j))
			}
		}
	}
	return l
}

// The root is one: RᵀR = C, where particles span all dimensions and where they do not.
func TestTheRootIsOne(t *testing.T) {
	r := rng.Seed(3).Stream("test")
	for _, n := range []int{1, 2, 5, 6, 40} {
		z, weights := mat.NewDense(n, 5, nil), make([]float64, n)
		r.Norm(z.RawMatrix().Data)
		if n == 6 { // in a plane
			for i := range n {
				z.SetRow(i, []float64{z.At(i, 0), z.At(i, 1), z.At(i, 0) - z.At(i, 1), 0, z.At(i, 0)})
			}
		}
		for i := range weights {
			weights[i] = r.Float64() / float64(n)
		}
		weights[n/2] = 0
		want, got := mat.NewDense(5, 5, nil), mat.NewDense(5, 5, nil)
		scaled := mat.NewDense(n, 5, nil)
		scaled.Apply(func(i, _ int, v float64) float64 { return v * math.Sqrt(weights[i]) }, z)
		want.Mul(scaled.T(), scaled)
		root := newRoot(n, 5).of(z, weights)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, root, root, 0, got.RawMatrix())
		if !mat.EqualApprox(got, want, 1e-12) {
			t.Errorf("%d particles: RᵀR = %v, want %v", n, mat.Formatted(got), mat.Formatted(want))
		}
	}
}

// Bungert, Roith and Wacker 2022: the consensus that a particle has of its own. κ = ∞ is
// plain CBO.
func TestPolarisedIsTheFormula(t *testing.T) {
	for _, kappa := range []float64{0.5, 2, math.Inf(1)} {
		agrees(t, "polarised", oracleAlpha, func(int, *rng.Stream) (Config, func(int) oracle) {
			return plain(func(c *Config) { c.Sight = Polarised{kappa} }), func(int) oracle {
				return func(_ int, x, xi [][]float64) [][]float64 {
					out := make([][]float64, len(x))
					for i := range x {
						w := make([]float64, len(x))
						for k := range x {
							r := floats.Distance(x[i], x[k], 2)
							w[k] = math.Exp(-oracleAlpha*bumpy(x[k])) * math.Exp(-r*r/(2*kappa*kappa))
						}
						floats.Scale(1/floats.Sum(w), w)
						c := naiveMean(x, w)
						out[i] = make([]float64, len(c))
						for j := range c {
							z := x[i][j] - c[j]
							out[i][j] = x[i][j] - oracleTau*z + oracleSigma*math.Sqrt(oracleTau)*z*xi[i][j]
						}
					}
					return out
				}
			}
		})
	}
}

// Riedl, Klock, Geldhauser and Fornasier 2024: particles are drawn around the consensus.
func TestHoppingIsTheFormula(t *testing.T) {
	agrees(t, "hopping", oracleAlpha, func(int, *rng.Stream) (Config, func(int) oracle) {
		return Config{}.Hopping(0.3), each(oracleAlpha, func(_, _ int, x, z, xi []float64) []float64 {
			out := make([]float64, len(x))
			for j := range x {
				out[j] = (x[j] - z[j]) + 0.3*xi[j]
			}
			return out
		})
	})
}

// Carrillo, Hoffmann, Stuart and Vaes 2022: the α of the effective sample size, against a scan.
// It does not depend on the zero of f, and is α/a for a·f.
func TestEffectiveSizeIsTheFormula(t *testing.T) {
	r := rng.Seed(5).Stream("test")
	for range 50 {
		n, share := 3+r.IntN(40), 0.1+0.8*r.Float64()
		energies, scratch := make([]float64, n), make([]float64, n)
		r.Norm(energies)
		size := func(alpha float64) float64 {
			w := naiveSoftmin(energies, alpha)
			return 1 / floats.Dot(w, w)
		}
		alpha := EffectiveSize{share}.fit(energies, scratch, 0)
		if want := share * float64(n); want > 1 && !(math.Abs(math.Log(size(alpha)/want)) <= 1e-3) {
			t.Errorf("α = %v: effective size %v of %d, want %v", alpha, size(alpha), n, want)
		}
		other := make([]float64, n)
		for i, e := range energies {
			other[i] = 4*e - 1
		}
		if got := (EffectiveSize{share}).fit(other, scratch, 0); share*float64(n) > 1 && !(math.Abs(4*got/alpha-1) <= 1e-9) {
			t.Errorf("α of 4f − 1 is %v, of f %v", got, alpha)
		}
		if got := size(EffectiveSize{share}.fit(energies, scratch, 100*alpha)); share*float64(n) > 1 && !(math.Abs(math.Log(got/size(alpha))) <= 2e-3) {
			t.Errorf("from another guess %v count, and %v", got, size(alpha))
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		energies []float64
		want     float64
	}{
		{[]float64{2, 2, 2}, 0}, {[]float64{inf, inf}, 0}, {[]float64{math.Inf(-1), 1}, 0}, {[]float64{3}, 0}, {[]float64{0, 5e-324}, 0},
	} {
		if got := (EffectiveSize{0.5}).fit(c.energies, make([]float64, len(c.energies)), 3); got != c.want {
			t.Errorf("α = %v of %v, want %v", got, c.energies, c.want)
		}
	}
	// Failed particles do not count: of four values, two are to count.
	got := EffectiveSize{0.5}.fit([]float64{0, 1, 2, 3, inf, inf}, make([]float64, 6), 1e-9)
	if size, _ := effective([]float64{0, 1, 2, 3}, got, 0, make([]float64, 4)); !(math.Abs(size-2) <= 2e-3) {
		t.Errorf("α = %v: %v particles count", got, size)
	}
	// Two are equally good, and one of three is to count: α is as large as it may be.
	if got := (EffectiveSize{0.4}).fit([]float64{1, 1, 3}, make([]float64, 3), 0); !(got >= 1e14 && got <= 1e15) {
		t.Errorf("α = %v", got)
	}
	// In a run each step has the α of its own particles: a share of 0.7 counts, by State too.
	steps := 0
	_, err := Run(ctx, objective.Func(3, bumpy), Config{Alpha: EffectiveSize{0.7}, Sigma: Constant(1), Stop: Stop{Steps: 30}, Observe: func(s State) {
		steps++
		w := naiveSoftmin(shifted(append([]float64(nil), s.Values...)), s.Alpha)
		if got := 1 / floats.Dot(w, w); !(math.Abs(math.Log(got/35)) <= 1e-3) || !(math.Abs(got/s.Effective-1) <= 1e-9) {
			t.Errorf("step %d: α = %v, %v particles count, and %v are told, want 35", s.Step, s.Alpha, got, s.Effective)
		}
		if c := naiveMean(rowsOf(s.Particles), w); !floats.EqualApprox(c, s.Consensus, 1e-9) {
			t.Errorf("step %d: consensus %v, want %v", s.Step, s.Consensus, c)
		}
	}})
	if err != nil || steps != 31 {
		t.Errorf("%d steps, error %v", steps, err)
	}
}

// shifted returns E − min E.
func shifted(energies []float64) []float64 {
	floats.AddConst(-floats.Min(energies), energies)
	return energies
}

// The neutral members leave the bits of plain CBO.
func TestNeutralMembers(t *testing.T) {
	trace := func(cfg Config) (all []float64) {
		cfg.Stop.Steps, cfg.Observe = 40, func(s State) { all = append(all, s.Particles.RawMatrix().Data...) }
		if _, err := Run(ctx, objective.Func(3, bumpy), cfg); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := trace(Config{})
	for name, cfg := range map[string]Config{
		"momentum":                       {Momentum: None{}},
		"mirror":                         {Mirror: None{}},
		"sight":                          {Sight: None{}},
		"truncated":                      {Noise: Truncated{Most: math.Inf(1)}},
		"mirror of a set that holds all": {Mirror: Onto{Clip{1e8}}},
	} {
		if !floats.Equal(trace(cfg), want) {
			t.Errorf("%s: its neutral member moves otherwise than plain CBO", name)
		}
	}
}
