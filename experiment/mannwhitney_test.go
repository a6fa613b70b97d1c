package experiment

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
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
		r, back := mannWhitney(a, b, cmp.Compare[int]), mannWhitney(b, a, cmp.Compare[int])
		near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12 }
		if !near(r.less, less) || !near(r.greater, greater) || !near(r.differ, differ) {
			t.Errorf("%+v, want %v %v %v", r, less, greater, differ)
		}
		if r.shift != -back.shift || !near(back.less, greater) || !near(back.greater, less) || !near(back.differ, differ) {
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
			if r := mannWhitney(a, b, cmp.Compare[int]); r.differ <= 0.05 != significant {
				t.Errorf("%d against %d, U = %d: p = %v", table.n, table.m, u, r.differ)
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
	r := mannWhitney(a, b, cmp.Compare[int])
	if want := 2 * math.Exp(-logChoose(200, 100)); math.Abs(r.differ-want) > 1e-10*want {
		t.Errorf("p = %v, want %v", r.differ, want)
	}
	if r.greater != 1 || r.shift >= 0 {
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
			exact := mannWhitney(a, b, cmp.Compare[int])
			near := nearly(exact.shift, 60, doubledRanks(slices.Concat(a, b), cmp.Compare[int]))
			off := max(math.Abs(exact.less-near.less), math.Abs(exact.greater-near.greater), math.Abs(exact.differ-near.differ)/2)
			if off > most {
				t.Errorf("%+v, nearly %+v: off by %v", exact, near, off)
			}
		}
	}
	same := make([]int, 200)
	if r := mannWhitney(same, same, cmp.Compare[int]); r != (ranking{less: 1, greater: 1, differ: 1}) {
		t.Errorf("equal values: %+v", r)
	}
	long := append(same, 1, 2, 3)
	if r := mannWhitney(long, long, cmp.Compare[int]); r.differ != 1 {
		t.Errorf("the same values: %+v", r)
	}
}

// Holm's own procedure, step by step: reject the least p if p ≤ α/m, then the next if p ≤
// α/(m−1), and so on until one is not rejected.
func naiveHolm(p []float64, alpha float64) []bool {
	rejected := make([]bool, len(p))
	for left := len(p); left > 0; left-- {
		least := -1
		for i := range p {
			if !rejected[i] && (least < 0 || p[i] < p[least]) {
				least = i
			}
		}
		if p[least]*float64(left) > alpha {
			break
		}
		rejected[least] = true
	}
	return rejected
}

func TestHolm(t *testing.T) {
	if got, want := holm([]float64{0.04, 0.01, 0.03, 0.5}), []float64{0.09, 0.04, 0.09, 0.5}; !slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) < 1e-15 }) {
		t.Errorf("%v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.001, 0.004, 0.01, 0.012, 0.02, 0.03, 0.05, 0.2, 0.9, 1}), 0, 8).Draw(t, "p")
		corrected := holm(p)
		for i, rejected := range naiveHolm(p, significance) {
			if corrected[i] <= significance != rejected || corrected[i] < p[i] || corrected[i] > 1 {
				t.Errorf("%v becomes %v, rejected %v", p, corrected, rejected)
			}
		}
	})
}

func BenchmarkMannWhitney(b *testing.B) {
	var x, y []int
	for i := range 100 {
		x, y = append(x, i*i), append(y, 7*i)
	}
	for b.Loop() {
		mannWhitney(x, y, cmp.Compare[int])
	}
}
