package mixed

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// A surrogate is a cubic spline in several dimensions through what f answered near the best point,
//
//	s(u) = Σ_i λ_i ‖u − u_i‖³ + b·u + c,   Σ λ_i = 0,  Σ λ_i u_i = 0,
//
// over the encoded points u: a coordinate for each that has an order, and one of 0 or 1 for each word of a
// choice.
type surrogate struct {
	points [][]float64
	lambda []float64
	b      []float64
	c      float64
}

// fitted returns the surrogate of points and values, which must not be fewer than coordinates; false:
// the points do not determine it.
func fitted(points [][]float64, values []float64) (surrogate, bool) {
	n, d := len(points), len(points[0])
	a, y := mat.NewDense(n+d+1, n+d+1, nil), mat.NewVecDense(n+d+1, nil)
	for i, p := range points {
		for j, q := range points[:i] {
			v := cube(p, q)
			a.Set(i, j, v)
			a.Set(j, i, v)
		}
		for k, v := range p {
			a.Set(i, n+k, v)
			a.Set(n+k, i, v)
		}
		a.Set(i, n+d, 1)
		a.Set(n+d, i, 1)
		y.SetVec(i, values[i])
	}
	for k := range d { // words of a choice add up to 1, so that b has a direction too many
		a.Set(n+k, n+k, -ridge)
	}
	var x mat.VecDense
	if err := x.SolveVec(a, y); err != nil {
		if _, near := err.(mat.Condition); !near {
			return surrogate{}, false
		}
	}
	raw := x.RawVector().Data
	if slices.ContainsFunc(raw, func(v float64) bool { return v-v != 0 }) {
		return surrogate{}, false
	}
	return surrogate{points, raw[:n], raw[n : n+d], raw[n+d]}, true
}

// ridge keeps the equations regular.
const ridge = 1e-9

func (s surrogate) at(u []float64) float64 {
	sum := s.c
	for k, v := range u {
		sum += float64(s.b[k] * v)
	}
	for i, p := range s.points {
		sum += float64(s.lambda[i] * cube(u, p))
	}
	return sum
}

func cube(u, v []float64) float64 {
	r := distance2(u, v)
	return r * math.Sqrt(r)
}

func distance2(u, v []float64) (sum float64) {
	for k := range u {
		sum += float64((u[k] - v[k]) * (u[k] - v[k]))
	}
	return sum
}

func (w *search) encode(z []float64) (u []float64) {
	for k, v := range z {
		l := w.task.Lattices[k]
		if !l.Unordered || len(l.Values) == 0 {
			u = append(u, v)
			continue
		}
		for _, word := range l.Values {
			if u = append(u, 0); word == v {
				u[len(u)-1] = 1
			}
		}
	}
	return u
}

// Pieces are a model of f that has a kink: the greatest of some parabolas,
//
//	m(p) = max_k c_k + g_kᵀp + ½·pᵀH_k·p,
//
// fitted to values by weighted least squares with a little regularisation of H, by turns with which value
// belongs to which piece: that which is greatest there (A. Magnani, S. Boyd, "Convex piecewise-linear
// fitting", 2009, for planes).
type pieces [][]float64 // of each the coefficients, in the order of features

// at returns m at the features of a point.
func (m pieces) at(features []float64) (value float64, piece int) {
	value = math.Inf(-1)
	for k, w := range m {
		if v := kernel.Dot(w, features); v > value {
			value, piece = v, k
		}
	}
	return value, piece
}

// featuresOf appends what the coefficients of a parabola multiply: 1, p_i, p_i²/2 and p_i·p_j.
func featuresOf(p, to []float64) []float64 {
	to = append(append(to, 1), p...)
	for i, v := range p {
		to = append(to, v*v/2)
		for _, u := range p[:i] {
			to = append(to, u*v)
		}
	}
	return to
}

// coefficients returns how many a parabola in n coordinates has.
func coefficients(n int) int { return (n + 1) * (n + 2) / 2 }

// Values of f with their weights, and the features of where they were asked.
type sample struct {
	n               int // coordinates
	features        [][]float64
	values, weights []float64
}

const (
	turns  = 6    // of fitting pieces, and of finding which value belongs to which
	plain  = 1e-9 // the regularisation of c and g: none, but the equations are regular
	curved = 1e-5 // and that of H
)

// fit fits so many pieces, beginning with the values in these, which it changes. It returns the sum of squares too.
func (s *sample) fit(part []int, count int) (best pieces, least float64) {
	all := make([]*equations, count)
	for k := range all {
		all[k] = newEquations(s.n)
	}
	for i, k := range part {
		all[k].add(s.features[i], s.weights[i], s.values[i])
	}
	least = math.Inf(1)
	for range turns {
		m := make(pieces, count)
		for k, e := range all {
			m[k] = e.solution()
		}
		sum, changed := 0., false
		for i, row := range s.features {
			v, k := m.at(row)
			sum += float64(s.weights[i] * (v - s.values[i]) * (v - s.values[i]))
			if part[i] != k {
				all[part[i]].add(row, -s.weights[i], s.values[i])
				all[k].add(row, s.weights[i], s.values[i])
				part[i], changed = k, true
			}
		}
		if sum < least {
			best, least = m, sum
		}
		if !changed {
			break
		}
	}
	return best, least
}

// Equations are the normal equations of a piece, A·w = b.
type equations struct {
	a *mat.SymDense
	b []float64
}

func newEquations(n int) *equations {
	k := coefficients(n)
	e := &equations{mat.NewSymDense(k, nil), make([]float64, k)}
	for i := range k {
		if e.a.SetSym(i, i, plain); i > n {
			e.a.SetSym(i, i, curved)
		}
	}
	return e
}

// add adds a value, or takes one away where the weight is negative.
func (e *equations) add(row []float64, weight, value float64) {
	raw := e.a.RawSymmetric()
	for i, v := range row {
		kernel.AddScaled(raw.Data[i*raw.Stride+i:i*raw.Stride+len(row)], weight*v, row[i:])
	}
	kernel.AddScaled(e.b, weight*value, row)
}

// addAll adds values, A ← A + XᵀWX and b ← b + XᵀWy, which is faster for many coefficients.
func (e *equations) addAll(s *sample) {
	x, wx := mat.NewDense(len(e.b), len(s.values), nil), mat.NewDense(len(e.b), len(s.values), nil)
	for i, row := range s.features {
		for j, v := range row {
			x.Set(j, i, v)
			wx.Set(j, i, s.weights[i]*v)
		}
	}
	a, b := e.a.RawSymmetric(), make([]float64, len(e.b))
	kernel.MulT(blas64.General{Rows: a.N, Cols: a.N, Stride: a.Stride, Data: a.Data}, 1, x.RawMatrix(), wx.RawMatrix(), 1)
	kernel.MulVec(b, wx.RawMatrix(), s.values)
	kernel.AddScaled(e.b, 1, b)
}

// solution returns w, or 0 where rounding has made A indefinite. An ill-conditioned A only promises less, so that its condition
// number, which mat.Cholesky estimates, is not asked for.
func (e *equations) solution() []float64 {
	n := len(e.b)
	x := blas64.General{Rows: n, Cols: 1, Stride: 1, Data: make([]float64, n)}
	a := e.a.RawSymmetric()
	a.Data = slices.Clone(a.Data)
	if factor, ok := lapack64.Potrf(a); ok {
		copy(x.Data, e.b)
		lapack64.Potrs(factor, x)
	}
	return x.Data
}
