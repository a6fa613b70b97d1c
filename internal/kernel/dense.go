package kernel

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Times returns the matrix ab.
func Times(a, b *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	_, k := b.Dims()
	c := mat.NewDense(n, k, nil)
	Mul(c.RawMatrix(), 1, a.RawMatrix(), b.RawMatrix(), 0)
	return c
}

// Identity returns the identity of n dimensions.
func Identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

// Symmetrised returns a·(m+mᵀ)/2.
func Symmetrised(m *mat.Dense, a float64) *mat.SymDense {
	n, _ := m.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a*(m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// AllFinite reports whether all entries of m are finite.
func AllFinite(m *mat.Dense) bool {
	rows, _ := m.Dims()
	for i := range rows {
		for _, v := range m.RawRowView(i) {
			if !Finite(v) {
				return false
			}
		}
	}
	return true
}
