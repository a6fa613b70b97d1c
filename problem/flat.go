package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// logCosh: Σ log cosh(a_j z_j) − 3a_j exp(−4(z_j−c_j)²), z = y−b, with a_j from 0.5 to 5 and
// c_j = ±2 at random. log cosh is a bend at 0 between two slopes; each component has a
// well there, and a deeper one near c_j. Elsewhere it has next to no curvature.
func logCosh(d drawing) function {
	b := d.shift()
	a := spread(len(b))
	c := make([]float64, len(b))
	for j := range a {
		a[j] = float64(0.5 * math.Pow(10, a[j]))
		c[j] = 2
		if d.params.IntN(2) == 0 {
			c[j] = -2
		}
	}
	f := separable(make([]float64, len(b)), func(t, y []float64) {
		t, a, b, c := t[:len(y)], a[:len(y)], b[:len(y)], c[:len(y)]
		for j, v := range y {
			t[j] = -2 * a[j] * math.Abs(v-b[j])
		}
		kernel.Exp(t, t)
		for j, e := range t {
			t[j] = (1 + e) / 2
		}
		kernel.Log(t, t) // log cosh u = |u| + log (1+e^(−2|u|))/2, which does not overflow
		for j, v := range y {
			z := v - b[j]
			t[j] += float64(a[j]*math.Abs(z)) - float64(3*a[j]*kernel.ExpOf(-4*square(z-c[j])))
		}
	})
	for j := range b {
		f.minimiser[j] = b[j] + math.Copysign(logCoshBottom(a[j]), c[j])
	}
	return f
}

// logCoshBottom returns the minimiser of log cosh(az) − 3a exp(−4(z−2)²).
// It looks at that function divided by a.
func logCoshBottom(a float64) float64 {
	well := func(z float64) float64 { return float64(3 * kernel.ExpOf(-4*square(z-2))) }
	tanh := func(z float64) float64 { e := kernel.ExpOf(-2 * a * z); return (1 - e) / (1 + e) }
	return lowest(
		func(z float64) float64 { return z + float64(kernel.LogOf((1+kernel.ExpOf(-2*a*z))/2)/a) - well(z) },
		func(z float64) float64 { return tanh(z) + float64(8*(z-2)*well(z)) },
		func(z float64) float64 {
			return float64(a*(1-square(tanh(z)))) + float64((8-float64(64*square(z-2)))*well(z))
		}, 0, 4)
}

// step: Σ ⌊|2z_j|+½⌋², z = y−b. It is flat wherever it does not jump, and 0 on the box
// |z_j| < ¼.
func step(d drawing) function {
	b := d.shift()
	return separable(b, func(t, y []float64) {
		t, b := t[:len(y)], b[:len(y)]
		for j, v := range y {
			t[j] = square(math.Floor(math.Abs(2*(v-b[j])) + 0.5))
		}
	})
}
