package outer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// squares returns φ at the corners of squares: v, v+a, v+b and v+a+b, with an error of the
// frame.
func squares(phi func(float64) float64, n int, fault float64, random *rand.Rand) []Corners {
	var all []Corners
	for range n {
		v, a, b := 0.3+random.Float64(), 2*random.Float64(), 1.5*random.Float64()
		all = append(all, Corners{phi(v), phi(v + a), phi(v + b), phi(v + a + b + fault*random.NormFloat64())})
	}
	return all
}

// Squares determine a power, exactly if they are exact; and a simple one is found exactly even
// if they are not.
func TestFittedToSquares(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, m := range maps {
		for _, fault := range []float64{0, 1e-3} {
			psi := Fitted(squares(m.phi, 20, fault, random))
			if psi == nil {
				t.Errorf("%s: no map", m.name)
				continue
			}
			limit := 1e-6
			if named := slices.Contains([]float64{0, 0.5, 2}, psi.Exponent()); fault > 0 && !named {
				limit = 0.2
			}
			if math.Abs(math.Atan(psi.Exponent())-math.Atan(m.exponent)) > limit {
				t.Errorf("%s, fault %g: exponent %g, want %g", m.name, fault, psi.Exponent(), m.exponent)
			}
			if got := Coupling(psi, squares(m.phi, 20, 0, random)); got > max(1e-8, fault) {
				t.Errorf("%s, fault %g: coupling %g", m.name, fault, got)
			}
		}
	}
}

// By hand: under f = v² a square from v = 1 by 1 and by 2 has the values 1, 4, 9 and 16: the
// mixed difference 4 beside differences 3, 8, 7 and 12; under √f it is 0.
func TestMixedByHand(t *testing.T) {
	c := []Corners{{1, 4, 9, 16}}
	if got, want := Coupling(nil, c), 4/math.Sqrt(9+64+49+144); math.Abs(got-want) > 1e-15 {
		t.Errorf("coupling %g, want %g", got, want)
	}
	if got := Coupling(fromPole(8, 7, 0, 0.5), c); got > 1e-15 {
		t.Errorf("coupling %g after the map", got)
	}
}

// What cannot be fitted is nil, or a map that is finite.
func TestNothingToFit(t *testing.T) {
	if Fitted(nil) != nil || Fitted([]Corners{{1, 1, 1, 1}}) != nil || Fitted([]Corners{{1, math.NaN(), 2, 3}}) != nil {
		t.Error("a map of nothing")
	}
}
