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
	front, power := 10/(n*n), 10/math.Pow(n, 1.2)
	return in.function(func(dst []float64, x blas64.General, r room) {
		r.minus(x, in.xopt)
		r.apply(m)
		const together = 8 // factors whose product has one logarithm; it cannot overflow
		for i := range dst {
			z := rows(r.z, i, 1).Data
			for lo := 0; lo < len(z); lo += together {
				product := 1.0
				for j, v := range z[lo:min(lo+together, len(z))] {
					product *= 1 + float64(float64(lo+j+1)*digits(v))
				}
				z[lo/together] = product
			}
			logs := z[:(len(z)+together-1)/together]
			kernel.Log(logs, logs)
			sum := 0.0
			for _, v := range logs {
				sum += v
			}
			dst[i] = power * sum
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
//	T_n(w) = takagi[c] + 2^−8 (p(1−w') + (8−p)w' + T_{n−8}(w')),   takagi[c] = T_8(c/2^8) − p/2^8.
func digits(z float64) float64 {
	w := 2 * math.Abs(z)
	if !(w < 1<<52) { // an integer, or not a number
		return w - w
	}
	w -= math.Floor(w)
	sum, unit := 0.0, 0.5
	for range 4 {
		w *= 256
		c := uint8(w)
		w -= float64(c)
		p := float64(bits.OnesCount8(c))
		sum += float64(unit * (takagi[c] + float64((p+float64((8-2*p)*w))/256)))
		unit /= 256
	}
	return sum
}

// takagi has Σ_i 2^−i·(the number of digits before b_i that differ from it) for the 8 digits
// b_i of every c.
var takagi = func() (t [256]float64) {
	for c := range t {
		for i := range 8 {
			for k := range i {
				if c>>(7-i)&1 != c>>(7-k)&1 {
					t[c] += math.Ldexp(1, -i-1)
				}
			}
		}
	}
	return t
}()
