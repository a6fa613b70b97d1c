package interact_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/rng"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// naivePairs asks all pairs, each with four queries, and returns those whose mixed difference is above 1e-9
// of the values.
func naivePairs(t testing.TB, f objective.Objective, r *rng.Stream) (pairs [][2]int) {
	t.Helper()
	d := f.Dim()
	x, to := make([]float64, d), make([]float64, d)
	for i := range x {
		x[i] = 5*r.Float64() - 2.5
		to[i] = x[i] + 1 + r.Float64()
	}
	at := func(moved ...int) float64 {
		y, v := slices.Clone(x), make([]float64, 1)
		for _, i := range moved {
			y[i] = to[i]
		}
		if err := f.Evaluate(t.Context(), mat.NewDense(1, d, y), v); err != nil {
			t.Fatal(err)
		}
		return v[0]
	}
	for i := range d {
		for j := i + 1; j < d; j++ {
			if both := at(i, j); math.Abs(both-at(i)-at(j)+at()) > 1e-9*math.Abs(both) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// Whatever rows there are, what is found is what all pairs say.
func TestAllPairsSayTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rng.Seed(rapid.Uint64().Draw(rt, "seed")).Stream("sum")
		d := rapid.IntRange(2, 40).Draw(rt, "d")
		s := &sum{d: d}
		for i := range d {
			columns := []int{i}
			for range rapid.IntRange(0, 3).Draw(rt, "partners") {
				if j := r.IntN(d); !slices.Contains(columns, j) {
					columns = append(columns, j)
				}
			}
			s.add(r, columns, func(int) float64 { return 1 + r.Float64() })
		}
		want := naivePairs(t, s, r)
		if truth := s.pairs(); !slices.Equal(want, truth) {
			rt.Fatalf("the oracle has %v, the rows %v", want, truth)
		}
		found := find(t, s, objective.Rounding, 1)
		if found.Kind == interact.Dense {
			return // all of a sample interact: it is not looked further
		}
		if err := right(s, found); err != nil {
			rt.Fatal(err)
		}
	})
}

// A dense function loses 138 queries.
func TestDense(t *testing.T) {
	for _, d := range flags.Sample([]int{40, 300, 1000}, 2) {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: d, Mix: "orthogonal", Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if found := find(t, p, objective.Rounding, 1); found.Kind != interact.Dense || found.Queries > 140 || len(found.Groups) != 1 {
			t.Errorf("d = %d: %s after %d queries", d, found.Kind, found.Queries)
		}
	}
}

// Variables that stand alone are found with 2d queries and the sample's, and need not be asked in pairs.
func TestAlone(t *testing.T) {
	const d = 500
	found := find(t, blocks(d, 1, rng.Seed(1).Stream("sum")), objective.Rounding, 1)
	if found.Kind != interact.Separate || len(found.Alone) != d || found.Queries > 2*d+140 || !math.IsInf(found.Margin, 1) || found.Edges() != 0 {
		t.Errorf("%s, %d alone, margin %v after %d queries", found.Kind, len(found.Alone), found.Margin, found.Queries)
	}
}

// plus adds something to f.
type plus struct {
	*sum
	more func(x []float64) float64
}

func (p plus) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := p.sum.Evaluate(ctx, points, values); err != nil {
		return err
	}
	for k := range values {
		values[k] += p.more(points.RawRowView(k))
	}
	return nil
}

// A variable on which f does not depend, or hardly, is unseen.
func TestUnseen(t *testing.T) {
	s := blocks(100, 20, rng.Seed(1).Stream("sum"))
	s.d = 103
	found := find(t, plus{s, func(x []float64) float64 { return 1e-12*x[100] + x[102]*x[102] }}, objective.Rounding, 1)
	if !slices.Equal(found.Unseen, []int{100, 101}) || !slices.Equal(found.Alone, []int{102}) || len(found.Groups) != 5 {
		t.Errorf("%d groups, alone %v, unseen %v", len(found.Groups), found.Alone, found.Unseen)
	}
}

// Under noise of 1e-4 of what single variables change there is no false pair, and nine of ten blocks are
// right. The noise is measured.
func TestNoise(t *testing.T) {
	good, all := 0, 0
	for seed := range uint64(flags.Usually(5, 2)) {
		r := rng.Seed(seed).Stream("sum")
		s := blocks(300, 25, r)
		// Moving a variable changes f by some 10 to 40.
		noisy := plus{s, func([]float64) float64 { return 2e-3 * r.NormFloat64() }}
		grain, err := grains.Measure(t.Context(), noisy, objective.Cube(300, -5, 5), rng.Seed(seed).Stream("grain"))
		if err != nil {
			t.Fatal(err)
		}
		found := find(t, noisy, grain, seed)
		sets, _ := s.sets()
		of := make([]int, s.d)
		for k, set := range sets {
			for _, i := range set {
				of[i] = k
			}
		}
		for _, g := range found.Groups {
			if slices.ContainsFunc(g, func(i int) bool { return of[i] != of[g[0]] }) {
				t.Errorf("seed %d: a false pair", seed)
			}
			if slices.ContainsFunc(sets, func(set []int) bool { return slices.Equal(set, g) }) {
				good++
			}
		}
		all += len(sets)
	}
	if 10*good < 9*all {
		t.Errorf("%d of %d blocks", good, all)
	}
}

// Where one point in twenty fails, and where f fails beyond a plane, structure is found all the same.
func TestFailingPoints(t *testing.T) {
	for name, fails := range map[string]func(x []float64) bool{
		"sometimes": func(x []float64) bool { return math.Mod(math.Abs(x[0]*1e4+x[7]*1e5+x[11]*1e5), 1) < 0.05 },
		"beyond": func(x []float64) bool {
			s := 0.0
			for i := range x {
				s += x[i]
			}
			return s > 60
		},
	} {
		r := rng.Seed(3).Stream("sum")
		for _, s := range []*sum{blocks(200, 20, r), band(200, 3, false, r), band(200, 3, true, r)} {
			f := plus{s, func(x []float64) float64 {
				if fails(x) {
					return math.Inf(1)
				}
				return 0
			}}
			found := find(t, f, objective.Rounding, 2)
			if err := right(s, found); err != nil {
				t.Errorf("%s: %v after %d queries", name, err, found.Queries)
			}
		}
	}
	never := plus{blocks(50, 5, rng.Seed(3).Stream("sum")), func([]float64) float64 { return math.NaN() }}
	if found := find(t, never, objective.Rounding, 1); found.Kind != interact.Undecided || found.Queries > 20 {
		t.Errorf("f that fails everywhere: %s after %d queries", found.Kind, found.Queries)
	}
}

// inside fails the test where a point is outside.
type inside struct {
	*sum
	t   *testing.T
	box objective.Box
}

func (f inside) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	for k := range values {
		if i := f.box.Outside(points.RawRowView(k)); i >= 0 {
			f.t.Fatalf("x[%d] = %v", i, points.At(k, i))
		}
	}
	return f.sum.Evaluate(ctx, points, values)
}

// Nothing outside the box is asked, from any point of it, and what does not live is not moved.
func TestBoundsAndLiveVariables(t *testing.T) {
	r := rng.Seed(5).Stream("sum")
	s, box := blocks(120, 20, r), objective.Cube(120, -1, 3)
	corner := make([]float64, s.d)
	for i := range corner {
		corner[i] = box.Lo[i]
	}
	sets, _ := s.sets()
	live := slices.Concat(sets[1:]...)
	slices.Sort(live)
	for _, search := range []interact.Search{
		{Box: box, Point: corner}, {Box: box}, {Box: box, Point: corner, Live: live},
	} {
		search.Grain, search.Random = objective.Rounding, rng.Seed(1).Stream("interactions")
		found, err := interact.Find(t.Context(), inside{s, t, box}, search)
		want := sets
		if search.Live != nil {
			want = sets[1:]
		}
		if err != nil || !slices.EqualFunc(found.Groups, want, slices.Equal) {
			t.Errorf("%d groups, want %d, error %v", len(found.Groups), len(want), err)
		}
	}
	search := interact.Search{Box: box, Grain: objective.Rounding, Random: rng.Seed(1).Stream("interactions"), Most: 500}
	if found, err := interact.Find(t.Context(), s, search); err != nil || found.Kind != interact.Undecided || found.Queries > 500 {
		t.Errorf("%s after %d queries of 500, error %v", found.Kind, found.Queries, err)
	}
}

// Pairs of neighbours are no band.
func TestNeighbours(t *testing.T) {
	for _, size := range []int{2, 3, 4, 5, 6, 10} {
		s, r := &sum{d: 120}, rng.Seed(1).Stream("sum")
		for lo := 0; lo < s.d; lo += size {
			columns := make([]int, size)
			for k := range columns {
				columns[k] = lo + k
			}
			for range columns {
				s.add(r, columns, func(int) float64 { return r.NormFloat64() })
			}
		}
		if err := right(s, find(t, s, objective.Rounding, 1)); err != nil {
			t.Errorf("blocks of %d: %v", size, err)
		}
	}
}

// The band of microring is no ring, and reaches six places.
func TestMicroring(t *testing.T) {
	p, err := problem.New(problem.Spec{Name: "microring", Dim: 300, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	found, err := interact.Find(t.Context(), p, interact.Search{Box: p.Domain(), Grain: objective.Rounding, Random: rng.Seed(2).Stream("interactions")})
	if err != nil || found.Kind != interact.Band || found.Reach != 6 || found.Ring || len(found.Pairs) != 6*300-21 || found.Queries > 7*300 {
		t.Errorf("%s, reach %d, ring %v, %d pairs, %d queries, error %v", found.Kind, found.Reach, found.Ring, len(found.Pairs), found.Queries, err)
	}
}
