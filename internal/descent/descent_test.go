package descent

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// free are no bounds.
func free(d int) objective.Box { return objective.Cube(d, math.Inf(-1), math.Inf(1)) }

// A bowl is ½⟨x−o, H(x−o)⟩ with curvatures from 1 to the condition number, turned by a random rotation.
type bowl struct {
	h *mat.SymDense
	o []float64
}

func newBowl(d int, condition float64, seed uint64) bowl {
	stream := rng.Seed(seed).Stream("bowl")
	q := mat.NewDense(d, d, nil)
	for i := range d {
		stream.Norm(q.RawRowView(i))
	}
	var qr mat.QR
	qr.Factorize(q)
	qr.QTo(q)
	b := bowl{mat.NewSymDense(d, nil), make([]float64, d)}
	for i := range d {
		b.o[i] = stream.Float64() - 0.5
		for j := range i + 1 {
			sum := 0.0
			for k := range d {
				sum += math.Pow(condition, float64(k)/float64(max(d-1, 1))) * q.At(i, k) * q.At(j, k)
			}
			b.h.SetSym(i, j, sum)
		}
	}
	return b
}

func (b bowl) at(x []float64) float64 {
	sum := 0.0
	for i := range x {
		for j := range x {
			sum += (x[i] - b.o[i]) * b.h.At(i, j) * (x[j] - b.o[j]) / 2
		}
	}
	return sum
}

// somewhere is a start.
func somewhere(d int, seed uint64) []float64 {
	x := make([]float64, d)
	objective.Cube(d, -0.8, 0.8).Draw(x, rng.Seed(seed).Stream("start"))
	return x
}

// descend goes down with a budget, within bounds, and counts.
func descend(t *testing.T, d, budget int, bounds objective.Box, seed uint64, f func(x []float64) float64) (Result, int) {
	t.Helper()
	meter := query.NewMeter(objective.Func(d, func(x []float64) float64 {
		if !bounds.Contains(x) {
			t.Fatalf("%v was asked, outside of the bounds", x)
		}
		return f(x)
	}), budget)
	x := somewhere(d, seed)
	clamp(x, bounds)
	r, err := Minimize(ctx, meter, Config{Start: x, Value: math.NaN(), Bounds: bounds, Grain: objective.Rounding, Random: rng.Seed(seed).Stream("descent")})
	if err != nil && err != objective.ErrBudget && objective.Cause(err) != objective.ErrBudget {
		t.Fatal(err)
	}
	if meter.Queries() > budget || err != nil && meter.Queries() != budget {
		t.Errorf("%d queries of %d, error %v", meter.Queries(), budget, err)
	}
	return r, meter.Queries()
}

func TestBowls(t *testing.T) {
	for _, c := range []struct{ condition, most float64 }{{1, 4}, {100, 30}, {1e6, 110}} { // queries for each dimension
		for seed := range uint64(5) {
			for _, d := range []int{1, 2, 10, 20} {
				b := newBowl(d, c.condition, seed)
				r, n := descend(t, d, int(c.most+10)*(d+2), free(d), seed, b.at)
				if r.Value > 1e-10*c.condition {
					t.Errorf("condition %g, d = %d, seed %d: %g after %d queries", c.condition, d, seed, r.Value, n)
				}
			}
		}
	}
}

// The budget is exact, whatever it is.
func TestBudgets(t *testing.T) {
	b := newBowl(4, 1e4, 1)
	for budget := 1; budget < 60; budget++ {
		descend(t, 4, budget, free(4), 1, b.at)
	}
}

// naiveWithin is the least value of a bowl within bounds: coordinate by coordinate, ten thousand times.
func naiveWithin(b bowl, bounds objective.Box) float64 {
	x := slices.Clone(b.o)
	clamp(x, bounds)
	for range 10_000 {
		for i := range x {
			slope := 0.0
			for j := range x {
				slope += b.h.At(i, j) * (x[j] - b.o[j])
			}
			x[i] = min(max(x[i]-slope/b.h.At(i, i), bounds.Lo[i]), bounds.Hi[i])
		}
	}
	return b.at(x)
}

// Within bounds it finds what coordinate descent finds: inside, on faces and in corners.
func TestBounds(t *testing.T) {
	for seed := range uint64(10) {
		for _, half := range []float64{0.9, 0.3, 0.1, 0.001} {
			b, bounds := newBowl(6, 30, seed), objective.Cube(6, -half, half)
			want := naiveWithin(b, bounds)
			if r, n := descend(t, 6, 400, bounds, seed, b.at); r.Value-want > 1e-9 {
				t.Errorf("seed %d within ±%g: %g, least is %g, after %d queries", seed, half, r.Value, want, n)
			}
		}
	}
}

// Under noise σ it comes to within 10dσ of the minimum, in the mean over seeds. Where every twentieth point fails it comes
// as far as without. Under a logarithm or a root it finds the same point.
func TestBlemishes(t *testing.T) {
	const d = 10
	for seed := range uint64(5) {
		b := newBowl(d, 100, seed)
		for _, sigma := range []float64{1e-8, 1e-6, 1e-4, 1e-2} {
			random := rng.Seed(seed).Stream("noise")
			r, _ := descend(t, d, 50*d, free(d), seed, func(x []float64) float64 { return b.at(x) + sigma*random.NormFloat64() })
			if gap := b.at(r.Point); gap > 10*d*sigma {
				t.Errorf("seed %d, σ = %g: gap %g = %g dσ", seed, sigma, gap, gap/d/sigma)
			}
		}
		random := rng.Seed(seed).Stream("failures")
		r, _ := descend(t, d, 50*d, free(d), seed, func(x []float64) float64 {
			if random.IntN(20) == 0 {
				return math.NaN()
			}
			return b.at(x)
		})
		if r.Value > 1e-8 {
			t.Errorf("seed %d: gap %g where points fail", seed, r.Value)
		}
		for name, psi := range map[string]func(float64) float64{"log": func(v float64) float64 { return math.Log(v + 1e-3) }, "root": math.Sqrt} {
			r, _ := descend(t, d, 50*d, free(d), seed, func(x []float64) float64 { return psi(b.at(x)) })
			if gap := b.at(r.Point); gap > 1e-8 {
				t.Errorf("seed %d: gap %g under %s", seed, gap, name)
			}
		}
	}
}

// f times a power of two is asked at the same points, to the bit.
func TestNoUnit(t *testing.T) {
	const d = 7
	walk := func(scale float64) (all []float64) {
		random := rng.Seed(3).Stream("noise")
		descend(t, d, 300, objective.Cube(d, -0.9, 0.9), 3, func(x []float64) float64 {
			all = append(all, x...)
			return scale * (100*math.Pow(x[1]-x[0]*x[0], 2) + math.Pow(1-x[0], 4) + math.Abs(x[2]-0.3) + math.Hypot(x[3], x[4]) + math.Pow(x[5]+x[6], 2) + 1e-9*random.NormFloat64())
		})
		return all
	}
	want := walk(1)
	for _, k := range []int{-300, -41, -1, 1, 40, 301} {
		if !slices.Equal(walk(math.Ldexp(1, k)), want) {
			t.Errorf("times 2^%d it asks elsewhere", k)
		}
	}
}

// Constant, linear, infinite and failing functions end it.
func TestOddFunctions(t *testing.T) {
	for name, f := range map[string]func(x []float64) float64{
		"constant": func([]float64) float64 { return 7 }, "zero": func([]float64) float64 { return 0 },
		"failing": func([]float64) float64 { return math.NaN() }, "endless": func([]float64) float64 { return math.Inf(-1) },
		"linear": func(x []float64) float64 { return x[0] + 2*x[1] },
		"large":  func(x []float64) float64 { return 1e300 * (x[0]*x[0] + x[1]*x[1]) },
		"walled": func(x []float64) float64 {
			if x[0] < 0.2 {
				return math.Inf(1)
			}
			return x[0]*x[0] + x[1]*x[1]
		},
	} {
		for seed := range uint64(3) {
			if r, _ := descend(t, 2, 500, objective.Cube(2, -1, 1), seed, f); name == "linear" && r.Value != -3 {
				t.Errorf("%s: %v at %v", name, r.Value, r.Point)
			}
		}
	}
}

// B = I, which is known, learns that the slope rises by ¼ along (1, 0): all of it is made a quarter first. It
// learns that it rises by 4 along (0, 1): only that changes.
func TestKnownCurvatureByHand(t *testing.T) {
	s := &search{Config: Config{Curvature: 1}, x: make([]float64, 2), g: []float64{1, 8}}
	s.pairs = []Pair{{S: []float64{1, 0}, Y: []float64{0.25, 0}, sy: 0.25, ss: 1}}
	s.curve()
	if want := mat.NewDense(2, 2, []float64{0.25, 0, 0, 0.25}); !mat.EqualApprox(s.b, want, 1e-15) {
		t.Errorf("%v", mat.Formatted(s.b))
	}
	s.pairs = append(s.pairs, Pair{S: []float64{0, 1}, Y: []float64{0, 4}, sy: 4, ss: 1})
	s.curve()
	if want := mat.NewDense(2, 2, []float64{0.25, 0, 0, 4}); !mat.EqualApprox(s.b, want, 1e-15) {
		t.Errorf("%v", mat.Formatted(s.b))
	}
	q := parabola{g: s.g, b: s.b, lo: []float64{-9, -9}, hi: []float64{9, 9}}
	if p, ok := q.least(); !ok || !slices.Equal(p, []float64{-4, -2}) {
		t.Errorf("step %v", p)
	}
}

// Parts of a step that are asked for at the same time lead down as well.
func TestAbreast(t *testing.T) {
	b := newBowl(6, 100, 1)
	r, err := Minimize(ctx, objective.Func(6, b.at), Config{
		Start: somewhere(6, 1), Value: math.NaN(), Bounds: free(6), Grain: objective.Rounding, Known: true, Abreast: true,
	})
	if err != nil || r.Value > 1e-12 {
		t.Errorf("%v, error %v", r.Value, err)
	}
}
