package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The multimodal functions with weak global structure, 20 to 24. Gallagher's and Katsuura's
// have files of their own.
var bbobWeak = []bbobFunction{
	{Separable, 0, signs(schwefelBest / 200), schwefel,
		"−Σ z_i sin √|z_i|/(100d) + 4.1898… + 100 f_pen(z/100), z = 100(Λ^10(ẑ−2|x_opt|) + 2|x_opt|), ẑ_{i+1} = x̂_{i+1} + ¼(x̂_i−2|x_opt,i|), x̂ = ±2x", ""},
	{NotSeparable, 1, uniform(4), func(in *instance) function { return gallagher(in, 101, 1e3, 5) },
		"T_osc(10 − max_{i≤101} w_i exp(−(x−y_i)ᵀRᵀC_i R(x−y_i)/(2d)))² + f_pen(x)", ""},
	{NotSeparable, 1, uniform(3.92), func(in *instance) function { return gallagher(in, 21, 1e6, 4.9) },
		"T_osc(10 − max_{i≤21} w_i exp(−(x−y_i)ᵀRᵀC_i R(x−y_i)/(2d)))² + f_pen(x)", ""},
	{NotSeparable, 2, uniform(4), katsuura,
		"10/d² (Π_i (1 + i Σ_{j≤32} |2^j z_i − [2^j z_i]|/2^j)^(10/d^1.2) − 1) + f_pen(x), z = QΛ^100 R(x−x_opt)",
		"10/d² (exp(t) − 1) of a sum over the coordinates QΛ^100 Rx, where f_pen(x) = 0: within [−5, 5]^d"},
	{NotSeparable, 2, signs(mu0 / 2), lunacek,
		"min(Σ(x̂_i−μ_0)², d + sΣ(x̂_i−μ_1)²) + 10(d − Σ cos 2πz_i) + 10⁴ f_pen(x), x̂ = ±2x, z = QΛ^100 R(x̂−μ_0)", ""},
}

// schwefelBest is the z that maximises z sin √|z| within ±500, as it is published.
const schwefelBest = 420.96874633

// schwefel is bbob-20: −Σ z_i sin √|z_i|/(100d) + 4.189828872724339 + 100 f_pen(z/100) with
//
//	x̂ = 2·1±⊗x,   ẑ_1 = x̂_1,   ẑ_{i+1} = x̂_{i+1} + ¼(x̂_i − 2|x_opt,i|),
//	z = 100(Λ^10(ẑ − 2|x_opt|) + 2|x_opt|).
//
// z is an affine map of x, so f is separable in the rows of its matrix, each of which has one
// or two entries.
func schwefel(in *instance) function {
	stretched := lambda(10, in.d)
	best := 2 * math.Abs(in.xopt[0]) // 2|x_opt,i|, the same for all i
	top := 100 * best * kernel.SinOf(math.Sqrt(100*best))
	f := in.function(func(dst []float64, x blas64.General, r room) {
		for i := range dst {
			before := 0.0 // x̂_i − 2|x_opt,i| of the coordinate before
			z, root := rows(r.z, i, 1).Data, rows(r.a, i, 1).Data
			for j, v := range rows(x, i, 1).Data {
				own := float64(2*math.Copysign(1, in.xopt[j])*v) - best
				z[j] = 100 * (float64(stretched[j]*(own+float64(before/4))) + best)
				root[j] = math.Sqrt(math.Abs(z[j]))
				before = own
			}
		}
		kernel.Sin(r.a.Data, r.a.Data)
		for i := range dst {
			sum, over := 0.0, 0.0
			sin := rows(r.a, i, 1).Data
			for j, v := range rows(r.z, i, 1).Data {
				sum += top - float64(v*sin[j])
				if beyond := math.Abs(v) - 500; beyond > 0 {
					over += square(beyond)
				}
			}
			dst[i] = sum/float64(100*in.d) + float64(over/100)
		}
	})
	f.frame, f.blocks = func() *mat.Dense { return schwefelRows(in.xopt) }, singles(in.d)
	return f
}

// schwefelRows is the linear part of ẑ.
func schwefelRows(xopt []float64) *mat.Dense {
	d := len(xopt)
	w := mat.NewDense(d, d, nil)
	for i, v := range xopt {
		w.Set(i, i, math.Copysign(2, v))
		if i+1 < d {
			w.Set(i+1, i, math.Copysign(0.5, v))
		}
	}
	return w
}

// mu0 is μ_0 of bbob-24.
const mu0 = 2.5

// lunacek is bbob-24, Lunacek's bi-Rastrigin function: min(Σ(x̂_i−μ_0)², d + sΣ(x̂_i−μ_1)²) +
// 10(d − Σ cos 2πz_i) + 10⁴ f_pen(x) with x̂ = 2 sign(x_opt)⊗x, z = QΛ^100 R(x̂ − μ_0·1),
// s = 1 − 1/(2√(d+20) − 8.2), μ_1 = −√((μ_0²−1)/s).
func lunacek(in *instance) function {
	n := float64(in.d)
	s := 1 - 1/(2*math.Sqrt(n+20)-8.2)
	mu1 := -math.Sqrt((mu0*mu0 - 1) / s)
	m, signed := compose(in.q, lambda(100, in.d), in.r), make(diagonal, in.d)
	for i, v := range in.xopt {
		signed[i] = math.Copysign(2, v)
	}
	f := in.function(func(dst []float64, x blas64.General, r room) {
		for i := range dst {
			first, second := 0.0, 0.0
			t := rows(r.z, i, 1).Data
			for j, v := range rows(x, i, 1).Data {
				t[j] = float64(signed[j]*v) - mu0 // x̂ − μ_0
				first += square(t[j])
				second += square(t[j] + (mu0 - mu1))
			}
			dst[i] = min(first, n+float64(s*second))
		}
		r.apply(m)
		for i, v := range r.z.Data {
			r.a.Data[i] = 2 * math.Pi * v
		}
		kernel.Cos(r.a.Data, r.a.Data)
		for i := range dst {
			waves := 0.0
			for _, wave := range rows(r.a, i, 1).Data {
				waves += 1 - wave
			}
			dst[i] += float64(10 * waves)
		}
		addPenalty(dst, 1e4, x)
	})
	return f.within(compose(m, signed), whole(in.d))
}
