package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

// The unimodal functions with high conditioning, 10 to 14.
var bbobConditioned = []bbobFunction{
	{Separable, 1, uniform(4), rotatedEllipsoid,
		"Σ 10^(6(i−1)/(d−1)) z_i², z = T_osc(R(x−x_opt))", ""},
	{Separable, 1, uniform(4), rotatedDiscus,
		"10⁶ z_1² + Σ_{i>1} z_i², z = T_osc(R(x−x_opt))", ""},
	{NotSeparable, 1, uniform(4), bentCigar,
		"z_1² + 10⁶ Σ_{i>1} z_i², z = R T_asy^0.5(R(x−x_opt))", ""},
	{Blocks, 2, uniform(4), sharpRidge,
		"z_1² + 100 √(Σ_{i>1} z_i²), z = QΛ^10 R(x−x_opt)", ""},
	{NotSeparable, 1, uniform(4), rotatedPowers,
		"√(Σ |z_i|^(2+4(i−1)/(d−1))), z = R(x−x_opt)",
		"√t of a sum over the coordinates Rx"},
}

// rotatedEllipsoid is bbob-10: Σ 10^(6(i−1)/(d−1)) z_i², z = T_osc(R(x − x_opt)).
func rotatedEllipsoid(in *instance) function { return oscillatingSquares(in, powers(1e6, in.d)) }

// rotatedDiscus is bbob-11: 10⁶ z_1² + Σ_{i>1} z_i², z = T_osc(R(x − x_opt)).
func rotatedDiscus(in *instance) function {
	w := ones(in.d)
	w[0] = 1e6
	return oscillatingSquares(in, w)
}

// oscillatingSquares: Σ w_i z_i², z = T_osc(R(x − x_opt)). T_osc takes the coordinates of
// R(x − x_opt) one by one, so it is separable in them.
func oscillatingSquares(in *instance, w []float64) function {
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(in.r)
		r.oscillate()
		r.squares(dst, w)
	}).within(in.r, singles(in.d))
}

// bentCigar is bbob-12: z_1² + 10⁶ Σ_{i>1} z_i², z = R T_asy^0.5(R(x − x_opt)).
func bentCigar(in *instance) function {
	w, beta := scaled(1e6, ones(in.d)), scaled(0.5, spread(in.d))
	w[0] = 1
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(in.r)
		r.asymmetric(beta)
		r.apply(in.r)
		r.squares(dst, w)
	})
}

// sharpRidge is bbob-13: z_1² + 100 √(Σ_{i>1} z_i²), z = QΛ^10 R(x − x_opt).
func sharpRidge(in *instance) function {
	m, w := compose(in.q, lambda(10, in.d), in.r), ones(in.d)
	w[0] = 0
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(m)
		r.squares(dst, w)
		for i, v := range dst {
			dst[i] = square(r.z.Data[i*in.d]) + float64(100*math.Sqrt(v))
		}
	}).within(m, [][]int{{0}, whole(in.d)[0][1:]})
}

// rotatedPowers is bbob-14: √(Σ |z_i|^(2+4(i−1)/(d−1))), z = R(x − x_opt). It is the root of
// a separable function of Rx.
func rotatedPowers(in *instance) function {
	exponents, w := spread(in.d), ones(in.d)
	for i, at := range exponents {
		exponents[i] = 2 + float64(4*at)
	}
	exponents = tiled(exponents)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(in.r)
		for i, v := range r.z.Data {
			r.a.Data[i] = math.Abs(v)
		}
		kernel.Pow(r.a.Data, r.a.Data, exponents)
		kernel.MulVec(dst, r.a, w)
		for i, v := range dst {
			dst[i] = math.Sqrt(v)
		}
	})
}
