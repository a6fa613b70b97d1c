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

// A sym2 is the symmetric matrix (a b; b c).
type sym2 struct{ a, b, c float64 }

// dyad returns w(v, u)ᵀ(v, u).
func dyad(v, u, w float64) sym2 {
	return sym2{float64(w * v * v), float64(w * v * u), float64(w * u * u)}
}

func (s sym2) plus(t sym2) sym2 { return sym2{s.a + t.a, s.b + t.b, s.c + t.c} }
func (s sym2) times(f float64) sym2 {
	return sym2{float64(s.a * f), float64(s.b * f), float64(s.c * f)}
}
func (s sym2) of(x, y float64) (u, v float64) {
	return float64(s.a*x) + float64(s.b*y), float64(s.b*x) + float64(s.c*y)
}

// form returns (x, y)S(x, y)ᵀ.
func (s sym2) form(x, y float64) float64 {
	return float64(s.a*x*x) + float64(2*s.b*x*y) + float64(s.c*y*y)
}

// dot returns the trace of ST.
func (s sym2) dot(t sym2) float64 { return float64(s.a*t.a) + float64(2*s.b*t.b) + float64(s.c*t.c) }

// trace returns a + c.
func (s sym2) trace() float64 { return s.a + s.c }

// mapped returns the matrix with the same eigenvectors whose eigenvalues are f of those of s.
func (s sym2) mapped(f func(float64) float64) sym2 {
	mean, half := float64((s.a+s.c)/2), float64((s.a-s.c)/2)
	r := math.Hypot(half, s.b)
	hi, lo := f(mean+r), f(max(0, mean-r))
	if r == 0 {
		return sym2{hi, 0, hi}
	}
	x, y := half/r, s.b/r // cos 2t, sin 2t of the first eigenvector
	middle, diff := float64((hi+lo)/2), float64((hi-lo)/2)
	return sym2{middle + float64(diff*x), diff * y, middle - float64(diff*x)}
}
