package outer

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
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
			psi := Fitted(squares(m.phi, 20, fault, random), nil)
			if psi == nil {
				t.Errorf("%s: no map", m.name)
				continue
			}
			limit := 1e-6
			if fault > 0 && !psi.Exact() {
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

// A limit for the coupling leaves out maps, and changes none.
func TestFittedWithin(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for _, m := range maps {
		for _, fault := range []float64{1e-3, 0.03, 1} {
			corners := squares(m.phi, 12, fault, random)
			psi := Fitted(corners, nil)
			left := Coupling(psi, corners)
			if got := FittedWithin(corners, nil, left); got == nil || *got != *psi {
				t.Errorf("%s, fault %g: %v within what %v leaves", m.name, fault, got, psi)
			}
			if got := FittedWithin(corners, nil, 0.99*left); got != nil && Coupling(got, corners) > 0.99*left {
				t.Errorf("%s, fault %g: %v leaves more", m.name, fault, got)
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

// The numbers c_k at values f_k give γ and κ back: (1 + κt)s c = −γ.
func TestFromNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := power(rapid.Float64Range(-5, 5).Draw(t, "r"), rapid.Float64Range(0.5, 5).Draw(t, "s"),
			rapid.Float64Range(0.1, 3).Draw(t, "gamma"), rapid.Float64Range(-0.9, 0.9).Draw(t, "kappa"))
		var numbers []Number
		for _, x := range []float64{-1, 0.3, 0.5, 1} {
			f := m.r + m.s*x
			numbers = append(numbers, Number{f, m.Number(f), 1e-6})
		}
		got := FromNumbers(numbers)
		if got == nil || math.Abs(got.gamma-m.gamma) > 1e-6 || math.Abs(got.kappa-m.kappa) > 1e-6 {
			t.Fatalf("%+v, want %+v", got, m)
		}
		other := got.around(m.r+0.4*m.s, 0.3*m.s)
		if f := m.r + 0.2*m.s; math.Abs(other.Number(f)-m.Number(f)) > 1e-6*math.Abs(m.Number(f)) {
			t.Fatalf("around other values c = %g, want %g", other.Number(f), m.Number(f))
		}
	})
	if FromNumbers(nil) != nil || FromNumbers([]Number{{1, 1, 1}, {1, 1, 1}}) != nil {
		t.Error("a map of one value")
	}
}

// Squares along two components of a frame that is wrong by E say the same of a map as those of
// the right frame, but for E²: f = φ(F_i(y_i) + F_j(y_j)), and a step h along u_j moves y_i
// by E_ij h, too.
func TestFittedWhateverTheFrame(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	phi := func(v float64) float64 { return 3 * math.Log(v+0.5) }
	fi := func(y float64) float64 { return y*y + 0.7*math.Cos(3*y) + 3 }
	fj := func(y float64) float64 { return y*y*y*y/4 + math.Sin(2*y) + 3 }
	var before float64
	for _, e := range []float64{1e-3, 1e-2} {
		var pairs [][]Cross
		for range 6 {
			var along []Cross
			eij, eji := e*random.NormFloat64(), e*random.NormFloat64()
			for range 5 {
				yi, yj := 2*random.NormFloat64(), random.NormFloat64()
				c := Cross{H: [2]float64{0.5 + random.Float64(), 0.5 + random.Float64()}, Eps: [2]float64{1e-4, 1e-4}}
				f := func(a, b float64) float64 { return phi(fi(yi+a+eij*b) + fj(yj+b+eji*a)) }
				h, k := c.H[0], c.H[1]
				c.Corners = Corners{f(0, 0), f(h, 0), f(0, k), f(h, k)}
				c.Beside = [4]float64{f(c.Eps[0], 0), f(h+c.Eps[0], 0), f(0, c.Eps[1]), f(0, k+c.Eps[1])}
				along = append(along, c)
			}
			pairs = append(pairs, along)
		}
		psi := FittedBeside(pairs, nil)
		if psi == nil {
			t.Fatal("no map")
		}
		var fault float64 // of c, which is −1/3
		for _, f := range []float64{4, 6, 8} {
			fault = max(fault, math.Abs(3*psi.Number(f)+1))
		}
		if e == 1e-3 && fault > 1e-3 {
			t.Errorf("E = %g: c is wrong by %g of it", e, fault)
		}
		if e == 1e-2 && fault > 0.1 {
			t.Errorf("E = %g: c is wrong by %g of it, by %g at E = 1e-3", e, fault, before)
		}
		before = fault
		if Left(psi, pairs) > 0.1*Left(power(5, 3, 0, 0), pairs) {
			t.Errorf("E = %g: left %g, without a map %g", e, Left(psi, pairs), Left(power(5, 3, 0, 0), pairs))
		}
	}
}

// What cannot be fitted is nil, or a map that is finite.
func TestNothingToFit(t *testing.T) {
	if Fitted(nil, nil) != nil || Fitted([]Corners{{1, 1, 1, 1}}, nil) != nil || Fitted([]Corners{{1, math.NaN(), 2, 3}}, nil) != nil || FittedBeside(nil, nil) != nil {
		t.Error("a map of nothing")
	}
}
