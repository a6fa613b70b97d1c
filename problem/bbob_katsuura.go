package problem

import (
	"math"
	"math/bits"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

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
