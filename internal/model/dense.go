package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// inverse returns a⁻¹; nil if a is singular or not finite.
func inverse(a *mat.Dense) *mat.Dense {
	if !kernel.AllFinite(a) {
		return nil
	}
	var inv mat.Dense
	if err := inv.Inverse(a); err != nil {
		if _, ill := err.(mat.Condition); !ill || !kernel.AllFinite(&inv) {
			return nil
		}
	}
	return &inv
}

// beside returns x + tv.
func beside(x []float64, t float64, v []float64) []float64 {
	y := slices.Clone(x)
	kernel.AddScaled(y, t, v)
	return y
}

// rowsOf returns the matrix with some rows.
func rowsOf(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}

// transposed returns aᵀ.
func transposed(a *mat.Dense) *mat.Dense { return mat.DenseCopyOf(a.T()) }

// timesT returns a·bᵀ.
func timesT(a, b *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	m, _ := b.Dims()
	c := mat.NewDense(n, m, nil)
	kernel.MulT(c.RawMatrix(), 1, a.RawMatrix(), b.RawMatrix(), 0)
	return c
}

// congruent returns aᵀ·h·a.
func congruent(h, a *mat.Dense) *mat.Dense { return kernel.Times(transposed(a), kernel.Times(h, a)) }

// scaledRows returns a with its i-th row multiplied by s_i.
func scaledRows(a *mat.Dense, s []float64) *mat.Dense {
	b := mat.DenseCopyOf(a)
	for i, v := range s {
		row := b.RawRowView(i)
		for k := range row {
			row[k] *= v
		}
	}
	return b
}

// each returns the matrix f(i, j).
func each(m int, f func(i, j int) float64) *mat.Dense {
	a := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			a.Set(i, j, f(i, j))
		}
	}
	return a
}

// off returns f(i, j) with zeros on the diagonal.
func off(m int, f func(i, j int) float64) *mat.Dense {
	return each(m, func(i, j int) float64 {
		if i == j {
			return 0
		}
		return f(i, j)
	})
}

// both sets a_ij and a_ji.
func both(a *mat.Dense, i, j int, v float64) {
	a.Set(i, j, v)
	a.Set(j, i, v)
}

// eigen returns the eigenvalues of a symmetric matrix, ascending, and its eigenvectors as rows.
func eigen(a *mat.Dense) (values []float64, vectors *mat.Dense) {
	var e mat.EigenSym
	if !kernel.AllFinite(a) || !e.Factorize(kernel.Symmetrised(a, 1), true) {
		return nil, nil
	}
	var v mat.Dense
	e.VectorsTo(&v)
	return e.Values(nil), transposed(&v)
}

// norm returns the Frobenius norm.
func norm(a *mat.Dense) float64 { return mat.Norm(a, 2) }

// length returns |x|.
func length(x []float64) float64 { return math.Sqrt(kernel.Dot(x, x)) }
