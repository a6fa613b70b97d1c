package problem

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
)

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
