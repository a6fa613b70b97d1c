package outer

import (
	"math"
	"testing"
)

// TestSimple: powers with a name are simple if they have its exponent, others are not.
func TestSimple(t *testing.T) {
	for _, c := range []struct {
		m    *Map
		want bool
	}{
		{fromPole(10, 5, 1, 2), true}, {fromPole(10, 5, 1, 0.5), true}, {fromPole(10, 5, 1, 0), true}, {power(10, 5, 1, 0), true},
		{fromPole(10, 5, 1, 2.06), false}, {fromPole(10, 5, 1, 0.51), false}, {fromPole(10, 5, 1, 0.01), false},
	} {
		if c.m.Simple() != c.want {
			t.Errorf("%s, exponent %g: simple is %t", c.m.Name(), c.m.Exponent(), c.m.Simple())
		}
	}
	if m := fromPole(10, 5, 1, 0); !math.IsInf(m.Exponent(), 1) {
		t.Errorf("exponent %g of an exponential", m.Exponent())
	}
}
