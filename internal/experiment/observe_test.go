package experiment

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A tape is a problem whose values are given, seen and clean, in the order of its queries.
type tape struct {
	seen, clean []float64
	minimum     float64
	at          int
}

func (p *tape) Dim() int              { return 1 }
func (p *tape) Domain() objective.Box { return objective.Cube(1, -1, 1) }
func (p *tape) Minimum() float64      { return p.minimum }
func (p *tape) Blemished() bool       { return p.clean != nil }

func (p *tape) Evaluate(_ context.Context, _ *mat.Dense, values []float64) error {
	p.at += copy(values, p.seen[p.at:])
	return nil
}

func (p *tape) Clean(_ context.Context, _ *mat.Dense, values []float64) error {
	copy(values, p.clean[p.at-len(values):p.at])
	return nil
}

// firstAt returns the first query whose gap is at most so much, 0 if there is none.
func firstAt(gaps []float64, level float64) int {
	return 1 + slices.IndexFunc(gaps, func(g float64) bool { return g <= level })
}

// From a curve, the first query at or below every level and target follows exactly, and the
// rest of what is kept is what a naive reader of all values finds.
func TestObserver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Custom(func(t *rapid.T) float64 {
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				return rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), 0, 1e-8, 1, -1, 100, 1e-30}).Draw(t, "special")
			}
			return math.Pow(10, rapid.Float64Range(-12, 4).Draw(t, "exponent"))
		})
		p := &tape{seen: rapid.SliceOfN(value, 1, 400).Draw(t, "seen"), minimum: rapid.SampledFrom([]float64{0, math.NaN(), 3.7, -1e3}).Draw(t, "minimum")}
		n := len(p.seen)
		values := p.seen
		if rapid.Bool().Draw(t, "blemished") {
			p.clean = rapid.SliceOfN(value, n, n).Draw(t, "clean")
			values = p.clean
		}
		targets := []float64{50, 0.3, rapid.SampledFrom([]float64{1e-8, 1e-3, -2, 0}).Draw(t, "least")}
		o := observe(p, targets, 0)
		for done := 0; done < n; {
			size := min(n-done, rapid.IntRange(1, 50).Draw(t, "batch"))
			if err := o.Evaluate(context.Background(), mat.NewDense(size, 1, nil), make([]float64, size)); err != nil {
				t.Fatal(err)
			}
			done += size
		}

		gaps := make([]float64, n)
		best := 0 // of the values that were seen
		for i, v := range values {
			gaps[i] = gapOf(v, p.minimum)
			if math.IsNaN(p.seen[i]) || math.IsInf(p.seen[i], 1) { // the query failed
				gaps[i] = math.Inf(1)
			}
			if math.IsNaN(p.seen[best]) || p.seen[i] < p.seen[best] {
				best = i
			}
		}
		wantGap := gaps[best]
		if !(p.seen[best] < math.Inf(1)) {
			wantGap = math.Inf(1) // no query returned a number
		}
		if o.gap != wantGap || o.queries != n || o.reached != firstAt(gaps, targets[2]) {
			t.Errorf("gap %v, %d queries, reached at %d; want %v, %d, %d", o.gap, o.queries, o.reached, wantGap, n, firstAt(gaps, targets[2]))
		}
		curve := o.samples()
		levels := slices.Clone(targets)
		for k := -80; k <= 25; k++ {
			levels = append(levels, level(k))
		}
		for _, l := range levels {
			got := 0
			if i := slices.IndexFunc(curve, func(s objective.Sample) bool { return s.Value <= l }); i >= 0 {
				got = curve[i].Queries
			}
			if want := firstAt(gaps, l); got != want {
				t.Fatalf("%v is reached at query %d, and the curve says %d", l, want, got)
			}
		}
		for _, s := range curve {
			if want := slices.Min(gaps[:s.Queries]); s.Value != want {
				t.Fatalf("after %d queries the least gap is %v, and the curve says %v", s.Queries, want, s.Value)
			}
		}
		if last := curve[len(curve)-1]; last.Queries != n || !descends(curve) {
			t.Errorf("the curve ends at %v", last)
		}
	})
}

// A curve by hand: 20 samples a decade, and one for each level that is crossed.
func TestCurveByHand(t *testing.T) {
	p := &tape{seen: make([]float64, 300), minimum: 1}
	for i := range p.seen {
		p.seen[i] = 3.5 // a gap of 2.5
	}
	p.seen[40] = 3.4   // below no level: 2.51 is the next above 2.5, 1.58 is below
	p.seen[150] = 1.5  // below 1.58 and 1 and 0.63
	p.seen[151] = 1.45 // below none
	o := observe(p, []float64{1e-8}, 0)
	if err := o.Evaluate(context.Background(), mat.NewDense(300, 1, nil), make([]float64, 300)); err != nil {
		t.Fatal(err)
	}
	var at []int
	for _, s := range o.samples() {
		at = append(at, s.Queries)
	}
	want := []int{
		1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17, 20, 23, 26, 30, 34, 39, 44, 50, 57, 64, 72, 81, 91, // each 10^(1/20) of the last, rounded up
		103, 116, 131, 147, 151, 165, 186, 209, 235, 264, 297, 300,
	}
	if !cmp.Equal(at, want) {
		t.Errorf("sampled at %v", at)
	}
}

// valueAt is the largest value whose gap, as it is rounded, is at most so much.
func TestValueAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minimum := rapid.OneOf(rapid.SampledFrom([]float64{0, 3, -1, 1e300, -39.16599 * 7, 0.1, math.Copysign(0, -1)}), rapid.Float64Range(-1e6, 1e6)).Draw(t, "minimum")
		gap := rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 1e-8, 5e-324, 1.7e308, 0.1, -1}), rapid.Float64Range(0, 1e3)).Draw(t, "gap")
		v := valueAt(minimum, gap)
		if !(gapOf(v, minimum) <= gap) || gapOf(math.Nextafter(v, math.Inf(1)), minimum) <= gap {
			t.Errorf("min %v, gap %v: %v, whose gap is %v", minimum, gap, v, gapOf(v, minimum))
		}
		if sum := minimum + gap; math.Abs(v-sum) > 1e-15*max(math.Abs(minimum), math.Abs(gap)) && !math.IsInf(sum, 0) {
			t.Errorf("min %v, gap %v: %v", minimum, gap, v)
		}
	})
	if v := valueAt(math.NaN(), 7); v != 7 {
		t.Error(v)
	}
}

// levelAbove is the least level at or above a number.
func TestLevelAbove(t *testing.T) {
	for k := -300; k <= 300; k++ {
		l := level(k)
		if levelAbove(l) != k || levelAbove(math.Nextafter(l, 0)) != k || levelAbove(math.Nextafter(l, math.Inf(1))) != k+1 || !isLevel(l) || isLevel(1.0001*l) {
			t.Errorf("10^(%d/5) = %v", k, l)
		}
	}
	if levelAbove(0) != math.MinInt || levelAbove(-3) != math.MinInt || levelAbove(math.Inf(1)) != math.MaxInt || isLevel(0) || isLevel(-1) || isLevel(math.Inf(1)) {
		t.Error("what has no level has one")
	}
	for _, v := range []float64{5e-324, 1e-320, math.MaxFloat64} {
		if k := levelAbove(v); level(k) < v || level(k-1) >= v {
			t.Errorf("%v is below level %d", v, k)
		}
	}
}
