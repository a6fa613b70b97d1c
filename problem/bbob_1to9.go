package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// The separable functions, 1 to 5.
var bbobSeparable = []bbobFunction{
	{Separable, 0, uniform(4), sphere,
		"‖z‖², z = x−x_opt", ""},
	{Separable, 0, uniform(4), oscillatingEllipsoid,
		"Σ 10^(6(i−1)/(d−1)) z_i², z = T_osc(x−x_opt)", ""},
	{Separable, 0, uniform(4), separableRastrigin,
		"10(d − Σ cos 2πz_i) + ‖z‖², z = Λ^10 T_asy^0.2(T_osc(x−x_opt))", ""},
	{Separable, 0, bucheOptimum, bucheRastrigin,
		"10(d − Σ cos 2πz_i) + ‖z‖² + 100 f_pen(x), z_i = s_i T_osc(x_i−x_opt,i)", ""},
	{Separable, 0, signs(5), linearSlope,
		"Σ 5|s_i| − s_i z_i, z_i = x_i up to x_opt,i = ±5, s_i = ±10^((i−1)/(d−1))", ""},
}

// sphere is bbob-1: ‖z‖², z = x − x_opt.
func sphere(in *instance) function {
	w := ones(in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.squares(dst, w)
	}).within(nil, singles(in.d))
}

// oscillatingEllipsoid is bbob-2: Σ 10^(6(i−1)/(d−1)) z_i², z = T_osc(x − x_opt).
func oscillatingEllipsoid(in *instance) function {
	w := powers(1e6, in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.oscillate()
		r.squares(dst, w)
	}).within(nil, singles(in.d))
}

// separableRastrigin is bbob-3: 10(d − Σ cos 2πz_i) + ‖z‖², z = Λ^10 T_asy^0.2(T_osc(x − x_opt)).
func separableRastrigin(in *instance) function {
	beta, stretched, w := scaled(0.2, spread(in.d)), lambda(10, in.d), ones(in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.oscillate()
		r.asymmetric(beta)
		r.apply(stretched)
		r.rastrigin(dst, w)
	}).within(nil, singles(in.d))
}

// bucheOptimum draws the x_opt of bbob-4. Its coordinates 1, 3, 5, … are positive.
func bucheOptimum(in *instance) []float64 {
	x := in.uniform(4)
	for i := 0; i < in.d; i += 2 {
		x[i] = math.Abs(x[i])
	}
	return x
}

// bucheRastrigin is bbob-4, the Büche–Rastrigin function: 10(d − Σ cos 2πz_i) + ‖z‖² +
// 100 f_pen(x), z_i = s_i T_osc(x_i − x_opt,i), with s_i = 10^(½(i−1)/(d−1)), ten times as
// large where z_i > 0 and i is odd.
func bucheRastrigin(in *instance) function {
	s, w := lambda(10, in.d), ones(in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.oscillate()
		for i := range dst {
			z := rows(r.z, i, 1).Data
			for j, v := range z {
				if z[j] = s[j] * v; v > 0 && j%2 == 0 {
					z[j] *= 10
				}
			}
		}
		r.rastrigin(dst, w)
		addPenalty(dst, 100, x)
	}).within(nil, singles(in.d))
}

// linearSlope is bbob-5: Σ 5|s_i| − s_i z_i with s_i = sign(x_opt,i) 10^((i−1)/(d−1)), and
// z_i = x_i where x_i x_opt,i < 25, x_opt,i beyond. Every term is |s_i| (5 − sign(x_opt,i) z_i).
func linearSlope(in *instance) function {
	s, sign := powers(10, in.d), scaled(0.2, in.xopt)
	return in.function(func(dst []float64, x blas64.General, r room) {
		for i := range dst {
			t := rows(r.z, i, 1).Data
			for j, v := range rows(x, i, 1).Data {
				if t[j] = 5 - float64(sign[j]*v); t[j] < 0 {
					t[j] = 0
				}
			}
		}
		kernel.MulVec(dst, r.z, s)
	}).within(nil, singles(in.d))
}

// The functions with low or moderate conditioning, 6 to 9.
var bbobModerate = []bbobFunction{
	{NotSeparable, 2, uniform(4), attractiveSector,
		"T_osc(Σ (s_i z_i)²)^0.9, z = QΛ^10 R(x−x_opt), s_i = 100 where z_i x_opt,i > 0, else 1",
		"T_osc(t)^0.9 of a sum over the coordinates QΛ^10 Rx"},
	{NotSeparable, 2, uniform(4), stepEllipsoid,
		"0.1 max(|ẑ_1|/10⁴, Σ 10^(2(i−1)/(d−1)) z_i²) + f_pen(x), ẑ = Λ^10 R(x−x_opt), z = Q·round(ẑ)", ""},
	{NotSeparable, 0, uniform(3), originalRosenbrock,
		"Σ 100(z_i²−z_{i+1})² + (z_i−1)², z = max(1, √d/8)(x−x_opt) + 1", ""},
	{NotSeparable, 1, centred, rotatedRosenbrock,
		"Σ 100(z_i²−z_{i+1})² + (z_i−1)², z = max(1, √d/8)Rx + ½", ""},
}

// attractiveSector is bbob-6: T_osc(Σ (s_i z_i)²)^0.9, z = QΛ^10 R(x − x_opt), s_i = 100 where
// z_i x_opt,i > 0, else 1. Since T_osc(t)^0.9 is increasing and s_i depends on z_i alone, it
// is a map of a separable function of z.
func attractiveSector(in *instance) function {
	m := compose(in.q, lambda(10, in.d), in.r)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(m)
		for i := range dst {
			sum := 0.0
			for j, v := range rows(r.z, i, 1).Data {
				if v*in.xopt[j] > 0 {
					v *= 100
				}
				sum += square(v)
			}
			dst[i] = sum
		}
		a, b := r.a.Data[:len(dst)], r.b.Data[:len(dst)]
		oscillate(dst, a, b)
		for i := range b {
			b[i] = 0.9
		}
		kernel.Pow(dst, dst, b)
	}).within(m, whole(in.d))
}

// stepEllipsoid is bbob-7: 0.1 max(|ẑ_1|/10⁴, Σ 10^(2(i−1)/(d−1)) z_i²) + f_pen(x) with
// ẑ = Λ^10 R(x − x_opt), z = Q z̃, and z̃_i = ⌊½+ẑ_i⌋ where |ẑ_i| > ½, ⌊½+10ẑ_i⌋/10 otherwise.
func stepEllipsoid(in *instance) function {
	first, w := compose(lambda(10, in.d), in.r), powers(100, in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(first)
		least := r.b.Data[:len(dst)]
		for i := range least {
			least[i] = math.Abs(r.z.Data[i*in.d]) / 1e4
		}
		for i, v := range r.z.Data {
			if math.Abs(v) > 0.5 {
				r.z.Data[i] = math.Floor(0.5 + v)
			} else {
				r.z.Data[i] = math.Floor(0.5+float64(10*v)) / 10
			}
		}
		r.apply(in.q)
		r.squares(dst, w)
		for i, v := range dst {
			dst[i] = 0.1 * max(least[i], v)
		}
		addPenalty(dst, 1, x)
	})
}

// originalRosenbrock is bbob-8: Σ 100(z_i² − z_{i+1})² + (z_i−1)², z = γ(x − x_opt) + 1.
func originalRosenbrock(in *instance) function {
	gamma := stretch(in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		for i := range dst {
			t := rows(r.z, i, 1).Data // (z − 1)/γ
			for j := range t {
				t[j] *= gamma
			}
			dst[i] = valley(t)
		}
	})
}

// rotatedRosenbrock is bbob-9: the same, z = γRx + ½.
func rotatedRosenbrock(in *instance) function {
	m := compose(scale(stretch(in.d), in.d), in.r)
	return in.function(func(dst []float64, x blas64.General, r room) {
		r.applyTo(x, m)
		for i := range dst {
			t := rows(r.z, i, 1).Data
			for j := range t {
				t[j] -= 0.5 // z − 1
			}
			dst[i] = valley(t)
		}
	})
}

// scale is the map x → cx.
func scale(c float64, d int) diagonal { return scaled(c, ones(d)) }

// valley is the Rosenbrock function of z = 1+t. It is exactly 0 at t = 0.
func valley(t []float64) float64 {
	sum := 0.0
	for j := range len(t) - 1 {
		sum += bend(t[j], t[j+1])
	}
	return sum
}

// bend is one term of it: 100(z² − z_next)² + (z−1)² with z = 1+t, z_next = 1+next, so that
// z² − z_next = t(2+t) − next.
func bend(t, next float64) float64 {
	return float64(100*square(float64(t*(2+t))-next)) + square(t)
}
