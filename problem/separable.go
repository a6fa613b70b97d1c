package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
)

// rastrigin: 10m + Σ (y_j−b_j)² − 10 cos 2π(y_j−b_j), the g^R of section 4.
func rastrigin(d drawing) function {
	b := d.uniform(-2, 2)
	return separable(b, func(t, y []float64) {
		t, b := t[:len(y)], b[:len(y)]
		kernel.Difference(t, 2*math.Pi, y, b)
		kernel.Cos(t, t)
		for j, v := range y {
			z := v - b[j]
			t[j] = square(z) + (10 - float64(10*t[j])) // exactly 0 at the minimum
		}
	})
}

// rastriginLike: Σ (y_j²−4)² − 0.3 cos 3y_j + c_j y_j, the modified Rastrigin
// function of section 4 with b_j = 2, h = 0.3, k = 3. Every component has two
// wells, near ±2, whose depths differ by about 4|c_j|.
func rastriginLike(d drawing) function {
	c := d.uniform(-1, 1)
	component := func(y, c, cos3y float64) float64 {
		return square(square(y)-4) - float64(0.3*cos3y) + float64(c*y)
	}
	f := separable(make([]float64, len(c)), func(t, y []float64) {
		t, c := t[:len(y)], c[:len(y)]
		for j, v := range y {
			t[j] = 3 * v
		}
		kernel.Cos(t, t)
		for j, v := range y {
			t[j] = component(v, c[j], t[j])
		}
	})
	for j, cj := range c {
		f.minimiser[j] = lowest(
			func(y float64) float64 { return component(y, cj, kernel.CosOf(3*y)) },
			func(y float64) float64 { return float64(4*y*(square(y)-4)) + float64(0.9*kernel.SinOf(3*y)) + cj },
			func(y float64) float64 { return float64(12*y*y) - 16 + float64(2.7*kernel.CosOf(3*y)) },
			-4, 4)
	}
	return f
}

// squaredNorm: Σ y_j². Its Hessian is constant, so sampling Hessians cannot identify W.
func squaredNorm(d drawing) function {
	return weightedSquares(make([]float64, d.spec.Components), func(int) float64 { return 1 })
}

// ellipsoid: Σ 10^(6(j−1)/(m−1)) z_j².
func ellipsoid(d drawing) function {
	at := spread(d.spec.Components)
	return weightedSquares(d.shift(), func(j int) float64 { return math.Pow(10, 6*at[j]) })
}

// discus: 10⁶ z_1² + Σ_{j>1} z_j².
func discus(d drawing) function {
	return weightedSquares(d.shift(), func(j int) float64 {
		if j == 0 {
			return 1e6
		}
		return 1
	})
}

// weightedSquares: Σ weight_j (y_j−b_j)².
func weightedSquares(b []float64, weight func(j int) float64) function {
	w := make([]float64, len(b))
	for j := range w {
		w[j] = weight(j)
	}
	return separable(b, func(t, y []float64) {
		t, w, b := t[:len(y)], w[:len(y)], b[:len(y)]
		for j, v := range y {
			t[j] = w[j] * square(v-b[j])
		}
	})
}

// differentPowers: Σ |y_j|^(2+4(j−1)/(m−1)), the g^DP of section 4.
func differentPowers(d drawing) function {
	power := spread(d.spec.Components)
	for j := range power {
		power[j] = 2 + float64(4*power[j])
	}
	return separable(make([]float64, len(power)), func(t, y []float64) {
		t = t[:len(y)]
		for j, v := range y {
			t[j] = math.Abs(v)
		}
		kernel.Pow(t, t, power)
	})
}

// levy: sin² πv_1 + Σ_{j<m} (v_j−1)²(1+10 sin²(πv_j+1)) + (v_m−1)²(1+sin² 2πv_m)
// with v = 1+(y−b)/4.
func levy(d drawing) function {
	b := d.shift()
	last := len(b) - 1
	return separable(b, func(t, y []float64) {
		v := func(j int) float64 { return 1 + float64((y[j]-b[j])/4) }
		for j := range last {
			t[j] = float64(math.Pi*v(j)) + 1
		}
		t[last] = 2 * math.Pi * v(last)
		kernel.Sin(t, t)
		for j := range last {
			t[j] = square(v(j)-1) * (1 + float64(10*square(t[j])))
		}
		t[last] = square(v(last)-1) * (1 + square(t[last]))
		t[0] += square(kernel.SinOf(math.Pi * (v(0) - 1))) // = sin² πv_1, and exactly 0 at v_1 = 1
	})
}

// styblinskiTang: ½ Σ z_j⁴ − 16z_j² + 5z_j. Every component has two wells.
func styblinskiTang(d drawing) function {
	b := d.shift()
	component := func(z float64) float64 { return (square(z*z) - float64(16*z*z) + float64(5*z)) / 2 }
	bottom := lowest(component,
		func(z float64) float64 { return float64(2*z*z*z) - float64(16*z) + 2.5 },
		func(z float64) float64 { return float64(6*z*z) - 16 }, -5, 5)
	f := separable(make([]float64, len(b)), func(t, y []float64) {
		t, b := t[:len(y)], b[:len(y)]
		for j, v := range y {
			t[j] = component(v - b[j])
		}
	})
	for j := range b {
		f.minimiser[j] = b[j] + bottom
	}
	return f
}

// microring: Σ T(y_j+φ_j), the transmission of m ring resonators, 2π-periodic
// in every component, with φ_j uniform on [−π, π]. Where there are bounds, a
// minimiser x* is drawn inside them instead, and φ = −Wx*, so that the minimum
// can be reached within the bounds.
func microring(d drawing) function {
	const a, r = 0.95, 0.85
	transmission := func(cosine float64) float64 {
		c := float64(2 * a * r * cosine)
		return (a*a - c + r*r) / (1 - c + a*r*a*r)
	}
	var bottom, x []float64 // y* = −φ, and x* if it is drawn
	if d.spec.Bounds == nil {
		bottom = d.uniform(-math.Pi, math.Pi)
	} else {
		x = make([]float64, d.spec.Dim)
		box := d.box()
		box.Draw(x, d.params)
		bottom = make([]float64, d.spec.Components)
		d.w.apply(row(bottom), row(x))
	}
	return function{
		terms: func(t, y []float64) {
			kernel.Difference(t, 1, y, bottom)
			kernel.Cos(t, t)
			for j, cosine := range t {
				t[j] = transmission(cosine)
			}
		},
		minimiser: bottom,
		point:     x,
		blocks:    singles(len(bottom)),
	}
}

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
