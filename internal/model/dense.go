package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// inverse returns a⁻¹; all NaN if a is singular or not finite.
func inverse(a *mat.Dense) *mat.Dense {
	var inv mat.Dense
	if kernel.AllFinite(a) {
		err := inv.Inverse(a)
		if ill, _ := err.(mat.Condition); err == nil || !math.IsInf(float64(ill), 1) && kernel.AllFinite(&inv) {
			return &inv
		}
	}
	return nowhere(a.RawMatrix().Rows)
}

// nowhere returns m rows that are NaN.
func nowhere(m int) *mat.Dense { return each(m, func(int, int) float64 { return math.NaN() }) }

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

// weighted returns aᵀ·diag(c)·a.
func weighted(a *mat.Dense, c []float64) *mat.Dense {
	return kernel.Times(transposed(a), scaledRows(a, c))
}

// squares returns the matrix of all a_ij².
func squares(a *mat.Dense) *mat.Dense {
	b := mat.DenseCopyOf(a)
	b.Apply(func(_, _ int, v float64) float64 { return square(v) }, b)
	return b
}

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

// both sets a_ij and a_ji to the same.
func both(a *mat.Dense, i, j int, v float64) { setPair(a, i, j, vec2{v, v}) }

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

func square(v float64) float64 { return float64(v * v) }

func median(x []float64) float64 { return quantile(x, 0.5) }

// quantile returns the q-th quantile of some numbers; 0 if there are none.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	at := float64(q * float64(len(s)-1))
	k := min(int(at), len(s)-1)
	return s[k] + float64((at-float64(k))*(s[min(k+1, len(s)-1)]-s[k]))
}

func norm(a *mat.Dense) float64 { return mat.Norm(a, 2) }

func length(x []float64) float64 { return math.Sqrt(kernel.Dot(x, x)) }

// A vec2 are two numbers: those of a pair, E_ij and E_ji, or of a map, γ and β.
type vec2 [2]float64

func (v vec2) plus(w vec2) vec2  { return vec2{v[0] + w[0], v[1] + w[1]} }
func (v vec2) minus(w vec2) vec2 { return vec2{v[0] - w[0], v[1] - w[1]} }
func (v vec2) times(f float64) vec2 {
	return vec2{float64(v[0] * f), float64(v[1] * f)}
}
func (v vec2) dot(w vec2) float64 { return float64(v[0]*w[0]) + float64(v[1]*w[1]) }

// dyad returns w·vᵀv.
func (v vec2) dyad(w float64) sym2 {
	return sym2{float64(w * v[0] * v[0]), float64(w * v[0] * v[1]), float64(w * v[1] * v[1])}
}

// pairOf returns a_ij and a_ji.
func pairOf(a *mat.Dense, i, j int) vec2 { return vec2{a.At(i, j), a.At(j, i)} }

// setPair sets a_ij and a_ji.
func setPair(a *mat.Dense, i, j int, v vec2) {
	a.Set(i, j, v[0])
	a.Set(j, i, v[1])
}

// A sym2 is the symmetric matrix (a b; b c).
type sym2 struct{ a, b, c float64 }

// scalar returns the matrix (d 0; 0 d).
func scalar(d float64) sym2 { return sym2{d, 0, d} }

func (s sym2) plus(t sym2) sym2 { return sym2{s.a + t.a, s.b + t.b, s.c + t.c} }
func (s sym2) times(f float64) sym2 {
	return sym2{float64(s.a * f), float64(s.b * f), float64(s.c * f)}
}
func (s sym2) of(v vec2) vec2 {
	return vec2{float64(s.a*v[0]) + float64(s.b*v[1]), float64(s.b*v[0]) + float64(s.c*v[1])}
}

// form returns vSvᵀ.
func (s sym2) form(v vec2) float64 {
	return float64(s.a*v[0]*v[0]) + float64(2*s.b*v[0]*v[1]) + float64(s.c*v[1]*v[1])
}

// dot returns the trace of ST.
func (s sym2) dot(t sym2) float64 { return float64(s.a*t.a) + float64(2*s.b*t.b) + float64(s.c*t.c) }

func (s sym2) trace() float64 { return s.a + s.c }

// inverse returns the matrix whose eigenvalues are 1/(λ + least).
func (s sym2) inverse(least float64) sym2 {
	return s.mapped(func(l float64) float64 { return 1 / (l + least) })
}

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
