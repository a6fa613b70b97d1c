package experiment

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/untwist/untwist/internal/seeded"
)

// rapid draws the same cases each time

// Intervals by hand, after Brown, Cai and DasGupta: for 0 of n the upper end is
// z²/(n+z²).
func TestWilson(t *testing.T) {
	const z2 = 3.841458820694124
	for _, test := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 100, 0, z2 / (100 + z2)},
		{100, 100, 100 / (100 + z2), 1},
		{5, 10, 0.5 - 0.5*math.Sqrt(z2/(10+z2)), 0.5 + 0.5*math.Sqrt(z2/(10+z2))},
		{0, 0, 0, 1},
	} {
		low, high := wilson(test.k, test.n)
		if math.Abs(low-test.low) > 1e-12 || math.Abs(high-test.high) > 1e-12 {
			t.Errorf("%d of %d: %v to %v, want %v to %v", test.k, test.n, low, high, test.low, test.high)
		}
	}
}

// The ends of the interval are the rates p that are z standard deviations √(p(1−p)/n)
// away from k/n, and it lies within [0, 1] around k/n.
func TestWilsonSolvesItsEquation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		low, high := wilson(k, n)
		rate := float64(k) / float64(n)
		if !(0 <= low && low <= rate && rate <= high && high <= 1) {
			t.Fatal(low, rate, high)
		}
		for _, p := range []float64{low, high} {
			if off := math.Abs(rate-p) - 1.959963984540054*math.Sqrt(p*(1-p)/float64(n)); math.Abs(off) > 1e-9 {
				t.Errorf("%v is off by %v", p, off)
			}
		}
	})
}

// Fisher's own tea tasting, 3 of 4 cups against 1 of 4, gives 34/70. The other example is
// in many textbooks: 8 of 10 against 1 of 6.
func TestFisher(t *testing.T) {
	for _, test := range []struct {
		k, n, l, m int
		want       float64
	}{{3, 4, 1, 4, 34. / 70}, {8, 10, 1, 6, 0.034965034965034965}, {0, 100, 0, 100, 1}, {100, 100, 0, 100, 2.2087606931995054e-59}} {
		if got := fisher(test.k, test.n, test.l, test.m); math.Abs(got-test.want) > 1e-10*test.want+1e-70 {
			t.Errorf("%v: %v", test, got)
		}
	}
}

// naiveFisher counts tables exactly, for the two-sided test and the one-sided.
func naiveFisher(k, n, l, m int) (differ, fewer float64) {
	ways := func(i int) *big.Int {
		a, b := new(big.Int), new(big.Int)
		if i < 0 || i > n || k+l-i < 0 || k+l-i > m {
			return a
		}
		return a.Mul(a.Binomial(int64(n), int64(i)), b.Binomial(int64(m), int64(k+l-i)))
	}
	sum, few, all := new(big.Int), new(big.Int), new(big.Int)
	for i := 0; i <= n; i++ {
		all.Add(all, ways(i))
		if ways(i).Cmp(ways(k)) <= 0 {
			sum.Add(sum, ways(i))
		}
		if i <= k {
			few.Add(few, ways(i))
		}
	}
	differ, _ = new(big.Rat).SetFrac(sum, all).Float64()
	fewer, _ = new(big.Rat).SetFrac(few, all).Float64()
	return differ, fewer
}

func TestFisherCountsTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 120).Draw(t, "n"), rapid.IntRange(1, 120).Draw(t, "m")
		k, l := rapid.IntRange(0, n).Draw(t, "k"), rapid.IntRange(0, m).Draw(t, "l")
		differ, fewer := naiveFisher(k, n, l, m)
		if got := fisher(k, n, l, m); math.Abs(got-differ) > 1e-9*differ {
			t.Errorf("%v, want %v", got, differ)
		}
		if got := fisherFewer(k, n, l, m); math.Abs(got-fewer) > 1e-9*fewer {
			t.Errorf("fewer: %v, want %v", got, fewer)
		}
	})
}

// fisherFewer returns the one-sided p-value that the first has the smaller rate of success:
// the probability, given k+l successes in all, that at most k of them are its own.
func fisherFewer(k, n, l, m int) float64 {
	return fisherOf(k, n, l, m, func(i int, _ float64) bool { return i <= k })
}
