package problem_test

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/problem"
)

// log-cosh is its formula. Each component is measured by itself. Its b follows from its
// minimiser, and of c = ±2 only one fits.
func TestLogCoshFormula(t *testing.T) {
	const m = 6
	p := must(t, problem.Spec{Name: "log-cosh", Dim: m, Mix: "none", Seed: 5})
	y := p.Minimiser()
	r := rng.Seed(4).Stream("test")
	signs := 0
	for j := range m {
		a := 0.5 * math.Pow(10, float64(j)/(m-1))
		naive := func(z, c float64) float64 { return math.Log(math.Cosh(a*z)) - 3*a*math.Exp(-4*(z-c)*(z-c)) }
		bottom := goldenSection(func(z float64) float64 { return naive(z, 2) }, 1.5, 2.5)
		fits := map[float64]bool{-1: true, 1: true}
		for range 20 {
			x := p.Minimiser()
			x[j] = 10*r.Float64() - 5
			got := value(t, p, x) - p.Minimum()
			for sign := range fits {
				want := naive(x[j]-(y[j]-sign*bottom), sign*2) - naive(bottom, 2)
				fits[sign] = fits[sign] && math.Abs(got-want) <= 1e-6 // the golden section is exact to 1e-8
			}
		}
		if fits[-1] == fits[1] {
			t.Errorf("component %d: c = −2 fits: %v, c = 2 fits: %v", j, fits[-1], fits[1])
		}
		if fits[1] {
			signs++
		}
		// Both wells are there, and the one at c is deeper.
		hump := math.Inf(-1)
		for z := 0.0; z < 2; z += 0.01 {
			hump = max(hump, naive(z, 2))
		}
		if !(naive(bottom, 2) < naive(0, 2)-0.3 && naive(0, 2) < hump-0.05) {
			t.Errorf("component %d: wells of %v and %v, a hump of %v", j, naive(bottom, 2), naive(0, 2), hump)
		}
	}
	if signs == 0 || signs == m {
		t.Errorf("%d of %d wells lie on the right", signs, m)
	}
	// Far away it grows like a straight line, and does not overflow.
	far := p.Minimiser()
	far[m-1] = 1e300
	if v := value(t, p, far); !(math.Abs(v/5e300-1) <= 1e-12) {
		t.Errorf("f = %v at 1e300", v)
	}
}

// goldenSection returns the minimiser of f on [lo, hi], where it has one well.
func goldenSection(f func(float64) float64, lo, hi float64) float64 {
	const part = 0.6180339887498949
	for range 80 {
		a, b := hi-part*(hi-lo), lo+part*(hi-lo)
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return (lo + hi) / 2
}

// step is 0 on a box of half-width ¼, and 1 just beside it.
func TestStepIsFlatAtItsMinimum(t *testing.T) {
	const m = 4
	p := must(t, problem.Spec{Name: "step", Dim: m, Mix: "none", Seed: 3})
	for j := range m {
		for _, c := range []struct{ z, want float64 }{{0.2499, 0}, {-0.2499, 0}, {0.2501, 1}, {-0.2501, 1}, {0.7499, 1}, {0.7501, 4}, {2, 16}} {
			x := p.Minimiser()
			x[j] += c.z
			if v := value(t, p, x); v != c.want {
				t.Errorf("f = %v at z_%d = %v, want %v", v, j, c.z, c.want)
			}
		}
	}
	if p.Minimum() != 0 {
		t.Errorf("minimum %v", p.Minimum())
	}
}
