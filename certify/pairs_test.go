package certify

import (
	"context"
	"math"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// f = Σ y_j² + c·y_1 y_3: for steps h_1 and h_3 the mixed difference is c·h_1 h_3, and that of
// every other pair is 0.
func TestPairsByHand(t *testing.T) {
	const c = 0.25
	f := objective.Func(4, func(x []float64) float64 {
		return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + x[3]*x[3] + c*x[0]*x[2]
	})
	pairs, err := Test{Seed: 3}.Pairs(context.Background(), f, frame.Identity(4), 50)
	if err != nil || len(pairs) != 6 {
		t.Fatal(pairs, err)
	}
	for _, p := range pairs {
		if coupled := p.I == 0 && p.J == 2; coupled != (p.Mixed > 1e-12) || coupled != (p.Coupling > 1e-12) {
			t.Errorf("%+v", p)
		}
		// h_i is the difference of two uniform numbers on [−1, 1], of variance 2/3: M² is
		// c²(2/3)² on average. Its fourth moment leaves 25 % of it open in 50 points.
		if want := c * 2 / 3; p.Mixed > 1e-12 && math.Abs(p.Mixed-want) > 0.5*want {
			t.Errorf("%v, want about %v", p.Mixed, want)
		}
	}
	if carriers := Carriers(pairs); len(carriers) != 1 || carriers[0].I != 0 || carriers[0].J != 2 {
		t.Errorf("%+v carry the couplings", carriers)
	}
}

// A pair costs what it says, and a bad frame or a spent budget is an error.
func TestPairsCostAndErrors(t *testing.T) {
	f := objective.Func(5, func(x []float64) float64 { return x[0] * x[1] })
	meter := query.NewMeter(f, 1000)
	if _, err := (Test{}).Pairs(context.Background(), meter, frame.Identity(5), 3); err != nil || meter.Queries() != 3*(1+5+10) {
		t.Errorf("%d queries, error %v", meter.Queries(), err)
	}
	if _, err := (Test{}).Pairs(context.Background(), query.NewMeter(f, 10), frame.Identity(5), 3); err == nil {
		t.Error("no error with ten queries")
	}
	if _, err := (Test{}).Pairs(context.Background(), f, nil, 3); err == nil {
		t.Error("no error without a frame")
	}
	if _, err := (Test{Nearly: math.NaN()}).Splits(context.Background(), f, nil, nil); err == nil {
		t.Error("NaN is no limit")
	}
}

// naiveCarriers takes the largest pair that is left until nine tenths are reached.
func naiveCarriers(pairs []Pair) float64 {
	left, all := append([]Pair(nil), pairs...), 0.0
	for _, p := range left {
		all += p.Mixed * p.Mixed
	}
	n, sum := 0, 0.0
	for sum < 0.9*all && len(left) > 0 {
		k := 0
		for i := range left {
			if left[i].Mixed > left[k].Mixed {
				k = i
			}
		}
		sum += left[k].Mixed * left[k].Mixed
		left = append(left[:k], left[k+1:]...)
		n++
	}
	return float64(n)
}

// The carriers are the fewest pairs that carry nine tenths, the largest first.
func TestCarriers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pairs []Pair
		for k, v := range rapid.SliceOfN(rapid.Float64Range(0, 10), 0, 12).Draw(t, "mixed") {
			pairs = append(pairs, Pair{I: k, J: k + 1, Mixed: v})
		}
		got := Carriers(pairs)
		if float64(len(got)) != naiveCarriers(pairs) {
			t.Fatalf("%d carry, want %v", len(got), naiveCarriers(pairs))
		}
		for k := 1; k < len(got); k++ {
			if got[k].Mixed > got[k-1].Mixed {
				t.Fatal("not the largest first")
			}
		}
	})
}

// A frame that does not separate f nearly does up to the limit that the test sets, unless it
// leaves directions out.
func TestNearlyCertificates(t *testing.T) {
	for _, c := range []struct {
		coupling, beyond, nearly float64
		want                     Verdict
	}{
		{1e-4, 0, 0.2, Separable}, {0.1, 0, 0, NotSeparable}, {0.1, 0, 0.2, NearlySeparable},
		{0.3, 0, 0.2, NotSeparable}, {0.1, 0.01, 0.2, NotSeparable},
	} {
		k := Certificate{Coupling: c.coupling, Beyond: c.beyond, Splits: splits}
		if k.decide(5, 5, 0, c.nearly, false); k.Verdict != c.want {
			t.Errorf("a coupling of %g with a limit of %g: %v", c.coupling, c.nearly, k.Verdict)
		}
		if k.decide(5, 3, 0, c.nearly, false); k.Verdict == NearlySeparable {
			t.Error("blocks do not nearly separate")
		}
	}
}
