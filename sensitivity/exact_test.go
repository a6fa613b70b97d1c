package sensitivity_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/untwist/untwist/internal/rng"
	"gonum.org/v1/gonum/mat"
)

// A wave is c·e^⟨v,x⟩ with complex c and v: sines, cosines and exponentials are sums of waves.
type wave struct {
	c complex128
	v []complex128
}

// times returns the product of a wave with the conjugate of another.
func (a wave) times(b wave) wave {
	p := wave{a.c * cmplx.Conj(b.c), nil}
	for k := range a.v {
		p.v = append(p.v, a.v[k]+cmplx.Conj(b.v[k]))
	}
	return p
}

// mean is E e^(v x) for x uniform in [-h, h]: sinh(v h)/(v h).
func mean(v complex128, h float64) complex128 {
	z := v * complex(h, 0)
	if cmplx.Abs(z) < 1e-8 {
		return 1
	}
	return cmplx.Sinh(z) / z
}

// exactWaves returns the total indices of a real sum of waves over the box of half-widths h:
//
//	E f²            = Σ_ab c_a c̄_b Π_k m(v_ak + v̄_bk)
//	E (E[f|x_~i])²  = the same with m(v_ai) m(v̄_bi) in the place of the factor k = i
//	S_Ti            = (E f² − E (E[f|x_~i])²)/Var f,   m(v) = sinh(v h)/(v h).
func exactWaves(f []wave, h []float64) []float64 {
	d := len(h)
	var square, first complex128
	without := make([]complex128, d)
	for _, a := range f {
		m := a.c
		for k := range h {
			m *= mean(a.v[k], h[k])
		}
		first += m
		for _, b := range f {
			p := a.times(b)
			factors := make([]complex128, d)
			all := p.c
			for k := range h {
				factors[k] = mean(p.v[k], h[k])
				all *= factors[k]
			}
			square += all
			for i := range without {
				part := p.c * mean(a.v[i], h[i]) * mean(cmplx.Conj(b.v[i]), h[i])
				for k := range h {
					if k != i {
						part *= factors[k]
					}
				}
				without[i] += part
			}
		}
	}
	variance := real(square) - real(first)*real(first)
	total := make([]float64, d)
	for i := range total {
		total[i] = (real(square) - real(without[i])) / variance
	}
	return total
}

// exactSquares returns the total indices of Σ_j c_j ⟨w_j,x⟩² − linear terms g: with A = Σ c_j w_j⊗w_j,
// m_i = h_i²/3 and Var x_i² = 4h_i⁴/45,
//
//	E Var(f|x_~i) = A_ii² 4h_i⁴/45 + 4 Σ_(k≠i) A_ik² m_i m_k + g_i² m_i
//	Var f         = Σ_i (A_ii² 4h_i⁴/45 + 2 Σ_(k≠i) A_ik² m_i m_k + g_i² m_i).
func exactSquares(w *mat.Dense, c, shift, h []float64) []float64 {
	d := len(h)
	a, g := mat.NewDense(d, d, nil), make([]float64, d)
	for j := range c {
		for i := range d {
			g[i] -= 2 * c[j] * shift[j] * w.At(j, i)
			for k := range d {
				a.Set(i, k, a.At(i, k)+c[j]*w.At(j, i)*w.At(j, k))
			}
		}
	}
	variance, total := 0.0, make([]float64, d)
	for i := range d {
		alone := a.At(i, i)*a.At(i, i)*4*math.Pow(h[i], 4)/45 + g[i]*g[i]*h[i]*h[i]/3
		pairs := 0.0
		for k := range d {
			if k != i {
				pairs += a.At(i, k) * a.At(i, k) * h[i] * h[i] / 3 * h[k] * h[k] / 3
			}
		}
		total[i] = alone + 4*pairs
		variance += alone + 2*pairs
	}
	for i := range total {
		total[i] /= variance
	}
	return total
}

// squares is Σ_j c_j (⟨w_j,x⟩ − a_j)², with its exact indices.
func squares(d int, how string, seed uint64) (*subject, []float64) {
	s := newSubject(d, how, []string{"square"}, seed)
	return s, exactSquares(s.w, s.scale, s.shift, s.half)
}

// waves is a sum of ridges c(y) = a cos(k y + φ) + b e^(y/4) in coordinates ⟨w_j,x⟩, with its exact
// indices. k grows with j, up to two periods or so over the box.
func waves(d int, how string, seed uint64) (*subject, []float64) {
	s := newSubject(d, how, []string{"square"}, seed)
	random := rng.Seed(seed).Stream("waves", d, how)
	var all []wave
	for j := range d {
		k, phase, a, b := 0.5+0.7*random.Float64(), 6*random.Float64(), 1+random.Float64(), 0.5*random.Float64()
		s.f[j] = ridge{"wave", func(y float64) float64 { return a*math.Cos(k*y+phase) + b*math.Exp(y/4) }}
		s.scale[j], s.shift[j] = 1, 0
		along := func(by complex128) (v []complex128) {
			for i := range d {
				v = append(v, by*complex(s.w.At(j, i), 0))
			}
			return v
		}
		half := cmplx.Rect(a/2, phase)
		all = append(all, wave{half, along(complex(0, k))}, wave{cmplx.Conj(half), along(complex(0, -k))}, wave{complex(b, 0), along(0.25)})
	}
	return s, exactWaves(all, s.half)
}

// The formulas of this file agree with brute force, to its error: with 200,000 points some 0.003.
func TestExactIndices(t *testing.T) {
	for _, make := range []func(int, string, uint64) (*subject, []float64){squares, waves} {
		s, exact := make(4, "skew", 3)
		rough, _, _ := s.naive(200_000)
		for i := range exact {
			if math.Abs(rough[i]-exact[i]) > 0.015 {
				t.Errorf("parameter %d: %.4f by the formula, %.4f by brute force", i+1, exact[i], rough[i])
			}
		}
	}
}

// Indices of sums of ridges are right to 2 %, after a search with bounds or without. Probe asks
// too little to know f in the whole box now and then, and says so; what it gives is right to its error.
func TestIndicesOfRidges(t *testing.T) {
	families := map[string]func(int, string, uint64) (*subject, []float64){"squares": squares, "waves": waves}
	dims, frames, seeds := []int{2, 5}, []string{"sparse", "skew"}, uint64(1)
	if *whole {
		dims, frames, seeds = []int{2, 3, 5, 10, 20}, []string{"axes", "sparse", "orthogonal", "skew"}, 3
	}
	for name, make := range families {
		for _, d := range dims {
			for _, how := range frames {
				none, worst := 0, [2]float64{} // of searches and of probes
				for c := range 4 * seeds {
					s, exact := make(d, how, c/4)
					s.bounded = c%2 == 1
					probe := c%4 >= 2
					got, about := s.run(t, probe)
					about = fmt.Sprintf("%s, d = %d, %s, seed %d, bounds %v, probe %v: %s", name, d, how, s.seed, s.bounded, probe, about)
					if !got.OK() {
						if none++; !probe {
							t.Errorf("%s: no indices: %s", about, got.Reason)
						}
						continue
					}
					for i, p := range got.Parameters {
						e, most := math.Abs(p.Total-exact[i]), 0.02
						if probe {
							most += p.Error
						}
						if e > most {
							t.Errorf("%s: %s has %.4f ± %.4f, and it is %.4f", about, p.Name, p.Total, p.Error, exact[i])
						}
						worst[c%4/2] = max(worst[c%4/2], e)
					}
				}
				t.Logf("| %s | %d | %s | %.4f | %.4f | %d of %d |", name, d, how, worst[0], worst[1], none, 2*seeds)
			}
		}
	}
}
