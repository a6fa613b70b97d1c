package sensitivity_test

import (
	"math"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"gonum.org/v1/gonum/mat"
)

// exactSquares returns the total indices of f = Σ_j c_j (⟨w_j, x⟩ − a_j)² = xᵀQx − 2⟨b, x⟩ + …
// for x uniform in ∏ [−h_i, h_i]: with Var x_i = h_i²/3 and Var x_i² = 4h_i⁴/45,
//
//	E[Var(f | x_~i)] = Q_ii² 4h_i⁴/45 + (h_i²/3)(4b_i² + Σ_{k≠i} 4Q_ik² h_k²/3),
//	Var f = Σ_i Q_ii² 4h_i⁴/45 + Σ_i 4b_i² h_i²/3 + Σ_{i<k} 4Q_ik² h_i² h_k²/9.
func exactSquares(s *subject) []float64 {
	q, b := mat.NewDense(s.d, s.d, nil), make([]float64, s.d)
	for j := range s.d {
		w := s.w.RawRowView(j)
		for i := range w {
			b[i] += s.scale[j] * s.shift[j] * w[i]
			for k := range w {
				q.Set(i, k, q.At(i, k)+s.scale[j]*w[i]*w[k])
			}
		}
	}
	out, all := make([]float64, s.d), 0.0
	for i, h := range s.half {
		alone := sq(q.At(i, i))*4*math.Pow(h, 4)/45 + 4*b[i]*b[i]*h*h/3
		all += alone
		out[i] = alone
		for k, g := range s.half {
			if k != i {
				both := 4 * sq(q.At(i, k)) * h * h * g * g / 9
				out[i] += both
				all += both / 2
			}
		}
	}
	for i := range out {
		out[i] /= all
	}
	return out
}

func sq(v float64) float64 { return v * v }

func sinc(v float64) float64 {
	if v == 0 {
		return 1
	}
	return math.Sin(v) / v
}

// exactSines returns those of f = Σ_j c_j sin(⟨w_j, x⟩ − a_j). With
// M(v) = E cos ⟨v, x⟩ = ∏_l sinc(v_l h_l) and s_ji = sinc(w_ji h_i),
//
//	E f²           = Σ_jk c_j c_k [cos(a_j − a_k) M(w_j − w_k) − cos(a_j + a_k) M(w_j + w_k)]/2,
//	E[E(f | x_~i)²] = the same without l = i in M, times s_ji s_ki,
//
// and E[Var(f | x_~i)] is their difference; without any l, the second is (E f)².
func exactSines(s *subject, amplitude float64) []float64 {
	moment := func(kept func(l int) bool) float64 {
		sum := 0.0
		for j := range s.d {
			for k := range s.d {
				minus, plus, single := 1.0, 1.0, 1.0
				for l, h := range s.half {
					a, b := s.w.At(j, l)*h, s.w.At(k, l)*h
					if kept(l) {
						minus, plus = minus*sinc(a-b), plus*sinc(a+b)
					} else {
						single *= sinc(a) * sinc(b)
					}
				}
				a, b := s.shift[j], s.shift[k]
				sum += sq(amplitude) * s.scale[j] * s.scale[k] * single * (math.Cos(a-b)*minus - math.Cos(a+b)*plus) / 2
			}
		}
		return sum
	}
	all := moment(func(int) bool { return true })
	variance := all - moment(func(int) bool { return false })
	var out []float64
	for i := range s.d {
		out = append(out, (all-moment(func(l int) bool { return l != i }))/variance)
	}
	return out
}

// exactExps returns those of f = Σ_j c_j e^{r(⟨w_j, x⟩ − a_j)}: with
// M(v) = E e^⟨v, x⟩ = ∏_l sinh(v_l h_l)/(v_l h_l), E f² = Σ_jk c_j c_k e^{−r(a_j + a_k)} M(r(w_j + w_k)),
// and the rest as for sines.
func exactExps(s *subject, amplitude, rate float64) []float64 {
	sinhc := func(v float64) float64 {
		if v == 0 {
			return 1
		}
		return math.Sinh(v) / v
	}
	moment := func(kept func(l int) bool) float64 {
		sum := 0.0
		for j := range s.d {
			for k := range s.d {
				p := sq(amplitude) * s.scale[j] * s.scale[k] * math.Exp(-rate*(s.shift[j]+s.shift[k]))
				for l, h := range s.half {
					a, b := rate*s.w.At(j, l)*h, rate*s.w.At(k, l)*h
					if kept(l) {
						p *= sinhc(a + b)
					} else {
						p *= sinhc(a) * sinhc(b)
					}
				}
				sum += p
			}
		}
		return sum
	}
	all := moment(func(int) bool { return true })
	variance := all - moment(func(int) bool { return false })
	var out []float64
	for i := range s.d {
		out = append(out, (all-moment(func(l int) bool { return l != i }))/variance)
	}
	return out
}

// exact returns the exact indices of a subject that has one kind of functions.
func (s *subject) exact(kind string) []float64 {
	switch kind {
	case "square":
		return exactSquares(s)
	case "sine":
		return exactSines(s, 6)
	}
	return exactExps(s, 3, 0.4)
}

// Brute force agrees with the formulas. Its standard error is some 0.003. By default each kind is
// tried in one frame.
func TestNaiveIsExact(t *testing.T) {
	for k, kind := range flags.Sample([]string{"square", "sine", "exp"}, 1) {
		for h, how := range []string{"orthogonal", "skew", "sparse"} {
			if !*flags.Whole && h != k {
				continue
			}
			s := newSubject(4, how, []string{kind}, 3)
			s.half = []float64{5, 4, 3, 6}
			got, _, _ := s.naive(200_000)
			for i, want := range s.exact(kind) {
				if math.Abs(got[i]-want) > 0.012 {
					t.Errorf("%s, %s: parameter %d is %.4f by brute force, %.4f by the formula", kind, how, i+1, got[i], want)
				}
			}
		}
	}
}

// The acceptance: indices are within 2 % of exact ones, through whole runs, and within their own
// errors but for one in twenty. Nothing here is random: the seeds are fixed. By default each kind is
// tried in one frame, two of three with bounds.
func TestWithinTwoPercentOfExactValues(t *testing.T) {
	outside, all, half := 0, 0, []float64{5, 4, 3, 6}[:flags.Usually(4, 3)]
	if *flags.Whole {
		half = append(half, 5)
	}
	for k, kind := range flags.Sample([]string{"square", "sine", "exp"}, 1) {
		for h, how := range []string{"orthogonal", "skew", "sparse"} {
			for _, bounded := range []bool{false, true} {
				if !*flags.Whole && (h != k || bounded != (k%2 == 0)) {
					continue
				}
				s := newSubject(len(half), how, []string{kind}, 2)
				s.half, s.bounded = half, bounded
				got, words := s.run(t, false)
				if !got.OK() {
					t.Errorf("%s, %s, bounded %v: %s (%s)", kind, how, bounded, got.Reason, words)
					continue
				}
				for i, want := range s.exact(kind) {
					p := got.Parameters[i]
					off := math.Abs(p.Total - want)
					if off > 0.02 {
						t.Errorf("%s, %s, bounded %v: parameter %d is %.4f ± %.4f, exact is %.4f", kind, how, bounded, i+1, p.Total, p.Error, want)
					}
					if all++; off > p.Error {
						outside++
					}
				}
			}
		}
	}
	t.Logf("%d of %d outside their error", outside, all)
	if outside*20 > all*2 { // twice one in twenty: they are not independent
		t.Errorf("%d of %d are outside their error", outside, all)
	}
}
