package certify

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// quartic is Σ y_j⁴ − 3y_j² + δ(Σ y_j)³ of the coordinates themselves, exactly.
func quartic(x []float64, delta float64) *big.Float {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(v) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(600).Mul(a, b) }
	sum, all := num(0), num(0)
	for _, v := range x {
		y := num(v)
		square := mul(y, y)
		sum.Add(sum, mul(square, square))
		sum.Sub(sum, mul(num(3), square))
		all.Add(all, y)
	}
	return sum.Add(sum, mul(num(delta), mul(all, mul(all, all))))
}

// f + δ·(not separable): for δ from 1e-12 to 1 the number in the certificate is
// that of the same statistic without rounding, to a factor of two, where that is
// above rounding; and below it stays there.
func TestCertificateFollowsTheCoupling(t *testing.T) {
	const d = 8
	for _, delta := range []float64{0, 1e-15, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1} {
		var points [][]float64
		f := objective.Func(d, func(x []float64) float64 {
			points = append(points, append([]float64(nil), x...))
			v, _ := quartic(x, delta).Float64()
			return v
		})
		c, err := Test{Box: objective.Cube(d, -2, 2), Seed: 1}.Certify(ctx, f, frame.Identity(d), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) != 4*splits+alones*(2*d+2) || c.Splits != splits {
			t.Fatalf("%d queries, %d splits", len(points), c.Splits)
		}
		points = points[:4*splits]
		mixed, single := 0.0, 0.0
		for ; len(points) > 0; points = points[4:] {
			diff := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(600).Sub(a, b) }
			var v [4]*big.Float
			for k := range v {
				v[k] = quartic(points[k], delta)
			}
			m, _ := diff(diff(v[3], v[1]), diff(v[2], v[0])).Float64()
			a, _ := diff(v[1], v[0]).Float64()
			b, _ := diff(v[2], v[0]).Float64()
			mixed, single = mixed+m*m, single+a*a+b*b
		}
		exact := math.Sqrt(mixed / single)
		switch {
		case exact > 10*c.Rounding && (c.Coupling > 2*exact || c.Coupling < exact/2):
			t.Errorf("δ = %g: coupling %.2e, exactly %.2e", delta, c.Coupling, exact)
		case exact <= 10*c.Rounding && c.Coupling > 30*c.Rounding:
			t.Errorf("δ = %g: coupling %.2e, rounding %.2e", delta, c.Coupling, c.Rounding)
		}
		want := Separable
		if exact > limit {
			want = NotSeparable
		}
		if c.Verdict != want {
			t.Errorf("δ = %g: %v", delta, c)
		}
	}
}

// By hand: f(x, y) = xy couples completely. From (a, b) by (h, k),
// M = hk, D_A = hb, D_B = ak.
func TestCertificateByHand(t *testing.T) {
	var values []float64
	f := objective.Func(2, func(x []float64) float64 { values = append(values, x[0]*x[1]); return x[0] * x[1] })
	c, err := Test{Seed: 2}.Certify(ctx, f, frame.Identity(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	mixed, single := 0.0, 0.0
	for values = values[:4*splits]; len(values) > 0; values = values[4:] {
		m, a, b := values[3]-values[1]-values[2]+values[0], values[1]-values[0], values[2]-values[0]
		mixed, single = mixed+m*m, single+a*a+b*b
	}
	if want := math.Sqrt(mixed / single); math.Abs(c.Coupling-want) > 1e-12*want || c.Verdict != NotSeparable {
		t.Errorf("%v, want %g", c, want)
	}
	if c, err := (Test{Seed: 2}).Certify(ctx, f, frame.Identity(2), [][]int{{0, 1}}); err != nil || c.Verdict != NotSeparable || c.Splits != 0 {
		t.Errorf("one block of two: %v, %v", c, err)
	}
	if !strings.Contains(c.String(), "not-separable (mixed differences are ") {
		t.Errorf("%v", c)
	}
}

// Every pair of blocks is on different sides of a split about every other time.
func TestSplitsSeparateEveryPair(t *testing.T) {
	const d, n = 5, 400
	apart := mat.NewDense(d, d, nil)
	var x [][]float64
	f := objective.Func(d, func(p []float64) float64 { x = append(x, append([]float64(nil), p...)); return 0 })
	p, _, err := Test{Seed: 3}.prober(ctx, f, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.fours(n, func() (from, a, b []float64) { return p.halves(frame.Identity(d), Singles(d)) }, 1); err != nil {
		t.Fatal(err)
	}
	for x := range slices.Chunk(x, 4) {
		for i := range d {
			for j := range d {
				if (x[1][i] != x[0][i]) != (x[1][j] != x[0][j]) {
					apart.Set(i, j, apart.At(i, j)+1)
				}
			}
		}
	}
	for i := range d {
		for j := range i { // one forced pair makes it a little more than half; five standard errors
			if share := apart.At(i, j) / n; share < 0.5-2.5/math.Sqrt(n) || share > 0.7+2.5/math.Sqrt(n) {
				t.Errorf("%d and %d are apart in %.2f of the splits", i, j, share)
			}
		}
	}
}

// A rough frame is called separable as far as its error allows, and no further.
func TestRoughCertificates(t *testing.T) {
	for _, c := range []struct {
		coupling, slack float64
		want            Verdict
	}{
		{1e-4, 0, Separable}, {5e-3, 0, NotSeparable}, {5e-3, 1e-7, NotSeparable},
		{5e-3, 6e-3, Separable}, {0.05, 6e-3, Separable}, {0.07, 6e-3, NotSeparable},
	} {
		k := Certificate{Coupling: c.coupling, Splits: splits}
		if k.decide(5, 5, c.slack, 0, false); k.Verdict != c.want {
			t.Errorf("a coupling of %g in a frame right to %g: %v", c.coupling, c.slack, k.Verdict)
		}
	}
}

// Differences that are no numbers say nothing, with noise and without.
func TestNothingIsSeparableByNaN(t *testing.T) {
	nan := math.NaN()
	for _, c := range []Certificate{
		{Coupling: nan, Least: nan, Most: nan, Splits: 1000},
		{Rounding: nan, Least: nan, Most: nan, Splits: 1000},
	} {
		exact, noisy := c, c
		exact.decide(5, 5, 0, 0, false)
		noisy.decide(5, 5, 0, 0, true)
		if exact.Verdict != Unknown || noisy.Verdict != Unknown {
			t.Errorf("%v, with noise %v", exact.Verdict, noisy.Verdict)
		}
	}
}
