package outer

import (
	"math"
	"slices"
	"testing"

	_ "github.com/untwist/untwist/internal/seeded"
	"pgregory.net/rapid"
)

// maps are outer maps φ, of values from 0.2 to 4, with the ψ that undoes them up to scale
// and a constant, their names and their exponents.
var maps = []struct {
	name     string
	exponent float64
	phi      func(v float64) float64
	c        func(f float64) float64 // φ″/φ′² at f = φ(v)
	psi      func(r, s float64) *Map
}{
	{Root, 0.5, math.Sqrt, func(f float64) float64 { return -1 / f }, func(r, s float64) *Map { return fromPole(r, s, 0, 2) }},
	{Square, 2, func(v float64) float64 { return v * v }, func(f float64) float64 { return 0.5 / f }, func(r, s float64) *Map { return fromPole(r, s, 0, 0.5) }},
	{Logarithm, 0, math.Log, func(float64) float64 { return -1 }, func(r, s float64) *Map { return Power(r, s, s, 0) }},
	{Exponential, math.Inf(1), math.Exp, func(f float64) float64 { return 1 / f }, func(r, s float64) *Map { return fromPole(r, s, 0, 0) }},
	{PowerLaw, 1. / 3, func(v float64) float64 { return math.Cbrt(v) - 2 }, func(f float64) float64 { return -2 / (f + 2) }, func(r, s float64) *Map { return fromPole(r, s, -2, 3) }},
	{PowerLaw, -1, func(v float64) float64 { return -1 / v }, func(f float64) float64 { return 2 / f }, func(r, s float64) *Map { return fromPole(r, s, 0, -1) }},
}

// along are values of v.
func along() []float64 {
	var v []float64
	for k := range 20 {
		v = append(v, 0.2+0.2*float64(k))
	}
	return v
}

// of returns φ at all v, and the middle and half the range of that.
func of(phi func(float64) float64, v []float64) (f []float64, r, s float64) {
	for _, x := range v {
		f = append(f, phi(x))
	}
	r, s = middle(f)
	return f, r, s
}

// ψ(φ(v)) = αv + β, ψ′ and c are its derivatives, and the map has its name and exponent.
func TestMapUndoesPowers(t *testing.T) {
	v := along()
	for _, m := range maps {
		f, r, s := of(m.phi, v)
		psi := m.psi(r, s)
		alpha := (psi.Of(f[19]) - psi.Of(f[0])) / (v[19] - v[0])
		for k := range v {
			if want := psi.Of(f[0]) + alpha*(v[k]-v[0]); math.Abs(psi.Of(f[k])-want) > 1e-12*alpha*4 {
				t.Errorf("%s %g: ψ(φ(%g)) = %g, want %g", m.name, m.exponent, v[k], psi.Of(f[k]), want)
			}
			h := 1e-5 * s
			slope := (psi.Of(f[k]+h) - psi.Of(f[k]-h)) / (2 * h)
			if got := psi.Slope(f[k]); math.Abs(got-slope) > 1e-5*slope {
				t.Errorf("%s: ψ′ = %g, want %g", m.name, got, slope)
			}
		}
		if psi.Name() != m.name || math.Abs(psi.Exponent()-m.exponent) > 1e-12 {
			t.Errorf("%s, exponent %g; want %s, %g", psi.Name(), psi.Exponent(), m.name, m.exponent)
		}
		if math.Abs(psi.Slope(r)-1) > 1e-12 {
			t.Errorf("%s: ψ′(r) = %g, want 1", m.name, psi.Slope(r))
		}
	}
}

// By hand: r = 2, s = 1, γ = κ = ½ is ψ = (1+κt)²/(2κ) = (f/2)², with its pole at 0.
func TestMapByHand(t *testing.T) {
	m := Power(2, 1, 0.5, 0.5)
	for _, f := range []float64{0.5, 1, 2, 3, 8} {
		if want := f * f / 4; math.Abs(m.Of(f)-want) > 1e-15*want {
			t.Errorf("ψ(%g) = %g, want %g", f, m.Of(f), want)
		}
	}
	if m.Pole() != 0 || m.Name() != Root {
		t.Errorf("pole %g, %s", m.Pole(), m.Name())
	}
	if identity := Power(2, 1, 0, 0); identity.Of(5) != 3 || identity.Slope(5) != 1 {
		t.Errorf("γ = 0: ψ(5) = %g", identity.Of(5))
	}
}

// Whatever the parameters: ψ increases, is finite where f is, keeps what is not finite, and
// in other units of f it is the same map, to the bit where they are powers of two.
func TestMapIncreases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Power(rapid.Float64Range(-10, 10).Draw(t, "r"), rapid.Float64Range(0.1, 10).Draw(t, "s"),
			rapid.Float64Range(-8, 8).Draw(t, "gamma"), rapid.Float64Range(-1, 1).Draw(t, "kappa"))
		f := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 20).Draw(t, "f")
		slices.Sort(f)
		scaled := m.Scaled(8)
		for k, v := range f {
			if psi := m.Of(v); math.IsNaN(psi) || math.IsInf(psi, 0) || !(m.Slope(v) > 0) {
				t.Fatalf("ψ(%g) = %g, ψ′ = %g", v, psi, m.Slope(v))
			}
			if k > 0 && m.Of(v) < m.Of(f[k-1]) {
				t.Fatalf("ψ(%g) = %g < ψ(%g) = %g", v, m.Of(v), f[k-1], m.Of(f[k-1]))
			}
			if scaled.Of(8*v) != 8*m.Of(v) || scaled.Slope(8*v) != m.Slope(v) {
				t.Fatalf("in other units ψ(%g) = %g, want %g", 8*v, scaled.Of(8*v), 8*m.Of(v))
			}
		}
		if !math.IsNaN(m.Of(math.NaN())) || m.Of(math.Inf(1)) != math.Inf(1) || m.Of(math.Inf(-1)) != math.Inf(-1) {
			t.Fatal("what is not finite changes")
		}
	})
}

// Near its lower end a power is exact: differences of f² around f = 1e-9 are.
func TestMapNearItsPole(t *testing.T) {
	m := fromPole(3, 3, 0, 2)
	a, b := m.Of(1e-9), m.Of(2e-9)
	if math.Abs(b/a-4) > 1e-6 {
		t.Errorf("ψ(2e-9)/ψ(1e-9) = %g, want 4", b/a)
	}
	if below := m.Of(-1); !(below < m.Of(0)) || math.IsInf(below, 0) {
		t.Errorf("below the pole ψ = %g", below)
	}
}
