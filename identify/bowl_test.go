package identify

import (
	"math"
	"testing"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/outer"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// Ellipsoids and norms under maps are recognised as quadratics under a map, by one look or two.
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
			if most := 2*91 + 400; n > most { // a look is 91 queries
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
	for _, name := range flags.Sample([]string{"ellipsoid", "discus", "squared-norm", "rosenbrock", "griewank"}, 3) {
		for seed := range uint64(sized(3, 1)) {
			p, err := problem.New(problem.Spec{Name: name, Dim: flags.Usually(8, 5), Seed: seed})
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
