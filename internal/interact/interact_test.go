package interact_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/interact"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A sum is f(x) = Σ_j φ(⟨w_j, x⟩ − b_j), φ that of Rastrigin's function, with sparse rows w_j.
type sum struct {
	d       int
	columns [][]int
	entries [][]float64
	b       []float64
}

func (s *sum) Dim() int { return s.d }

func (s *sum) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	z, t := make([]float64, len(s.b)), make([]float64, len(s.b))
	for k := range values {
		x := points.RawRowView(k)
		for j, columns := range s.columns {
			y := -s.b[j]
			for n, i := range columns {
				y += s.entries[j][n] * x[i]
			}
			z[j], t[j] = y, 2*math.Pi*y
		}
		kernel.Cos(t, t)
		values[k] = 0
		for j, y := range z {
			values[k] += y*y + 10 - 10*t[j]
		}
	}
	return nil
}

// add adds a row.
func (s *sum) add(r *rng.Stream, columns []int, entry func(n int) float64) {
	row := make([]float64, len(columns))
	for n := range row {
		row[n] = entry(n)
	}
	kernel.Normalise(row)
	s.columns, s.entries, s.b = append(s.columns, columns), append(s.entries, row), append(s.b, 4*r.Float64()-2)
}

// blocks of a size, of variables in random order. What is left over is single variables.
func blocks(d, size int, r *rng.Stream) *sum {
	s, p := &sum{d: d}, r.Perm(d)
	for lo := 0; lo+size <= d; lo += size {
		for range size {
			s.add(r, p[lo:lo+size], func(int) float64 { return r.NormFloat64() })
		}
	}
	for _, i := range p[d-d%size:] {
		s.add(r, []int{i}, func(int) float64 { return 1 })
	}
	return s
}

// band is a ring with b entries a row.
func band(d, b int, permuted bool, r *rng.Stream) *sum {
	s, p := &sum{d: d}, r.Perm(d)
	if !permuted {
		slices.Sort(p)
	}
	for i := range d {
		columns := make([]int, b)
		for k := range b {
			columns[k] = p[(i+k-b/2+d)%d]
		}
		s.add(r, columns, func(n int) float64 {
			if n == b/2 {
				return 1 + 0.2*r.NormFloat64()
			}
			return 0.5 * r.NormFloat64()
		})
	}
	return s
}

// scattered has k entries a row.
func scattered(d, k int, r *rng.Stream) *sum {
	s, p := &sum{d: d}, r.Perm(d)
	for i := range d {
		columns := []int{p[i]}
		for len(columns) < k {
			if j := r.IntN(d); !slices.Contains(columns, j) {
				columns = append(columns, j)
			}
		}
		s.add(r, columns, func(n int) float64 {
			if n == 0 {
				return 1
			}
			return 0.6 * r.NormFloat64()
		})
	}
	return s
}

// pairs returns the pairs that interact: those that stand in one row.
func (s *sum) pairs() (pairs [][2]int) {
	for _, columns := range s.columns {
		for _, i := range columns {
			for _, j := range columns {
				if i < j {
					pairs = append(pairs, [2]int{i, j})
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}

// sets returns the sets of at least two variables that stand in one row, and the others.
func (s *sum) sets() (sets [][]int, alone []int) {
	of := make([]int, s.d)
	for i := range of {
		of[i] = i
	}
	for again := true; again; {
		again = false
		for _, columns := range s.columns {
			least := s.d
			for _, i := range columns {
				least = min(least, of[i])
			}
			for _, i := range columns {
				again = again || of[i] != least
				of[i] = least
			}
		}
	}
	for i := range of {
		var set []int
		for j := range of {
			if of[j] == i {
				set = append(set, j)
			}
		}
		switch {
		case len(set) > 1:
			sets = append(sets, set)
		case len(set) == 1:
			alone = append(alone, set[0])
		}
	}
	return sets, alone
}

// find looks for interactions within [−5, 5].
func find(t testing.TB, f objective.Objective, grain objective.Grain, seed uint64) *interact.Found {
	t.Helper()
	meter := query.NewMeter(f, math.MaxInt)
	found, err := interact.Find(t.Context(), meter, interact.Search{
		Box: objective.Cube(f.Dim(), -5, 5), Grain: grain, Random: rng.Seed(seed).Stream("interactions"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if found.Queries != meter.Queries() {
		t.Fatalf("%d queries, and %d are told", meter.Queries(), found.Queries)
	}
	return found
}

// right says whether all that was found is right: sets and single variables, and pairs if they are told.
func right(s *sum, found *interact.Found) error {
	sets, alone := s.sets()
	if !slices.EqualFunc(sets, found.Groups, slices.Equal) || !slices.Equal(alone, found.Alone) || len(found.Unseen) > 0 {
		return fmt.Errorf("%s: %d groups, %d alone, %d unseen", found.Kind, len(found.Groups), len(found.Alone), len(found.Unseen))
	}
	if pairs := s.pairs(); found.Kind != interact.Blocks && !slices.Equal(pairs, found.Pairs) {
		return fmt.Errorf("%s: %d pairs of %d", found.Kind, len(found.Pairs), len(pairs))
	}
	return nil
}

// A structure is a kind of sum, with how many queries a variable it may take.
type structure struct {
	name string
	d    int
	make func(d int, r *rng.Stream) *sum
	most float64
}

func structures(whole bool) (all []structure) {
	add := func(name string, most float64, make func(d int, r *rng.Stream) *sum, dims ...int) {
		for _, d := range dims {
			if whole || d <= 300 {
				all = append(all, structure{name, d, make, most})
			}
		}
	}
	for _, size := range flags.Sample([]int{25, 50, 100}, 2) {
		add(fmt.Sprintf("blocks-%d", size), 20, func(d int, r *rng.Stream) *sum { return blocks(d, size, r) }, 300, 1000, 3000)
	}
	for b, most := range map[int]float64{3: 45, 5: 75, 9: 120} {
		add(fmt.Sprintf("band-%d", b), 7, func(d int, r *rng.Stream) *sum { return band(d, b, false, r) }, 300, 1000, 10_000)
		add(fmt.Sprintf("permuted-%d", b), most, func(d int, r *rng.Stream) *sum { return band(d, b, true, r) }, 300, 1000)
	}
	add("rows-3", 60, func(d int, r *rng.Stream) *sum { return scattered(d, 3, r) }, 300, 1000)
	add("rows-5", 160, func(d int, r *rng.Stream) *sum { return scattered(d, 5, r) }, 1000)
	return all
}

// Blocks, bands and sparse rows are found exactly, with the queries of docs/interactions.md. With -whole in up to
// 10,000 dimensions, with ten seeds each.
func TestStructures(t *testing.T) {
	seeds := uint64(flags.Usually(2, 1))
	if *flags.Whole {
		seeds = 10
	}
	for _, c := range structures(*flags.Whole) {
		t.Run(fmt.Sprintf("%s/%d", c.name, c.d), func(t *testing.T) {
			worst := 0.0
			for seed := range seeds {
				s := c.make(c.d, rng.Seed(seed).Stream("sum"))
				found := find(t, s, objective.Rounding, seed)
				if err := right(s, found); err != nil {
					t.Errorf("seed %d: %v, after %d queries", seed, err, found.Queries)
				}
				worst = max(worst, float64(found.Queries)/float64(c.d))
			}
			if t.Logf("%.1f d queries", worst); worst > c.most {
				t.Errorf("%.1f d queries, want at most %v d", worst, c.most)
			}
		})
	}
}
