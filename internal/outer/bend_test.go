package outer

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: log Q′ from 0 at 0 to log 2 at 1 is Q′ = 2^u, Q = (2^u − 1)/log 2, and straight
// beyond.
func TestBendByHand(t *testing.T) {
	b := newBend([]float64{0, 1}, []float64{0, math.Ln2})
	for _, c := range [][3]float64{{0, 0, 1}, {0.5, (math.Sqrt2 - 1) / math.Ln2, math.Sqrt2}, {1, 1 / math.Ln2, 2}, {2, 1/math.Ln2 + 2, 2}, {-1, -1, 1}} {
		if got, slope := b.of(c[0]), b.slope(c[0]); math.Abs(got-c[1]) > 1e-14 || math.Abs(slope-c[2]) > 1e-14 {
			t.Errorf("Q(%g) = %g, Q′ = %g; want %g, %g", c[0], got, slope, c[1], c[2])
		}
	}
	if got := b.curve(0.5); math.Abs(got-math.Ln2) > 1e-14 {
		t.Errorf("Q″/Q′ = %g, want %g", got, math.Ln2)
	}
	if wide := b.scaled(4); wide.of(2) != 4*b.of(0.5) || wide.slope(2) != b.slope(0.5) {
		t.Error("in other units it is another function")
	}
}

// f = sinh v is no power: squares along pairs of components tell a map that leaves a third of
// what powers leave, or less, and that is called some increasing map.
func TestSomeIncreasingMap(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var pairs [][]Cross
	for range 12 {
		var along []Cross
		for range 5 {
			v, a, b, e := 3*random.Float64(), random.Float64(), random.Float64(), 1e-3
			c := Cross{H: [2]float64{a, b}, Eps: [2]float64{e, e}}
			f := func(y, z float64) float64 { return math.Sinh(v + y*y/2 + y + z + z*z/3) }
			c.Corners = Corners{f(0, 0), f(a, 0), f(0, b), f(a, b)}
			c.Beside = [4]float64{f(e, 0), f(a+e, 0), f(0, e), f(0, b+e)}
			along = append(along, c)
		}
		pairs = append(pairs, along)
	}
	psi := FittedBeside(pairs, nil)
	if psi == nil || psi.Name() != Some || !math.IsNaN(psi.Exponent()) || psi.Exact() {
		t.Fatalf("%+v", psi)
	}
	power := *psi
	power.bend = nil
	if got, without := Left(psi, pairs), Left(&power, pairs); got > without/3 {
		t.Errorf("left %g, without the bend %g", got, without)
	}
	for f := 1.0; f < 20; f++ {
		slope := (psi.Of(f+1e-5) - psi.Of(f-1e-5)) / 2e-5
		if !(slope > 0) || math.Abs(psi.Slope(f)-slope) > 1e-6*slope {
			t.Errorf("ψ′(%g) = %g, want %g", f, psi.Slope(f), slope)
		}
	}
}
