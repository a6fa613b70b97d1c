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

// The multimodal functions with adequate global structure, 15 to 19.
var bbobMultimodal = []bbobFunction{
	{NotSeparable, 2, uniform(4), rotatedRastrigin,
		"10(d − Σ cos 2πz_i) + ‖z‖², z = RΛ^10 Q T_asy^0.2(T_osc(R(x−x_opt)))", ""},
	{NotSeparable, 2, uniform(4), weierstrass,
		"10(Σ_i Σ_{k<12} 2^−k cos 2π3^k(z_i+½)/d − f_0)³ + 10 f_pen(x)/d, z = RΛ^(1/100) Q T_osc(R(x−x_opt))", ""},
	{NotSeparable, 2, uniform(4), func(in *instance) function { return schaffer(in, 10) },
		"(Σ_{i<d} √s_i (1+sin² 50 s_i^(1/5))/(d−1))² + 10 f_pen(x), s_i = ‖(z_i, z_{i+1})‖, z = Λ^10 Q T_asy^0.5(R(x−x_opt))", ""},
	{NotSeparable, 2, uniform(4), func(in *instance) function { return schaffer(in, 1000) },
		"as bbob-17, z = Λ^1000 Q T_asy^0.5(R(x−x_opt))", ""},
	{NotSeparable, 1, centred, griewankRosenbrock,
		"10 Σ_{i<d} (s_i/4000 − cos s_i)/(d−1) + 10, s_i = 100(z_i²−z_{i+1})² + (z_i−1)², z = max(1, √d/8)Rx + ½", ""},
}

// rotatedRastrigin is bbob-15: 10(d − Σ cos 2πz_i) + ‖z‖²,
// z = RΛ^10 Q T_asy^0.2(T_osc(R(x − x_opt))).
func rotatedRastrigin(in *instance) function {
	second := compose(in.r, lambda(10, in.d), in.q)
	beta, w := scaled(0.2, spread(in.d)), ones(in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(in.r)
		r.oscillate()
		r.asymmetric(beta)
		r.apply(second)
		r.rastrigin(dst, w)
	})
}

// weierstrass is bbob-16: 10(Σ_i Σ_{k<12} 2^−k cos 2π3^k(z_i+½)/d − f_0)³ + 10 f_pen(x)/d,
// z = RΛ^(1/100) Q T_osc(R(x − x_opt)), with f_0 = Σ_{k<12} 2^−k cos π3^k = −Σ_{k<12} 2^−k.
func weierstrass(in *instance) function {
	second, w := compose(in.r, lambda(1.0/100, in.d), in.q), ones(in.d)
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(in.r)
		r.oscillate()
		r.apply(second)
		r.ripples()
		kernel.MulVec(dst, r.v, w)
		for i, v := range dst {
			v /= float64(in.d)
			dst[i] = 10 * (v * square(v))
		}
		addPenalty(dst, 10/float64(in.d), x)
	})
}

// ripples sets v = Σ_{k<12} 2^−k (cos 2π3^k(z+½) − cos π3^k) for every z. Since 3^k is odd the
// bracket is 1 − cos 2π3^k z = u_k/2 with u_k = 4 sin² π3^k z. That of three times the angle is
// u_{k+1} = u_k(3−u_k)², so one sine is enough. It loses z.
func (r *room) ripples() {
	const atATime = 512 // numbers that stay in the fastest memory
	z, sum := r.z.Data, r.v.Data
	for i, v := range z {
		z[i] = math.Pi * v
	}
	kernel.Sin(z, z)
	for lo := 0; lo < len(z); lo += atATime {
		hi := min(lo+atATime, len(z))
		u, next, factor, sum := z[lo:hi], r.a.Data[lo:hi], r.b.Data[lo:hi], sum[lo:hi]
		for i, v := range u {
			u[i], sum[i] = 4*square(v), 0
		}
		for k := 0; k < 12; k += 2 {
			weight := math.Ldexp(0.5, -k)
			triple(next, factor, u)
			kernel.Combine(sum, sum, weight, u, weight/2, next)
			triple(u, factor, next)
		}
	}
}

// triple sets dst = u(3−u)². factor is spare.
func triple(dst, factor, u []float64) {
	kernel.Difference(factor, 1, threes[:len(u)], u)
	kernel.Product(factor, factor, factor)
	kernel.Product(dst, factor, u)
}

// threes is a row of threes.
var threes = scaled(3, ones(512))

// schaffer is bbob-17 with α = 10 and bbob-18 with α = 1000, Schaffer's function F7:
// (Σ_{i<d} √s_i (1 + sin² 50 s_i^(1/5))/(d−1))² + 10 f_pen(x), s_i = √(z_i² + z_{i+1}²),
// z = Λ^α Q T_asy^0.5(R(x − x_opt)).
func schaffer(in *instance, alpha float64) function {
	second, beta := compose(lambda(alpha, in.d), in.q), scaled(0.5, spread(in.d))
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(in.r)
		r.asymmetric(beta)
		r.apply(second)
		r.rings(dst)
		for i, v := range dst {
			dst[i] = square(v / float64(in.d-1))
		}
		addPenalty(dst, 10, x)
	})
}

// rings sets dst_i = Σ_{j<d} √s_j (1 + sin² 50 s_j^(1/5)) with s_j² = z_ij² + z_i,j+1². Both
// roots are powers of p = s^(1/10) = exp(log(s²)/20): s^(1/5) = p² and √s = p⁵.
func (r *room) rings(dst []float64) {
	z, a, b, d := r.z.Data, r.a.Data, r.b.Data, r.z.Cols
	for j := range len(z) - 1 {
		a[j] = square(z[j]) + square(z[j+1])
	}
	a[len(z)-1] = 0
	kernel.Log(a, a)
	for j := range a {
		a[j] /= 20
	}
	kernel.Exp(a, a)
	for j, p := range a {
		b[j] = 50 * square(p)
	}
	kernel.Sin(b, b)
	for i := range dst {
		sum := 0.0
		for j := i * d; j < (i+1)*d-1; j++ { // the last of a row belongs to two points
			p := a[j]
			sum += float64(p * square(square(p)) * (1 + square(b[j])))
		}
		dst[i] = sum
	}
}

// griewankRosenbrock is bbob-19: 10 Σ_{i<d} (s_i/4000 − cos s_i)/(d−1) + 10 with
// s_i = 100(z_i² − z_{i+1})² + (z_i−1)², z = γRx + ½.
func griewankRosenbrock(in *instance) function {
	m := compose(scale(stretch(in.d), in.d), in.r)
	return in.function(func(dst []float64, x blas64.General, r room) {
		r.applyTo(x, m)
		t, s, wave, d := r.z.Data, r.a.Data, r.b.Data, in.d
		for j := range t {
			t[j] -= 0.5 // z − 1
		}
		for j := range len(t) - 1 {
			s[j] = bend(t[j], t[j+1])
		}
		s[len(t)-1] = 0
		kernel.Cos(wave, s)
		for i := range dst {
			sum := 0.0
			for j := i * d; j < (i+1)*d-1; j++ { // the last of a row belongs to two points
				sum += float64(s[j]/4000) + (1 - wave[j])
			}
			dst[i] = 10 * (sum / float64(d-1))
		}
	})
}
