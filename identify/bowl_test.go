package identify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A quadratic q(x) = ½⟨x−b, A(x−b)⟩ + e with what is true of φ(q) at x: the value, the slope
// φ′A(x−b), and the Hessian φ′A + φ″A(x−b)(A(x−b))ᵀ.
type bowlOracle struct {
	a      *mat.Dense
	b      []float64
	phi    func(v float64) (value, first, second float64)
	random *rng.Stream
}

func newBowlOracle(t *rapid.T, d int) bowlOracle {
	random := rng.Seed(rapid.Uint64Range(0, 1e6).Draw(t, "seed")).Stream("test")
	w, b := mat.NewDense(d, d, nil), make([]float64, d)
	random.Norm(w.RawMatrix().Data)
	random.Norm(b)
	phis := map[string]func(v float64) (value, first, second float64){
		"root":   func(v float64) (a, b, c float64) { r := math.Sqrt(v); return r, 1 / (2 * r), -1 / (4 * r * v) },
		"log":    func(v float64) (a, b, c float64) { return math.Log(3 + v), 1 / (3 + v), -1 / ((3 + v) * (3 + v)) },
		"square": func(v float64) (a, b, c float64) { return v * v, 2 * v, 2 },
	}
	phi := phis[rapid.SampledFrom([]string{"root", "log", "square"}).Draw(t, "map")]
	return bowlOracle{kernel.Times(mat.DenseCopyOf(w.T()), w), b, phi, random}
}

// at returns q(x) and ∇q(x).
func (o bowlOracle) at(x []float64) (q float64, slope []float64) {
	y, slope := make([]float64, len(x)), make([]float64, len(x))
	copy(y, x)
	kernel.AddScaled(y, -1, o.b)
	kernel.MulVec(slope, o.a.RawMatrix(), y)
	return kernel.Dot(y, slope) / 2, slope
}

func (o bowlOracle) local(x []float64) local {
	q, slope := o.at(x)
	value, first, second := o.phi(q)
	h := mat.NewDense(len(x), len(x), nil)
	g := make([]float64, len(x))
	for i := range x {
		g[i] = first * slope[i]
		for j := range x {
			h.Set(i, j, first*o.a.At(i, j)+second*slope[i]*slope[j])
		}
	}
	return local{outer.Sample{Value: value, Gradient: g, Hessian: h}, x, hessian.Orthonormal(kernel.Identity(len(x)))}
}

// With c = φ″/φ′² the model orders all values, and its minimum is that of q, whatever φ is.
func TestTheNumberOrdersTheValuesOfABowl(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const d = 5
		o := newBowlOracle(t, d)
		draw := func() []float64 { x := make([]float64, d); o.random.Norm(x); return x }
		var points []asked
		for range 30 {
			x := draw()
			q, _ := o.at(x)
			f, _, _ := o.phi(q)
			points = append(points, asked{x, f})
		}
		l := o.local(draw())
		if _, order, _ := l.order(points); order < ordered {
			t.Fatalf("the values are in order by %v only", order)
		}
		q, _ := o.at(l.x)
		_, first, second := o.phi(q)
		c := second / (first * first)
		step := l.downhill(c)
		for i := range step {
			step[i] += l.x[i]
		}
		// but for gentle directions, in which it stops short
		if there, _ := o.at(step); there > 0.5*q {
			t.Fatalf("q falls from %v to %v", q, there)
		}
	})
}

// Ellipsoids and norms under maps are recognised as quadratics under a map, in a few Hessians.
func TestQuadraticsUnderMaps(t *testing.T) {
	for _, name := range []string{"ellipsoid", "squared-norm"} {
		for _, m := range problem.Maps() {
			p, err := problem.New(problem.Spec{Name: name, Dim: 12, Seed: 3, Blemishes: problem.Blemishes{Map: m}})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			f := guarded(p, func(_ []float64, v float64) float64 { n++; return v })
			got, err := Survey{}.Identify(ctx, f, Request{Box: p.Domain(), Seed: 3})
			if err != nil || !got.Quadratic || got.Map == nil || got.Certificate.Verdict != certify.Separable {
				t.Errorf("%s under %s: %+v, error %v", name, m, got.Certificate, err)
				continue
			}
			if most := 5 * 12 * 12; n > most+400 {
				t.Errorf("%s under %s: %d queries", name, m, n)
			}
			if want := map[string]string{"sqrt": outer.Root, "rms": outer.Root, "log": outer.Logarithm, "exp": outer.Exponential, "square": outer.Square}[m]; got.Map.Name() != want {
				t.Errorf("%s under %s is called %s", name, m, got.Map.Name())
			}
		}
	}
}

// A plain quadratic, however ill-conditioned, and functions that only look like a bowl have
// no map.
func TestNoMapOfAPlainQuadratic(t *testing.T) {
	for _, name := range []string{"ellipsoid", "discus", "squared-norm", "rosenbrock", "griewank"} {
		for seed := range uint64(sized(3, 1)) {
			p, err := problem.New(problem.Spec{Name: name, Dim: 8, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			got, err := Survey{}.Identify(ctx, p, Request{Box: p.Domain(), Seed: seed})
			if err != nil || got.Map != nil {
				t.Errorf("%s, seed %d: a map %v, error %v", name, seed, got.Map, err)
			}
		}
	}
}

// A known frame is certified under the map that it tells.
func TestJudgeUnderAMap(t *testing.T) {
	for _, m := range append(problem.Maps(), "") {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 8, Seed: 2, Blemishes: problem.Blemishes{Map: m}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Survey{Measures: 1}.Judge(ctx, p, p.Frame(), nil, Request{Box: p.Domain(), Seed: 2})
		if err != nil || got.Certificate.Verdict != certify.Separable || (got.Map != nil) != (m != "") {
			t.Errorf("map %q: %v, map %v, error %v", m, got.Certificate, got.Map, err)
		}
	}
	if got, err := (Survey{}).Judge(ctx, objective.Func(2, func(x []float64) float64 { return math.Sin(x[0] * x[1]) }), frame.Identity(2), nil, Request{Box: objective.Cube(2, -2, 2)}); err != nil || got.Map != nil {
		t.Errorf("a function without a map: %v, error %v", got.Map, err)
	}
}
