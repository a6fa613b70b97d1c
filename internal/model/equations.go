package model

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A Frame has the components y = Wx, and the directions u_j with ⟨w_i, u_j⟩ = δ_ij, as rows.
type Frame struct{ W, U *mat.Dense }

// frameOf returns the frame with rows w_i, and along that with directions u_j. Where these are singular it is not regular.
func frameOf(w *mat.Dense) *Frame { return &Frame{w, transposed(inverse(w))} }
func along(u *mat.Dense) *Frame   { return &Frame{transposed(inverse(u)), u} }

// regular reports whether a frame is one: others are NaN.
func (f *Frame) regular() bool { return kernel.AllFinite(f.W) && kernel.AllFinite(f.U) }

// corrected returns the frame (I+E)W.
func (f *Frame) corrected(e *mat.Dense) *Frame {
	m, _ := e.Dims()
	w := each(m, func(i, j int) float64 { return e.At(i, j) })
	for i := range m {
		w.Set(i, i, w.At(i, i)+1)
	}
	return frameOf(kernel.Times(w, f.W))
}

// An equation of a look says for each pair of components
//
//	R_ij = v_ij E_ij + v_ji E_ji + u_ij·δθ ± s_ij.
//
// The v have errors of variance vv_ij. κ is not part of s.
type equation struct {
	r, v, s2, vv *mat.Dense
	u            [2]*mat.Dense // −∂R/∂γ and −∂R/∂β; nil: θ is known
	kappa        float64
}

// An uncertainty is what is not known of a frame, as far as truncation depends on it: the
// standard deviations of E_ij (sd), in the direction in which mixed differences depend on it
// (eff), and the length ℓ_i over which the curvature of f_i changes.
type uncertainty struct {
	sd, eff *mat.Dense
	ell     []float64
	alike   []bool // the pairs whose curvatures are in proportion everywhere
	first   bool   // nothing was fitted yet, and products of two errors are left out
}

// equationOf returns the equation of a look in a frame.
func equationOf(q measured, l *Look, f *Frame, not uncertainty) equation {
	eta := timesT(f.W, l.steps) // η = WS
	var e equation
	if l.kind == long {
		e = longEquation(q, eta, not)
	} else {
		e = shortEquation(q, l.tau, inverse(eta), not)
	}
	if l.expected != nil && q.without != nil { // a pair of steps is one of components
		eachPair(len(q.vd), func(i, j, p int) {
			if q.without[p] {
				both(e.s2, i, j, math.Inf(1))
			}
		})
	}
	return e
}

// shortEquation is that of a look with short steps, A = η⁻¹:
//
//	R = AᵀMA,   v_ij = R_ii,
//
// with noise Σ_ab A_ai²V_ab A_bj² + V̄⟨a_i, a_j⟩² and the truncation τ of its second differences.
// With n_ij = hypot(A_ij/A_ii, sd_ij) that is the lesser of
//
//	τ²[(n_ij v_ij)² + (n_ji v_ji)² + ½Σ_k(R_kk n_ki n_kj)²]   and   τ²·mean(M_ii²)(|a_i|²|a_j|² + …)/2:
//
// along the frame truncation is that of what is still unknown. So are products of two errors, with
// the variance Σ_k(R_kk eff_ki eff_kj)².
func shortEquation(q measured, tau float64, a *mat.Dense, not uncertainty) equation {
	m := len(q.vd)
	r, aa := congruent(q.m, a), kernel.Times(transposed(a), a)
	d2, square0 := make([]float64, m), 0.0
	for i := range d2 {
		d2[i] = square(r.At(i, i))
		square0 += square(q.m.At(i, i)) / float64(m)
	}
	n := off(m, func(i, j int) float64 { return math.Hypot(a.At(i, j)/a.At(i, i), not.eff.At(i, j)) })
	cross, products := weighted(squares(n), d2), not.products(d2)
	mean, _ := q.noise()
	noise := congruent(each(m, func(i, j int) float64 {
		if i == j {
			return q.vd[i]
		}
		return q.vm.At(i, j)
	}), squares(a))
	return equation{
		r: off(m, r.At),
		v: each(m, func(i, _ int) float64 { return r.At(i, i) }),
		s2: each(m, func(i, j int) float64 {
			size := float64(aa.At(i, i)*aa.At(j, j)) + square(aa.At(i, j))
			noise := noise.At(i, j) + float64(mean*square(aa.At(i, j)))
			known := square(n.At(i, j)*r.At(i, i)) + square(n.At(j, i)*r.At(j, j)) + float64((cross.At(i, j)+cross.At(j, i))/2)
			return noise + products.At(i, j) + float64(square(tau)*min(known, square0*size/2)) + tiny
		}),
		vv: each(m, func(i, _ int) float64 { return noise.At(i, i) + float64(mean*square(aa.At(i, i))) }),
	}
}

// products returns Σ_k(c_k eff_ki eff_kj)², of c².
func (u uncertainty) products(c2 []float64) *mat.Dense {
	if u.first {
		return mat.NewDense(len(c2), len(c2), nil)
	}
	return weighted(squares(u.eff), c2)
}

const (
	// tiny keeps what is divided by from 0.
	tiny = 1e-300
	// nothing is the part of a curvature, or of information, below which there is none.
	nothing = 1e-12
	// negligible is an error of E, or of an angle, that counts as none.
	negligible = 1e-6
)

// noise returns the mean variance of mixed differences, and that of second differences in the
// same proportion as their medians.
func (q measured) noise() (mixed, second float64) {
	var all []float64
	eachPair(len(q.vd), func(i, j, p int) {
		if q.without == nil || !q.without[p] {
			all = append(all, q.vm.At(i, j))
		}
	})
	second = median(q.vd)
	if len(all) == 0 {
		return second, second
	}
	for _, v := range all {
		mixed += v / float64(len(all))
	}
	return mixed, mixed / max(median(all), tiny) * second
}

// longEquation is that of a look with long steps h_i = η_ii along the frame and slopes at both
// ends of them, up to terms of second order in E; N is η without its diagonal, c_i = f_i″ at x
// and δc_i its change over the step:
//
//	R_ij = M_ij − N_ijΔ_i − N_jiΔ_j − ½(N_ij²δc_i + N_ji²δc_j) − Σ_k c_k N_ki N_kj,   v_ij = h_jΔ_i.
//
// What is left, with P_ij = |h_j| hypot(N_ij/h_j, eff_ij) and X_ij = h_j sd_ij, has the variance
//
//	(v_ij n_ij (P_ij/ℓ_i)²)² + ¼Σ_k P_ki⁴P_kj²(5/2ℓ_k)² + Σ_k c_k²(N_ki²X_kj² + ½X_ki²X_kj²).
func longEquation(q measured, eta *mat.Dense, not uncertainty) equation {
	m := len(q.vd)
	h, delta, c, dc := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	for i := range m {
		h[i] = eta.At(i, i)
		delta[i], c[i], dc[i] = q.m.At(i, i)/h[i], q.c0[i]/square(h[i]), (q.c1[i]-q.c0[i])/square(h[i])
	}
	n := off(m, eta.At)
	curved := weighted(n, c)
	part := off(m, func(i, j int) float64 { return math.Hypot(n.At(i, j)/h[j], not.eff.At(i, j)) })
	p := each(m, func(i, j int) float64 { return part.At(i, j) * math.Abs(h[j]) })
	x2 := off(m, func(i, j int) float64 { return square(not.sd.At(i, j) * h[j]) })
	third := kernel.Times(transposed(each(m, func(k, i int) float64 {
		return square(square(p.At(k, i)) * changes / not.ell[k])
	})), squares(p))
	cross := kernel.Times(transposed(each(m, func(k, i int) float64 {
		return square(c[k]) * (square(n.At(k, i)) + float64(x2.At(k, i)/2))
	})), x2)
	v := each(m, func(i, j int) float64 { return h[j] * delta[i] })
	truncation := off(m, func(i, j int) float64 {
		return square(v.At(i, j)*part.At(i, j)*min(1, square(p.At(i, j)/not.ell[i]))) + float64(third.At(i, j)/4) + cross.At(i, j)
	})
	return equation{
		r: off(m, func(i, j int) float64 {
			first := float64(n.At(i, j)*delta[i]) + float64(n.At(j, i)*delta[j])
			second := float64(square(n.At(i, j))*dc[i]) + float64(square(n.At(j, i))*dc[j])
			return q.m.At(i, j) - first - float64(second/2) - curved.At(i, j)
		}),
		v: v,
		s2: off(m, func(i, j int) float64 {
			return q.vm.At(i, j) + truncation.At(i, j) + truncation.At(j, i) + tiny
		}),
		vv: each(m, func(i, j int) float64 { return q.vd[i] * square(h[j]/h[i]) }),
	}
}

// changes is ℓ times the slope of the curvature, in units of the curvature, as it is for a cosine.
const changes = 2.5
