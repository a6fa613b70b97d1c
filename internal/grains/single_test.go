package grains_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// naiveError is the standard deviation of f in single precision around f in double precision, at
// points of the box.
func naiveError(t *testing.T, p *problem.Problem, seed uint64) float64 {
	t.Helper()
	const n = 400
	stream, points := rng.Seed(seed).Stream("test"), mat.NewDense(n, p.Dim(), nil)
	for i := range n {
		p.Domain().Draw(points.RawRowView(i), stream)
	}
	single, double := make([]float64, n), make([]float64, n)
	if err := p.Evaluate(context.Background(), points, single); err != nil {
		t.Fatal(err)
	}
	if err := p.Clean(context.Background(), points, double); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, v := range single {
		sum += (v - double[i]) * (v - double[i]) / n
	}
	return math.Sqrt(sum)
}

// The error of single precision is measured to a factor of three, in any unit, though it is many
// times the distance of two values. Three points may be more or less exact than most: one in ten
// may be off. Where the error is large beside f's spread, as that of Ackley's function, it is noise.
func TestGrainOfSinglePrecision(t *testing.T) {
	off, all := 0, 0
	for _, name := range []string{"rastrigin", "levy", "styblinski-tang", "squared-norm", "ackley"} {
		for _, unit := range []float64{1, 1e-3, 3e6} {
			for seed := range uint64(8) {
				p := drawn(t, problem.Spec{Name: name, Dim: 5 + 5*int(seed%4), Seed: seed, Blemishes: problem.Blemishes{Single: true}})
				f := objective.Batch(p.Dim(), func(points *mat.Dense, values []float64) {
					if err := p.Evaluate(context.Background(), points, values); err != nil {
						t.Fatal(err)
					}
					for i := range values {
						values[i] *= unit
					}
				})
				g, n := measured(t, f, p.Domain(), seed)
				want := unit * naiveError(t, p, seed)
				all++
				if n != 143 || g.Kind != objective.SinglePrecision && g.Kind != objective.Raster || !(g.Absolute > want/3 && g.Absolute < 3*want) {
					off++
					t.Logf("%v, unit %g: %+v after %d queries, the error is %.2g", p, unit, g, n, want)
				}
			}
		}
	}
	if off > all/10 {
		t.Errorf("%d of %d", off, all)
	}
}

// Where f is little, near a minimum of 0, so is its error.
func TestGrainNearby(t *testing.T) {
	for seed := range uint64(10) {
		p := drawn(t, problem.Spec{Name: "levy", Dim: 10, Mix: "orthogonal", Seed: seed, Blemishes: problem.Blemishes{Single: true}})
		g, _ := measured(t, p, p.Domain(), seed)
		m, x := query.NewMeter(p, 100), slices.Clone(p.Minimiser())
		x[0] += 0.05
		near, err := grains.Nearby(context.Background(), m, p.Domain(), x, g, rng.Seed(seed).Stream("nearby"))
		if err != nil || !(near.Absolute < g.Absolute/10) || m.Queries() != 43 {
			t.Errorf("seed %d: %+v, nearby %+v after %d queries, error %v", seed, g, near, m.Queries(), err)
		}
		if same, err := grains.Nearby(context.Background(), m, p.Domain(), p.Minimiser(), objective.Rounding, nil); same != objective.Rounding || err != nil || m.Queries() != 43 {
			t.Errorf("%+v, %v", same, err)
		}
	}
}

// Large numbers of single precision are whole, and no counts; 1e7 above a small function they are
// a raster, and noise.
func TestGrainOfLargeNumbersOfSinglePrecision(t *testing.T) {
	for seed := range uint64(10) {
		p := drawn(t, problem.Spec{Name: "rastrigin", Dim: 10, Seed: seed})
		of := func(unit, offset float64) objective.Grain {
			f := objective.Batch(p.Dim(), func(points *mat.Dense, values []float64) {
				if err := p.Evaluate(context.Background(), points, values); err != nil {
					t.Fatal(err)
				}
				for i, v := range values {
					values[i] = float64(float32(offset) + float32(unit*v))
				}
			})
			g, _ := measured(t, f, p.Domain(), seed)
			return g
		}
		if g := of(1e6, 0); g.Kind != objective.SinglePrecision || !(g.Of(1e8) > 1 && g.Of(1e8) < 10) {
			t.Errorf("seed %d, millions: %+v", seed, g)
		}
		if g := of(1, 1e5); g.Kind != objective.Raster || !(g.Of(1e5) > 1e-3 && g.Of(1e5) < 1e-2) {
			t.Errorf("seed %d, above 1e5: %+v", seed, g)
		}
	}
}
