package mixed

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

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
		if v := dot(w, features); v > value {
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

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}

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
	least = math.Inf(1)
	for range turns {
		m := make(pieces, count)
		for k := range m {
			m[k] = s.parabola(func(i int) bool { return part[i] == k })
		}
		sum, changed := 0., false
		for i, row := range s.features {
			v, k := m.at(row)
			sum += float64(s.weights[i] * (v - s.values[i]) * (v - s.values[i]))
			if part[i] != k {
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

// parabola fits one piece to some of the values.
func (s *sample) parabola(member func(i int) bool) []float64 {
	k := coefficients(s.n)
	a, b := mat.NewSymDense(k, nil), make([]float64, k)
	raw := a.RawSymmetric()
	for i, row := range s.features {
		if !member(i) {
			continue
		}
		for r, v := range row {
			v *= s.weights[i]
			b[r] += float64(v * s.values[i])
			line := raw.Data[r*raw.Stride : r*raw.Stride+k]
			for c := r; c < k; c++ {
				line[c] += float64(v * row[c])
			}
		}
	}
	for r := range k {
		if raw.Data[r*raw.Stride+r] += plain; r > s.n {
			raw.Data[r*raw.Stride+r] += curved
		}
	}
	var chol mat.Cholesky
	x := mat.NewVecDense(k, nil)
	if chol.Factorize(a) {
		_ = chol.SolveVecTo(x, mat.NewVecDense(k, b)) // an ill-conditioned one only promises less
	}
	return x.RawVector().Data
}
