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
