package acceptance

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// unitCases are functions of all kinds: separable in mixed or given coordinates, in blocks,
// not separable, of few components, quadratic, within bounds, failing, under an outer map, noisy,
// nearly separable.
var unitCases = map[string]struct {
	spec   problem.Spec
	bounds float64 // half-width; 0: none
	budget int
}{
	"separable":       {problem.Spec{Name: "rastrigin", Dim: 8}, 0, 6000},
	"as given":        {problem.Spec{Name: "levy", Dim: 6, Mix: "none"}, 0, 3000},
	"powers":          {problem.Spec{Name: "different-powers", Dim: 6}, 0, 8000},
	"blocks":          {problem.Spec{Name: "rosenbrock-pairs", Dim: 6}, 0, 20_000},
	"not separable":   {problem.Spec{Name: "rosenbrock", Dim: 5}, 0, 6000},
	"several wells":   {problem.Spec{Name: "ackley", Dim: 4}, 0, 8000},
	"restarts":        {problem.Spec{Name: "bbob-21", Dim: 4}, 0, 20_000},
	"steps":           {problem.Spec{Name: "step", Dim: 5}, 0, 5000},
	"few components":  {problem.Spec{Name: "rastrigin", Dim: 12, Components: 3}, 0, 6000},
	"quadratic":       {problem.Spec{Name: "ellipsoid", Dim: 6}, 0, 3000},
	"small budget":    {problem.Spec{Name: "rosenbrock", Dim: 12}, 0, 300},
	"within bounds":   {problem.Spec{Name: "rastrigin", Dim: 5, Mix: "orthogonal"}, 1, 8000},
	"blocks, bounded": {problem.Spec{Name: "rosenbrock-pairs", Dim: 4}, 2, 8000},
	"failing":         {problem.Spec{Name: "rastrigin", Dim: 5, Blemishes: problem.Blemishes{Failing: 0.03}}, 0, 8000},
	"root":            {problem.Spec{Name: "rastrigin", Dim: 6, Blemishes: problem.Blemishes{Map: "rms"}}, 0, 8000},
	"root of bowl":    {problem.Spec{Name: "ellipsoid", Dim: 6, Blemishes: problem.Blemishes{Map: "sqrt"}}, 0, 6000},
	"logarithm":       {problem.Spec{Name: "levy", Dim: 6, Blemishes: problem.Blemishes{Map: "log"}}, 0, 8000},
	"noisy":           {problem.Spec{Name: "rastrigin", Dim: 5, Blemishes: problem.Blemishes{Noise: 1e-4}}, 0, 12_000},
	"relative noise":  {problem.Spec{Name: "rosenbrock", Dim: 4, Blemishes: problem.Blemishes{NoiseRelative: 1e-3}}, 0, 5000},
	"noise and root":  {problem.Spec{Name: "rastrigin", Dim: 5, Blemishes: problem.Blemishes{Map: "rms", Noise: 1e-5}}, 0, 12_000},
	"coupled":         {problem.Spec{Name: "rastrigin", Dim: 8, Blemishes: problem.Blemishes{Coupling: 0.1}}, 0, 10_000},
}

// A trail is a function that remembers where it was asked, as a hash.
type trail struct {
	objective.Objective
	hash func(points *mat.Dense)
}

func (f trail) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	f.hash(points)
	return f.Objective.Evaluate(ctx, points, values)
}

// walked minimises scale·f and returns the hash of all points in order, how many there are
// and the clean gap.
func walked(t *testing.T, name, by string, scale float64) (uint64, int, float64) {
	t.Helper()
	c := unitCases[name]
	c.spec.Blemishes.ScaleValue, c.spec.Seed = scale, 3
	p, err := problem.New(c.spec)
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	f := trail{p, func(points *mat.Dense) {
		n, d := points.Dims()
		var word [8]byte
		for i := range n {
			for k := range d {
				binary.LittleEndian.PutUint64(word[:], math.Float64bits(points.At(i, k)))
				h.Write(word[:])
			}
		}
	}}
	o := untwist.Options{Budget: c.budget / flags.Few(1, flags.Usually(2, 4)), Seed: 3, Start: p.Domain()}
	if by == "cmaes" {
		o.Strategy = strategy.CMAES{}
	}
	if c.bounds > 0 {
		o.Bounds = objective.Cube(c.spec.Dim, -c.bounds, c.bounds)
		o.Start = o.Bounds
	}
	r, err := untwist.Minimize(ctx, f, o)
	if err != nil {
		t.Fatalf("%s by %s times %v: %v", name, by, scale, err)
	}
	return h.Sum64(), r.Queries, r.Value
}

// auto and cmaes have no unit of f: times a power of two, f is asked at the same points, to
// the bit.
func TestNoUnitOfF(t *testing.T) {
	for _, name := range flags.Sample(slices.Sorted(maps.Keys(unitCases)), 4) {
		for _, by := range []string{"auto", "cmaes"} {
			if by == "cmaes" && unitCases[name].spec.Blemishes != (problem.Blemishes{}) {
				continue // it does not look what f is like
			}
			want, queries, value := walked(t, name, by, 1)
			for k := flags.Few(-40, -39); k <= 40; k += flags.Few(1, 80) { // the roots of odd powers of two are not exact
				a := math.Ldexp(1, k)
				if got, n, v := walked(t, name, by, a); got != want || n != queries || v != a*value {
					t.Errorf("%s by %s: times 2^%d it asks other points: %d queries to %v, not %d to %v", name, by, k, n, v/a, queries, value)
				}
			}
		}
	}
}

// deviation is the standard deviation of f over the domain, from a thousand points.
func deviation(t *testing.T, p *problem.Problem) float64 {
	t.Helper()
	const n = 1000
	points, values := mat.NewDense(n, p.Dim(), nil), make([]float64, n)
	for i, stream := 0, rng.Seed(1).Stream("test"); i < n; i++ {
		p.Domain().Draw(points.RawRowView(i), stream)
	}
	if err := p.Evaluate(ctx, points, values); err != nil {
		t.Fatal(err)
	}
	return math.Sqrt(stat.Variance(values, nil))
}

// a·f + b is solved as often as f, whatever a and b are: to a gap of 1e-8 of f's standard
// deviation s, and 2⁻⁴⁶ of b. Without -whole it is looked at with one seed, in few units.
func TestAsOftenSolvedInAnyUnit(t *testing.T) {
	type unit struct{ a, b float64 } // b in parts of a·s
	units := flags.Sample([]unit{{1, 0}, {1e-12, 0}, {1e12, 0}, {1, 1e6}, {1e-12, -1e3}, {1e12, 1e6}, {1e-6, -1e6}}, 3)
	for _, by := range []string{"auto", "cmaes"} {
		for _, spec := range unitSpecs() {
			clean, err := problem.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			s := deviation(t, clean)
			solved := make([]int, len(units))
			for k, u := range units {
				for _, seed := range flags.Seeds(flags.Few(5, 1)) {
					if gap := inUnit(t, spec, by, u.a, u.b*u.a*s, seed); gap <= 1e-8*s+0x1p-46*math.Abs(u.b)*s {
						solved[k]++
					} else if *flags.Whole {
						t.Logf("%s d = %d by %s, seed %d, a = %g, b = %g·a·s: gap %.1e = %.1e·s", spec.Name, spec.Dim, by, seed, u.a, u.b, gap, gap/s)
					}
				}
			}
			t.Logf("%s d = %d by %s: solved %v", spec.Name, spec.Dim, by, solved)
			for k, n := range solved[1:] {
				if n < solved[0]-flags.Few(1, 0) { // one of 5 may be chance
					t.Errorf("%s d = %d by %s: %d solved, %d in units %v", spec.Name, spec.Dim, by, solved[0], n, units[k+1])
				}
			}
		}
	}
}

// unitSpecs are the problems of TestAsOftenSolvedInAnyUnit.
func unitSpecs() []problem.Spec {
	if !*flags.Whole && !flags.Some() {
		return flags.Sample([]problem.Spec{{Name: "rosenbrock", Dim: 5}, {Name: "rastrigin", Dim: 4}, {Name: "rosenbrock-pairs", Dim: 4}}, 1)
	}
	var all []problem.Spec
	for _, d := range flags.Dims(10, 30) {
		for _, name := range flags.Problems("rosenbrock", "rastrigin", "different-powers", "rosenbrock-pairs", "ackley", "ellipsoid") {
			all = append(all, problem.Spec{Name: name, Dim: d})
		}
	}
	return all
}

// inUnit minimises a·f + b and returns the clean gap.
func inUnit(t *testing.T, spec problem.Spec, by string, a, b float64, seed uint64) float64 {
	t.Helper()
	spec.Blemishes.ScaleValue, spec.Blemishes.Offset, spec.Seed = a, b, seed
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	o := untwist.Options{Seed: seed, Start: p.Domain()}
	if by == "cmaes" {
		o.Strategy = strategy.CMAES{}
	}
	r, err := untwist.Minimize(ctx, p, o)
	if err != nil {
		t.Fatal(err)
	}
	clean := []float64{0}
	if err := p.Clean(ctx, mat.NewDense(1, len(r.Point), r.Point), clean); err != nil {
		t.Fatal(err)
	}
	return clean[0] - p.Minimum()
}
