package nearby

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// sum is Σ x_i, and NaN where fails says so. It counts its queries.
func sum(queries *int, fails func(x []float64) bool) objective.Objective {
	return query.NewGuard(objective.Func(3, func(x []float64) float64 {
		if *queries++; fails(x) {
			return math.NaN()
		}
		return x[0] + x[1] + x[2]
	}))
}

// cube returns n random points of [-1, 1]³.
func cube(n int) *mat.Dense {
	random := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		for k := range 3 {
			x.Set(i, k, 2*random.Float64()-1)
		}
	}
	return x
}

// byChance fails at a share of points, by the bits of x to so many binary digits.
func byChance(share float64, digits int) func(x []float64) bool {
	return func(x []float64) bool {
		hash := uint64(14695981039346656037)
		for _, v := range x {
			hash = (hash ^ math.Float64bits(math.Round(math.Ldexp(v, digits)))) * 1099511628211
			hash ^= hash >> 29
		}
		return float64(hash>>11)*0x1p-53 < share
	}
}

// What fails by chance costs one query more for each failure, and every value is that of
// its point, to the rounding of x.
func TestChance(t *testing.T) {
	for _, c := range []struct {
		share  float64
		digits int // to which f sees x
		most   int // queries of 1,000 points
		error  float64
	}{
		{0, 60, 1000, 0},
		{0.03, 60, 1060, 1e-14},
		{0.2, 60, 1320, 1e-14},
		{0.5, 60, 2200, 1e-14},
		{0.2, 45, 1330, 1e-11}, // 2⁻⁵² is too near
		{0.2, 35, 1340, 1e-8},  // and so is 2⁻⁴²
	} {
		queries := 0
		f := New(sum(&queries, byChance(c.share, c.digits)))
		points, values := cube(1000), make([]float64, 1000)
		if err := f.Evaluate(ctx, points, values); err != nil {
			t.Fatal(err)
		}
		lost := 0
		for i, v := range values {
			x := points.RawRowView(i)
			if want := x[0] + x[1] + x[2]; math.IsInf(v, 1) {
				lost++
			} else if math.Abs(v-want) > c.error {
				t.Fatalf("%+v: %v at %v, want %v", c, v, x, want)
			}
		}
		if queries > c.most || lost > 4 {
			t.Errorf("%+v: %d queries, %d values are missing", c, queries, lost)
		}
	}
}

// Beyond a wall asking again is soon given up, and what fails everywhere is not asked again
// at all. Nothing leaves the cube.
func TestWalls(t *testing.T) {
	for name, c := range map[string]struct {
		fails func(x []float64) bool
		most  int
	}{
		"a wall":     {func(x []float64) bool { return x[0] > 0.3 }, 2000 + 3*atFirst},
		"everywhere": {func([]float64) bool { return true }, 2000},
	} {
		queries := 0
		f := New(sum(&queries, func(x []float64) bool {
			for _, v := range x {
				if math.Abs(v) > 1 {
					t.Errorf("%s: asks for %v", name, x)
				}
			}
			return c.fails(x)
		}))
		points := cube(1000)
		for range 2 {
			values := make([]float64, 1000)
			if err := f.Evaluate(ctx, points, values); err != nil {
				t.Fatal(err)
			}
			for i, v := range values {
				if math.IsInf(v, 1) != c.fails(points.RawRowView(i)) {
					t.Errorf("%s: %v at %v", name, v, points.RawRowView(i))
				}
			}
		}
		if queries > c.most {
			t.Errorf("%s: %d queries, want at most %d", name, queries, c.most)
		}
	}
}

// Few queries are in vain beside few in all: of the first batches of twenty points, with a
// wall across them, one in twenty and one more are asked again.
func TestFewInVain(t *testing.T) {
	queries := 0
	f := New(sum(&queries, func(x []float64) bool { return x[0] > 0.3 }))
	for k := range 5 {
		if err := f.Evaluate(ctx, cube(20), make([]float64, 20)); err != nil {
			t.Fatal(err)
		}
		if want := 20*(k+1) + 2 + k; queries != want {
			t.Errorf("%d queries for %d points, want %d", queries, 20*(k+1), want)
		}
	}
}

// An error while it asks again comes with all values of the batch.
func TestErrorWhileAskingAgain(t *testing.T) {
	queries := 0
	f := New(query.NewMeter(sum(&queries, func(x []float64) bool { return x[0] > 0.3 }), 1001))
	values := make([]float64, 1000)
	err := f.Evaluate(ctx, cube(1000), values)
	if !errors.Is(err, objective.ErrBudget) || query.Evaluated(values, err) != 1000 || queries != 1001 {
		t.Errorf("error %v, %d values known, %d queries", err, query.Evaluated(values, err), queries)
	}
	if err := f.Evaluate(ctx, cube(1), make([]float64, 1)); !errors.Is(err, objective.ErrBudget) {
		t.Error(err)
	}
}

// A function that asks again already is not wrapped.
func TestOnce(t *testing.T) {
	f := New(sum(new(int), byChance(0, 60)))
	if New(f) != f || f.Dim() != 3 {
		t.Error("wrapped twice")
	}
}
