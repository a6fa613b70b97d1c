package identify

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

import _ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time

// guarded is a problem whose every query is looked at.
func guarded(p objective.Objective, look func(x []float64, v float64) float64) objective.Objective {
	return objective.Batch(p.Dim(), func(points *mat.Dense, values []float64) {
		if err := p.Evaluate(ctx, points, values); err != nil {
			panic(err)
		}
		for i := range values {
			values[i] = look(points.RawRowView(i), values[i])
		}
	})
}

// Nothing outside the bounds is asked for, wherever they are and however wide,
// and what is found is right all the same.
func TestSurveyStaysWithinBounds(t *testing.T) {
	d := flags.Usually(6, 3)
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64Range(0, 1000).Draw(rt, "seed")
		name := rapid.SampledFrom([]string{"rastrigin", "levy", "styblinski-tang", "microring", "squared-norm"}).Draw(rt, "problem")
		mix := rapid.SampledFrom([]string{"orthogonal", "banded", "none"}).Draw(rt, "mix")
		p := draw(t, name, d, mix, seed)
		centre := rapid.Float64Range(-3, 3).Draw(rt, "centre")
		half := math.Pow(10, rapid.Float64Range(-0.5, 1).Draw(rt, "log half-width"))
		bounds := objective.Cube(d, centre-half, centre+half)
		if rapid.Bool().Draw(rt, "half infinite") {
			bounds.Hi[2] = math.Inf(1)
		}
		f := guarded(p, func(x []float64, v float64) float64 {
			if !bounds.Contains(x) {
				rt.Fatalf("%v was asked for, bounds %v", x, bounds)
			}
			return v
		})
		got, err := Survey{}.Identify(ctx, f, Request{Box: objective.Cube(d, centre-half, centre+half), Bounds: bounds, Seed: seed})
		if err != nil {
			rt.Fatal(err)
		}
		if got.Certificate.Verdict != certify.Separable {
			rt.Fatalf("%v", got.Certificate)
		}
		if c := frame.Compare(p.Frame(), got.Frame); name != "squared-norm" && c.Error() > 4*right {
			rt.Fatalf("error %g", c.Error())
		}
	})
}

// The start box may be anywhere and ten times narrower or wider than the
// problem's domain, and of different width in every coordinate.
func TestSurveyFromAnyBox(t *testing.T) {
	d := flags.Usually(10, 6)
	for _, name := range flags.Sample([]string{"rastrigin", "levy", "styblinski-tang"}, 1) {
		for seed, scale := range []float64{0.1, 0.3, 3, 10} {
			p := draw(t, name, d, "paper", uint64(seed))
			half := scale * p.Domain().Hi[0]
			box := objective.Cube(d, half/3-half, half/3+half)
			got, err := Survey{}.Identify(ctx, p, Request{Box: box, Seed: uint64(seed)})
			if err != nil {
				t.Fatal(err)
			}
			if c := frame.Compare(p.Frame(), got.Frame); c.Error() > right || got.Certificate.Verdict != certify.Separable {
				t.Errorf("%s, box %g times as wide: error %.1e, %v", name, scale, c.Error(), got.Certificate)
			}
		}
	}
}

// The same seed gives the same bits.
func TestSurveyIsDeterministic(t *testing.T) {
	p := draw(t, "rosenbrock-pairs", flags.Usually(12, 8), "paper", 1)
	a, n := survey(t, p)
	b, m := survey(t, p)
	if n != m || !mat.Equal(a.Frame.Matrix(), b.Frame.Matrix()) || a.Certificate != b.Certificate || !cmp.Equal(a.Blocks, b.Blocks) {
		t.Error("two surveys with one seed differ")
	}
}

// A linear part outside the span of the w_j is a component of its own, one
// inside is part of the others.
func TestSurveyOfALinearPart(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 12, Components: 3, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	c := make([]float64, 12)
	rng.Seed(1).Stream("c").Norm(c)
	f := guarded(p, func(x []float64, v float64) float64 {
		for i := range x {
			v += c[i] * x[i]
		}
		return v
	})
	got, err := Survey{}.Identify(ctx, f, Request{Box: p.Domain()})
	if err != nil {
		t.Fatal(err)
	}
	if got.Frame.Components() != 4 || got.Linear != 3 || got.Certificate.Verdict != certify.Separable {
		t.Fatalf("%d components, linear %d, %v", got.Frame.Components(), got.Linear, got.Certificate)
	}
	if d := frame.Compare(p.Frame(), got.Frame); d.Error() > right {
		t.Errorf("error %g", d.Error())
	}
	q := p.Frame().Matrix()
	w := got.Frame.Matrix().RawRowView(3)
	for j := range 3 {
		if dot := math.Abs(mat.Dot(q.RowView(j), mat.NewVecDense(12, w))); dot > right {
			t.Errorf("the linear direction is not orthogonal to w_%d: %g", j+1, dot)
		}
	}
}

// Bad input: a verdict or an error, never a panic or a loop.
func TestSurveyOfBadFunctions(t *testing.T) {
	p := draw(t, "rastrigin", flags.Usually(8, 6), "paper", 3)
	noise := rng.Seed(1).Stream("noise")
	for _, c := range flags.Sample([]struct {
		name string
		f    func(x []float64, v float64) float64
		want certify.Verdict
		err  error
	}{
		{"constant", func([]float64, float64) float64 { return 3 }, certify.Unknown, ErrConstant},
		{"zero", func([]float64, float64) float64 { return 0 }, certify.Unknown, ErrConstant},
		{"linear", func(x []float64, _ float64) float64 { return x[0] - 2*x[5] + 1e-3*x[2] }, certify.Separable, nil},
		{"one coordinate", func(x []float64, _ float64) float64 { return math.Sin(x[2]) }, certify.Separable, nil},
		{"kinks", func(x []float64, _ float64) float64 { return math.Abs(x[0]) + math.Abs(x[1]-1) }, certify.Separable, nil},
		{"NaN nowhere near", func(x []float64, v float64) float64 { return nanIf(math.Abs(x[0]) > 20, v) }, certify.Separable, nil},
		{"NaN in half", func(x []float64, v float64) float64 { return nanIf(x[0] > 0, v) }, certify.Separable, nil},
		{"NaN outside", func(x []float64, v float64) float64 { return nanIf(!p.Domain().Contains(x), v) }, certify.Separable, nil},
		{"NaN at times", func(x []float64, v float64) float64 { return nanIf(math.Sin(1e6*x[3]) > 0.999, v) }, certify.Separable, nil},
		{"NaN everywhere", func([]float64, float64) float64 { return math.NaN() }, certify.Unknown, ErrNotFinite},
		{"huge", func(_ []float64, v float64) float64 { return 1e300 * v }, certify.Separable, nil},
		{"tiny", func(_ []float64, v float64) float64 { return 1e-300 * v }, certify.Separable, nil},
		{"nothing but noise", func([]float64, float64) float64 { return noise.NormFloat64() }, certify.Unknown, nil},
		{"a little noise", func(_ []float64, v float64) float64 { return v + 1e-8*noise.NormFloat64() }, certify.Separable, nil},
	}, 5) {
		name := c.name
		t.Run(name, func(t *testing.T) {
			meter := query.NewMeter(query.NewGuard(guarded(p, c.f)), 100_000)
			got, err := Survey{}.Identify(ctx, meter, Request{Box: p.Domain()})
			if !errors.Is(err, c.err) || got.Certificate.Verdict != c.want || meter.Queries() > 5000 {
				t.Errorf("%v, error %v after %d queries", got.Certificate, err, meter.Queries())
			}
			if c.want == certify.Separable && name[:2] != "li" && name[:2] != "on" && name[:2] != "ki" {
				if d := frame.Compare(p.Frame(), got.Frame); d.Error() > right {
					t.Errorf("error %g", d.Error())
				}
			}
		})
	}
}

func nanIf(bad bool, v float64) float64 {
	if bad {
		return math.NaN()
	}
	return v
}

// d = 1 costs nothing; d = 2 and 3 work.
func TestSurveyOfOneDimension(t *testing.T) {
	if got, n := survey(t, draw(t, "rastrigin", 1, "none", 0)); n != 0 || got.Frame.Components() != 1 || got.Certificate.Verdict != certify.Separable {
		t.Errorf("%d queries, %v", n, got.Certificate)
	}
	for _, d := range []int{2, 3} {
		for seed := range uint64(flags.Usually(5, 2)) {
			p := draw(t, "rastrigin", d, "paper", seed)
			got, _ := survey(t, p)
			if c := frame.Compare(p.Frame(), got.Frame); c.Error() > right {
				t.Errorf("d = %d, seed %d: error %g", d, seed, c.Error())
			}
		}
	}
}

// A budget of any size ends a survey with ErrBudget, exactly spent; what was
// found so far is kept.
func TestSurveyEndsWithItsBudget(t *testing.T) {
	p := draw(t, "different-powers", 8, "paper", 0)
	_, all := survey(t, p)
	framed := false
	for budget := 1; budget < all; budget += 1 + budget/flags.Usually(9, 4) {
		meter := query.NewMeter(p, budget)
		got, err := Survey{}.Identify(ctx, meter, Request{Box: p.Domain()})
		if !errors.Is(err, objective.ErrBudget) || meter.Queries() != budget || got == nil {
			t.Fatalf("budget %d: %v, %d queries, error %v", budget, got, meter.Queries(), err)
		}
		if framed && got.Frame == nil {
			t.Errorf("budget %d: a frame that less found is lost", budget)
		}
		framed = got.Frame != nil
	}
	if !framed {
		t.Error("nothing was found before the end")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (Survey{}).Identify(cancelled, query.NewMeter(p, 1000), Request{Box: p.Domain()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
