package outer

import (
	"math"
	"testing"
)

// naiveMaps are outer maps φ of numbers of at least 0.
var naiveMaps = map[string]func(v float64) float64{
	"root":        func(v float64) float64 { return math.Sqrt(1 + v/3) },
	"plain root":  func(v float64) float64 { return 3 + math.Sqrt(v/20) },
	"logarithm":   func(v float64) float64 { return math.Log(1+v/3) - 50 },
	"square":      func(v float64) float64 { return v * v / 9 },
	"exponential": func(v float64) float64 { return math.Exp(v / 8) },
	"saturation":  func(v float64) float64 { return v / (2 + v) },
	"power":       func(v float64) float64 { return math.Cbrt(v) + 7 },
}

// Values along a line of a quadratic under a map tell the map: ψ(f) is a parabola at other
// places of the line, too, and f itself is not.
func TestALineTellsTheMap(t *testing.T) {
	for name, phi := range naiveMaps {
		for _, c := range []struct{ least, centre float64 }{{0.3, 0.4}, {1e-7, 1}, {0, -0.3}} {
			q := func(at float64) float64 { return c.least + 4*(at-c.centre)*(at-c.centre) }
			var places, values []float64
			for k := range 18 {
				at := -1 + float64(k)/6
				places, values = append(places, at), append(values, phi(q(at)))
			}
			m, left, without := FromLine(places, values)
			if m == nil || left > 1e-7 || without < 1e-3 {
				t.Errorf("%s, %v: %v, %v left, %v without", name, c, m, left, without)
				continue
			}
			// ψ(f) = α + βq: two places give α and β, others test them.
			at := func(x float64) (psi, v float64) { return m.Of(phi(q(c.centre + x))), q(c.centre + x) }
			p0, q0 := at(0.05)
			p1, q1 := at(1)
			for _, x := range []float64{0.3, -0.45, 0.77} {
				p, v := at(x)
				if want := p0 + (p1-p0)*(v-q0)/(q1-q0); math.Abs(p-want) > 1e-5*(p1-p0) {
					t.Errorf("%s, %v: ψ is %v at %v, want %v", name, c, p, x, want)
				}
			}
		}
	}
}

// A parabola needs no map; a function with two wells has none; and few values tell nothing.
func TestALineWithoutAMap(t *testing.T) {
	var places, parabola, wells []float64
	for k := range 18 {
		at := -1 + float64(k)/6
		places, parabola, wells = append(places, at), append(parabola, 3+at*at), append(wells, math.Cos(7*at)+at*at)
	}
	if _, _, without := FromLine(places, parabola); without > 1e-12 {
		t.Errorf("a parabola is %v from a parabola", without)
	}
	if _, left, _ := FromLine(places, wells); left < 0.1 {
		t.Errorf("two wells are a parabola under a map but for %v", left)
	}
	if m, left, _ := FromLine(places[:6], parabola[:6]); m != nil || !math.IsInf(left, 1) {
		t.Errorf("six values tell %v, %v left", m, left)
	}
	for k := range parabola {
		parabola[k] = -parabola[k]
	}
	if m, _, _ := FromLine(places, parabola); m != nil {
		t.Errorf("a parabola that opens downwards tells %v", m)
	}
}
