package acceptance

import (
	"math"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sweptFunction is ψ⁻¹(Σ_j r(y_j) + κ Σ_j sin y_j sin y_{j+1}) + σξ, y = Wx, of m components in d dimensions, r Rastrigin's
// function of one variable, z ↦ ((1+z)^γ − 1)/γ for ψ⁻¹, and W a product of two rotations and numbers between 1 and cond in
// between, in equal ratios.
type sweptFunction struct {
	d, m               int
	sigma, kappa, cond float64
	gamma              float64
}

func (s sweptFunction) objective(seed uint64) objective.Objective {
	random := rng.Seed(seed).Stream("continuity")
	rotation := func(n int) *mat.Dense {
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, random.NormFloat64())
			}
		}
		var qr mat.QR
		qr.Factorize(a)
		var q mat.Dense
		qr.QTo(&q)
		return &q
	}
	u, v := rotation(s.m), rotation(s.d)
	w := mat.NewDense(s.m, s.d, nil)
	for i := range s.m {
		for j := range s.d {
			w.Set(i, j, v.At(i, j)*math.Pow(s.cond, (float64(i)/float64(max(s.m-1, 1)))-0.5))
		}
	}
	w = kernel.Times(u, w)
	shift := make([]float64, s.m)
	for j := range shift {
		shift[j] = 2*random.Float64() - 1
	}
	y := make([]float64, s.m)
	return untwist.Func(s.d, func(x []float64) float64 {
		sum := 0.0
		for j := range y {
			y[j] = mat.Dot(w.RowView(j), mat.NewVecDense(s.d, x)) - shift[j]
			sum += y[j]*y[j] + 10 - 10*math.Cos(2*math.Pi*y[j])
		}
		for j := range y {
			sum += s.kappa * math.Sin(y[j]) * math.Sin(y[(j+1)%s.m])
		}
		value := sum
		if s.gamma != 1 {
			value = (math.Pow(1+sum, s.gamma) - 1) / s.gamma
		}
		return value + s.sigma*random.NormFloat64()
	})
}

// A sweep is one number of a function that takes values one after another, and how much more queries may be asked at a value than at
// the one before. All have the verdict separable, but where a coupling is certain to be seen.
type sweep struct {
	name   string
	change func(*sweptFunction, float64)
	values []float64
	most   float64
}

var sweeps = []sweep{
	{"σ", func(s *sweptFunction, v float64) { s.sigma = 30 * v }, []float64{0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5}, 2},
	{"γ", func(s *sweptFunction, v float64) { s.gamma = v }, []float64{1, 0.9999, 0.999, 0.998, 0.995, 0.99, 0.985, 0.98, 0.97, 0.95, 0.9, 0.8, 0.65, 0.5, 0.3, 0.1}, 2},
	{"cond(W)", func(s *sweptFunction, v float64) { s.cond = v }, []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}, 2},
	{"components", func(s *sweptFunction, v float64) { s.m = int(v) }, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 2},
	// That small couplings are couplings, and no error of the frame, takes more looks: eight, or sixteen.
	{"κ", func(s *sweptFunction, v float64) { s.kappa = v }, []float64{0, 1e-6, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1, 3, 10}, 5},
}

// The medians of queries follow noise, the curvature of a map, the condition of W, the number of components and couplings without a
// jump, up and down; so does what is found. Slight maps, of γ from 0.97 to 0.998, took six times the queries of others as long as their
// derivatives were lost in rounding.
func TestContinuity(t *testing.T) {
	for _, w := range sweeps {
		last, most := 0.0, w.most
		if !flags.Usual() { // some values are left out
			most *= w.most
		}
		for _, v := range flags.Sample(w.values, 4) {
			s := sweptFunction{d: 12, m: 12, cond: 10, gamma: 1}
			w.change(&s, v)
			var queries []float64
			for _, seed := range flags.Seeds(flags.Few(7, flags.Usually(3, 1))) {
				got, err := untwist.Probe(ctx, s.objective(seed), untwist.Options{Seed: seed, Start: untwist.Cube(s.d, -5, 5), Budget: 500 * s.d * s.d})
				if err != nil {
					t.Fatal(err)
				}
				if verdict := got.Certificate.Verdict; verdict != certify.Separable && !(verdict == certify.NearlySeparable && s.kappa >= 0.03) {
					t.Logf("%s = %g, seed %d: %s", w.name, v, seed, verdict)
					continue
				}
				queries = append(queries, float64(got.Queries))
			}
			if n := flags.Few(7, flags.Usually(3, 1)); len(queries) < (2*n+2)/3 {
				t.Errorf("%s = %g: coordinates are found in %d of %d runs", w.name, v, len(queries), n)
				continue
			}
			now := middle(queries)
			t.Logf("%s = %g: %d found, median %g", w.name, v, len(queries), now)
			if last > 0 && max(now/last, last/now) > most {
				t.Errorf("%s = %g: %g queries after %g", w.name, v, now, last)
			}
			last = now
		}
	}
}
