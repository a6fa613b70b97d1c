package problem

import (
	"math"
	"math/bits"

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

// gallagher is bbob-21 with 101 peaks and bbob-22 with 21, Gallagher's Gaussian peaks:
//
//	T_osc(10 − max_i w_i exp(−(x−y_i)ᵀRᵀC_i R(x−y_i)/(2d)))² + f_pen(x).
//
// Peak 1 has the height w_1 = 10, its place is y_1 = x_opt, and its α is first. The heights
// of the others rise from 1.1 to 9.1 evenly; their places are uniform on [−reach, reach]^d;
// each has one of the α = 1000^(2j/(peaks−2)), j = 0, …, peaks−2. C_i is Λ^α/α^¼ with its
// diagonal in random order.
func gallagher(in *instance, peaks int, first, reach float64) function {
	p := drawPeaks(in, peaks, first, reach)
	f := in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(in.r)
		p.heights(dst, r)
		for i, v := range dst {
			dst[i] = 10 - v
		}
		oscillate(dst, r.a.Data[:len(dst)], r.b.Data[:len(dst)])
		for i, v := range dst {
			dst[i] = square(v)
		}
		addPenalty(dst, 1, x)
	})
	f.work += p.work()
	return f
}

// peaks are Gaussian peaks in the coordinates u = R(x − x_opt). With the rotated places
// c_i = R(y_i − x_opt), the exponent of peak i is
//
//	−Σ_j C_ij (u_j − c_ij)²/(2d) = Σ_j A_ij u_j² + Σ_j B_ij u_j + k_i,
//
// A = −C/(2d), B = C∘c/d, k_i = −Σ_j C_ij c_ij²/(2d). So all exponents are one product of
// the batch (u², u) with (A, B)ᵀ. B and k of peak 1 are 0, so its exponent at x_opt is 0.
type peaks struct {
	height, log, constant []float64      // w_i, log w_i + k_i, k_i
	factors               blas64.General // (A, B)ᵀ, 2d×peaks
}

// drawPeaks draws the peaks of a Gallagher function.
func drawPeaks(in *instance, n int, first, reach float64) *peaks {
	d := in.d
	p := &peaks{
		height: make([]float64, n), log: make([]float64, n), constant: make([]float64, n),
		factors: blas64.General{Rows: 2 * d, Cols: n, Stride: n, Data: make([]float64, 2*d*n)},
	}
	order := in.params.Perm(n - 1)
	place, center, spare := row(make([]float64, d)), row(make([]float64, d)), row(make([]float64, d))
	for i := range n {
		alpha, height := first, 10.0
		if i > 0 {
			alpha = power(1000, float64(2*order[i-1])/float64(n-2))
			height = 1.1 + 8*float64(i-1)/float64(n-2)
			copy(place.Data, in.uniform(reach))
			kernel.Difference(place.Data, 1, place.Data, in.xopt)
			in.r.apply(center, place, spare)
		}
		c := lambda(alpha, d)
		in.params.Shuffle(d, func(j, k int) { c[j], c[k] = c[k], c[j] })
		for j, v := range c {
			v /= math.Sqrt(math.Sqrt(alpha)) * float64(2*d) // C_ij/(2d)
			u := center.Data[j]
			p.factors.Data[j*n+i], p.factors.Data[(d+j)*n+i] = -v, 2*v*u
			p.constant[i] -= float64(v * square(u))
		}
		p.height[i], p.log[i] = height, p.constant[i]+kernel.LogOf(height)
	}
	return p
}

// work is how much more than a room heights needs.
func (p *peaks) work() int { return rowsAtOnce * (p.factors.Rows + p.factors.Cols) }

// heights sets dst_i = max over the peaks of w exp(exponent) at the points u in r.z. It
// compares log w + exponent, so that it needs one exponential for each point.
func (p *peaks) heights(dst []float64, r room) {
	d, n := r.z.Cols, p.factors.Cols
	both := blas64.General{Rows: len(dst), Cols: 2 * d, Stride: 2 * d, Data: r.more[:len(dst)*2*d]}
	exponents := blas64.General{Rows: len(dst), Cols: n, Stride: n, Data: r.more[len(dst)*2*d:][:len(dst)*n]}
	for i := range dst {
		u, pair := rows(r.z, i, 1).Data, rows(both, i, 1).Data
		kernel.Product(pair[:d], u, u)
		copy(pair[d:], u)
	}
	kernel.Mul(exponents, 1, both, p.factors, 0)
	w := r.b.Data[:len(dst)]
	for i := range dst {
		best, most := 0, math.Inf(-1)
		e := rows(exponents, i, 1).Data
		for k, log := range p.log[:len(e)] {
			if v := e[k] + log; v > most {
				best, most = k, v
			}
		}
		dst[i], w[i] = e[best]+p.constant[best], p.height[best]
	}
	kernel.Exp(dst, dst)
	kernel.Product(dst, dst, w)
}

// katsuura is bbob-23: 10/d² Π_i (1 + i S(z_i))^(10/d^1.2) − 10/d² + f_pen(x) with
// S(z) = Σ_{j≤32} |2^j z − [2^j z]|/2^j, [·] the nearest integer, and z = QΛ^100 R(x − x_opt).
// The logarithm of the product is separable in z.
func katsuura(in *instance) function {
	m := compose(in.q, lambda(100, in.d), in.r)
	n := float64(in.d)
	front, exponent := 10/(n*n), 10/power(n, 1.2)
	const together = 8 // factors whose product has one logarithm; it cannot overflow
	groups := (in.d + together - 1) / together
	return in.shifted(func(dst []float64, x blas64.General, r room) {
		r.apply(m)
		logs := r.a.Data[:len(dst)*groups]
		for i := range dst {
			z := rows(r.z, i, 1).Data
			for g := range groups {
				product := 1.0
				for j := g * together; j < min((g+1)*together, len(z)); j++ {
					product *= 1 + float64(float64(j+1)*digits(z[j]))
				}
				logs[i*groups+g] = product
			}
		}
		kernel.Log(logs, logs)
		for i := range dst {
			sum := 0.0
			for _, v := range logs[i*groups : (i+1)*groups] {
				sum += v
			}
			dst[i] = exponent * sum
		}
		kernel.Exp(dst, dst)
		for i, v := range dst {
			dst[i] = front * (v - 1)
		}
		addPenalty(dst, 1, x)
	}).within(m, whole(in.d))
}

// digits returns S(z) = Σ_{j≤32} |2^j z − [2^j z]|/2^j. With w the fraction of 2|z| it is half
// of T_32(w), where T_n(w) = Σ_{k<n} 2^−k dist(2^k w), dist the distance from the nearest
// integer: the first n terms of Takagi's function.
//
// Write w in binary, 0.b₁b₂…. Then 2^−k dist(2^k w) = Σ_{i>k+1} 2^−i [b_i ≠ b_{k+1}]. So with
// c the first 8 digits as an integer, p the number of ones among them, and w' = 2^8 w − c,
//
//	T_n(w) = t_c + 2^−8 (s_c w' + T_{n−8}(w')),   s_c = 8−2p,   t_c = T_8(c/2^8).
func digits(z float64) float64 {
	w := 2 * math.Abs(z)
	if !(w < 1<<52) { // an integer, or not a number
		return w - w
	}
	w -= float64(int64(w))
	sum, unit := 0.0, 0.5
	for range 4 {
		w = float64(w * 256)
		c := uint8(w)
		w -= float64(c)
		unit /= 256
		sum += float64(unit * (takagi[c].t + float64(takagi[c].s*w)))
	}
	return sum
}

// takagi has 2^8 t_c and s_c for every c.
var takagi = func() (table [256]struct{ t, s float64 }) {
	for c := range table {
		table[c].s = float64(8 - 2*bits.OnesCount(uint(c)))
		for k := range 8 {
			w := math.Ldexp(float64(c), k-8)
			table[c].t += math.Ldexp(math.Abs(w-math.Round(w)), 8-k)
		}
	}
	return table
}()
