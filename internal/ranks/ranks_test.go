package ranks

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	_ "github.com/untwist/untwist/internal/seeded" // rapid draws the same cases each time
	"pgregory.net/rapid"
)

// naiveMannWhitney tries every way to choose which of all values are those of a. It knows no
// ranks: the sum of ranks grows with the number of pairs (x, y) with x of a after y of b, where
// a pair of equal values counts half.
func naiveMannWhitney(a, b []int) (less, greater, differ float64) {
	all := slices.Concat(a, b)
	twice := func(chosen uint) (u int) { // 2U
		for i, x := range all {
			for j, y := range all {
				if chosen>>i&1 == 1 && chosen>>j&1 == 0 {
					u += 1 + cmp.Compare(x, y)
				}
			}
		}
		return u
	}
	middle := len(a) * len(b)
	off := func(u int) int { return max(u-middle, middle-u) }
	here, total := twice(1<<len(a)-1), 0.0
	for chosen := range uint(1) << len(all) {
		if bits.OnesCount(chosen) != len(a) {
			continue
		}
		total++
		u := twice(chosen)
		if u <= here {
			less++
		}
		if u >= here {
			greater++
		}
		if off(u) >= off(here) {
			differ++
		}
	}
	return less / total, greater / total, differ / total
}

// The test counts all choices, whatever the sizes and however many values are equal; and it
// does not matter which sample is named first.
func TestMannWhitneyCountsChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{1, 2, 4, 100}).Draw(t, "most")
		a := rapid.SliceOfN(rapid.IntRange(0, most), 1, 6).Draw(t, "a")
		b := rapid.SliceOfN(rapid.IntRange(0, most), 1, 6).Draw(t, "b")
		less, greater, differ := naiveMannWhitney(a, b)
		r, back := Test(a, b, cmp.Compare[int]), Test(b, a, cmp.Compare[int])
		near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12 }
		if !near(r.Less, less) || !near(r.Greater, greater) || !near(r.Differ, differ) {
			t.Errorf("%+v, want %v %v %v", r, less, greater, differ)
		}
		if r.Shift != -back.Shift || !near(back.Less, greater) || !near(back.Greater, less) || !near(back.Differ, differ) {
			t.Errorf("the other way round: %+v, want %v %v %v", back, greater, less, differ)
		}
	})
}

// The critical values of published tables: the largest U that is significant at 0.05,
// two-sided, for n against m values.
func TestMannWhitneyTables(t *testing.T) {
	for _, table := range []struct{ n, m, u int }{{5, 5, 2}, {8, 8, 13}, {10, 10, 23}, {7, 12, 18}, {15, 15, 64}, {20, 20, 127}} {
		for u, significant := range map[int]bool{table.u: true, table.u + 1: false} {
			a, b := withU(table.n, table.m, u)
			if r := Test(a, b, cmp.Compare[int]); r.Differ <= 0.05 != significant {
				t.Errorf("%d against %d, U = %d: p = %v", table.n, table.m, u, r.Differ)
			}
		}
	}
}

// withU returns n and m different values with u pairs in which the first comes after the second.
func withU(n, m, u int) (a, b []int) {
	for j := range m {
		b = append(b, (j+1)*(n+1))
	}
	for i := range n {
		after := min(m, max(0, u-i*m)) // how many of b come before it
		a = append(a, after*(n+1)+1+i)
	}
	return a, b
}

// 100 values against 100 that are all larger: of all choices two are as extreme.
func TestMannWhitneyIsExactAtTheLargestSize(t *testing.T) {
	var a, b []int
	for i := range 100 {
		a, b = append(a, i), append(b, 100+i)
	}
	r := Test(a, b, cmp.Compare[int])
	ways := 1.0 // C(200, 100)
	for i := range 100 {
		ways *= float64(200-i) / float64(i+1)
	}
	if want := 2 / ways; math.Abs(r.Differ-want) > 1e-10*want {
		t.Errorf("p = %v, want %v", r.Differ, want)
	}
	if r.Greater != 1 || r.Shift >= 0 {
		t.Errorf("%+v", r)
	}
}

// Where both can be had, the normal distribution is near the exact p-values: at 60 against 80
// values to 0.0008, or to 0.01 if many values are equal, and the two-sided ones to twice that.
func TestManyRunsAreNearlyExact(t *testing.T) {
	for classes, most := range map[int]float64{6: 0.01, 100_000: 0.0008} {
		for shift := range 8 { // of a, so that p goes from large to small
			var a, b []int
			random := rng.Seed(uint64(shift)).Stream("test", classes)
			for range 60 {
				a = append(a, random.IntN(classes)-shift*classes/16)
			}
			for range 80 {
				b = append(b, random.IntN(classes))
			}
			exact := Test(a, b, cmp.Compare[int])
			near := nearly(exact.Shift, 60, doubledRanks(slices.Concat(a, b), cmp.Compare[int]))
			off := max(math.Abs(exact.Less-near.Less), math.Abs(exact.Greater-near.Greater), math.Abs(exact.Differ-near.Differ)/2)
			if off > most {
				t.Errorf("%+v, nearly %+v: off by %v", exact, near, off)
			}
		}
	}
	same := make([]int, 200)
	if r := Test(same, same, cmp.Compare[int]); r != (Outcome{Less: 1, Greater: 1, Differ: 1}) {
		t.Errorf("equal values: %+v", r)
	}
	long := append(same, 1, 2, 3)
	if r := Test(long, long, cmp.Compare[int]); r.Differ != 1 {
		t.Errorf("the same values: %+v", r)
	}
}

func BenchmarkMannWhitney(b *testing.B) {
	var x, y []int
	for i := range 100 {
		x, y = append(x, i*i), append(y, 7*i)
	}
	for b.Loop() {
		Test(x, y, cmp.Compare[int])
	}
}
