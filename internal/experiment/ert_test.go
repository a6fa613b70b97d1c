package experiment

import (
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// The first query at or below a target, by hand.
func TestEffort(t *testing.T) {
	r := store.Run{Queries: 50, Curve: []objective.Sample{{Queries: 1, Value: 8}, {Queries: 7, Value: 2}, {Queries: 9, Value: 0.5}, {Queries: 40, Value: -1e-17}}}
	for target, want := range map[float64]effort{
		10: {1, true}, 8: {1, true}, 7.9: {7, true}, 2: {7, true}, 1: {9, true}, 0: {40, true}, -1: {50, false},
	} {
		if got := effortOf(r, target); got != want {
			t.Errorf("%v: %v, want %v", target, got, want)
		}
	}
	if got := effortOf(store.Run{Queries: 3}, 1); got != (effort{3, false}) {
		t.Error(got)
	}
}

// Of four runs there are 4⁴ = 256 equally probable resamples, so the distribution of their ERT
// can be counted. The share of the 1,000 draws that are at most any of its values is within five
// standard errors of the count.
func TestBootstrapDrawsRuns(t *testing.T) {
	runs := []effort{{10, true}, {100, false}, {35, true}, {100, false}}
	var exact []float64
	for code := range 256 {
		var drawn []effort
		for i := range 4 {
			drawn = append(drawn, runs[code>>(2*i)&3])
		}
		exact = append(exact, ert(drawn))
	}
	share := func(of []float64, most float64) float64 {
		n := 0
		for _, v := range of {
			if v <= most {
				n++
			}
		}
		return float64(n) / float64(len(of))
	}
	draws := bootstrap([][]effort{runs, {{1, true}, {2, true}, {3, true}, {4, true}}}, rng.Seed(1).Stream("test"))
	for _, v := range exact {
		p := share(exact, v)
		if off := math.Abs(share(draws[0], v) - p); off > 5*math.Sqrt(p*(1-p)/resamples)+1e-12 {
			t.Errorf("ERT ≤ %v: %v of the draws, %v of all", v, share(draws[0], v), p)
		}
	}
	if share(draws[0], math.MaxFloat64) == 1 {
		t.Error("no draw without a success")
	}
	if len(draws[0]) != resamples || len(draws[1]) != resamples || slices.Min(draws[1]) < 1 || slices.Max(draws[1]) > 4 {
		t.Errorf("%d and %d draws", len(draws[0]), len(draws[1]))
	}
}

// The interval leaves out 25 of 1,000 values at each end. A ratio of two infinite ERTs widens
// the interval to both sides.
func TestInterval(t *testing.T) {
	var values []float64
	for i := range resamples {
		values = append(values, float64((i*7)%resamples))
	}
	if low, high := interval(values); low != 25 || high != 974 {
		t.Errorf("%v to %v", low, high)
	}
	ones := slices.Repeat([]float64{1}, resamples)
	if low, high := ratios(values, ones); low != 25 || high != 974 {
		t.Errorf("%v to %v", low, high)
	}
	a, b := slices.Clone(ones), slices.Clone(ones)
	for i := range 25 {
		a[i], b[i] = math.Inf(1), math.Inf(1)
	}
	if low, high := ratios(a, b); low != 1 || high != 1 {
		t.Errorf("with 25 unknown ratios: %v to %v", low, high)
	}
	a[25], b[25] = math.Inf(1), math.Inf(1)
	if low, high := ratios(a, b); low != 0 || !math.IsInf(high, 1) {
		t.Errorf("with 26 unknown ratios: %v to %v", low, high)
	}
}

// A quartile is a value with at least a quarter of the values on either side of it, itself
// included; the median has half of them.
func TestQuartilesSplitTheValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 0, 1, 2, 3, 4, 5, math.Inf(1)}), 1, 30).Draw(t, "values")
		lower, median, upper := quartiles(values)
		for _, q := range []struct{ at, below, above float64 }{{lower, 0.25, 0.75}, {median, 0.5, 0.5}, {upper, 0.75, 0.25}} {
			below, above := 0, 0
			for _, v := range values {
				if v <= q.at {
					below++
				}
				if v >= q.at {
					above++
				}
			}
			n := float64(len(values))
			if float64(below) < q.below*n || float64(above) < q.above*n || !slices.Contains(values, q.at) {
				t.Errorf("%v: %v has %d below and %d above", values, q.at, below, above)
			}
		}
	})
}

// Levels are 10^(k/5), powers of ten to the bit.
func TestLevel(t *testing.T) {
	for k := -100; k <= 100; k++ {
		if got, want := level(k), math.Pow(10, float64(k)/5); math.Abs(got-want) > 1e-14*want {
			t.Errorf("%d: %v, want %v", k, got, want)
		}
	}
	for k, want := range map[int]float64{10: 100, 0: 1, -5: 0.1, -15: 1e-3, -40: 1e-8} {
		if level(k) != want {
			t.Errorf("%d: %v", k, level(k))
		}
	}
	for least, want := range map[float64]int{1e-8: 51, 0: 51, -3: 51, 1e-9: 51, 0.005: 22, 100: 1, 101: 0} {
		if got := levels(least); len(got) != want {
			t.Errorf("%d levels down to %v: %v", len(got), least, got)
		}
	}
}
