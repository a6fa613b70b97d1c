package outer

import (
	"math"
	"testing"
)

// TestSimpler: a root that was found roughly becomes a root by one that was fitted near the
// minimum, over the values of the first; other maps stay.
func TestSimpler(t *testing.T) {
	rough, exact := fromPole(10, 5, 0.1, 2.06), fromPole(1, 0.5, 0, 2)
	got := rough.Simpler(exact)
	if got.Exponent() != 0.5 || got.Name() != Root {
		t.Errorf("%s, exponent %g; want a root", got.Name(), got.Exponent())
	}
	if lo, hi := got.Range(); lo != 5 || hi != 15 {
		t.Errorf("range %g to %g, want 5 to 15", lo, hi)
	}
	for _, f := range []float64{5, 8, 15} { // (f²−25)/(225−25)
		v := (got.Of(f) - got.Of(5)) / (got.Of(15) - got.Of(5))
		if want := (f*f - 25) / 200; math.Abs(v-want) > 1e-12 {
			t.Errorf("ψ(%g) = %g, want %g", f, v, want)
		}
	}
	for _, m := range []*Map{fromPole(10, 5, 0, 0.5), fromPole(10, 5, 0, 2), power(10, 5, 1, 0)} {
		if m.Simpler(exact) != m {
			t.Errorf("%s, exponent %g, has changed", m.Name(), m.Exponent())
		}
	}
}
