package cmaes

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Cholesky keeps the full matrix with its triangular factor, C = AAᵀ, A lower. An update
// takes n³/3 multiplications, a tenth of what the symmetric root takes (compare
// O. Krause, D. Arbonès, C. Igel, "CMA-ES with optimal covariance update and storage
// complexity", 2016).
//
// With this factor, unlike with the symmetric root, the coordinates z = A⁻¹y rotate as C
// changes. The path p_σ is in these coordinates, so it is rotated too,
//
//	p_σ ← A'⁻¹Ap_σ, rescaled to its old length.
//
// Without this it would lose what it has learnt, and different powers at n = 100 would
// take a quarter more queries.
type Cholesky struct {
	// First is C at the start of each run; nil: I. It must be n×n and positive definite.
	// It is not changed.
	First *mat.SymDense
}

func (k Cholesky) check(n int) error {
	if k.First == nil {
		return nil
	}
	if m := k.First.SymmetricDim(); m != n {
		return objective.BadOption("Covariance", "the first C has %d rows, but the objective has %d coordinates", m, n)
	}
	if !new(mat.Cholesky).Factorize(k.First) {
		return objective.BadOption("Covariance", "the first C is not positive definite")
	}
	return nil
}

func (k Cholesky) begin(n, lambda int) covariance {
	c := &cholesky{full: newFull(n, lambda), v: make([]float64, n)}
	if k.First != nil {
		c.c.Copy(k.First)
		c.factorise(make([]float64, n))
	}
	return c
}

// A cholesky is the state of Cholesky.
type cholesky struct {
	full
	v []float64 // scratch
}

// block is the width of the panels of a factorisation. It is narrow enough that a panel of
// a hundred rows, 25 KB, stays in the fastest cache.
const block = 32

func (c *cholesky) factorise(path []float64) bool {
	a := c.scratch
	a.Copy(c.c)
	n := c.n
	kernel.MulVec(c.v, c.a.RawMatrix(), path) // Ap_σ
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		if !panel(a, lo, hi) {
			return false
		}
		if hi < n { // A₂₂ ← A₂₂ − L₂₁L₂₁ᵀ
			rest := sub(a, hi, n, hi, n)
			left := sub(a, hi, n, lo, hi)
			kernel.MulT(rest, -1, left, left, 1)
		}
	}
	for i := range n {
		row := a.RawRowView(i)
		clear(row[i+1:])
		copy(c.a.RawRowView(i), row)
		for j, v := range row[:i+1] {
			c.aT.Set(j, i, v)
		}
	}
	c.turn(path)
	return true
}

// turn solves A'p = v and rescales p to its old length.
func (c *cholesky) turn(p []float64) {
	length := kernel.Dot(p, p)
	if length == 0 {
		return
	}
	for i := range p {
		row := c.a.RawRowView(i)
		p[i] = (c.v[i] - kernel.Dot(row[:i], p[:i])) / row[i]
	}
	scale := math.Sqrt(length / kernel.Dot(p, p))
	for i := range p {
		p[i] *= scale
	}
}

// panel factorises the columns lo ≤ j < hi of a, including all rows below.
func panel(a *mat.Dense, lo, hi int) bool {
	n, _ := a.Dims()
	for j := lo; j < hi; j++ {
		rowJ := a.RawRowView(j)
		pivot := rowJ[j]
		for k := lo; k < j; k++ {
			pivot = math.FMA(-rowJ[k], rowJ[k], pivot)
		}
		if !(pivot > 0) {
			return false
		}
		root := math.Sqrt(pivot)
		rowJ[j] = root
		for i := j + 1; i < n; i++ {
			rowI := a.RawRowView(i)
			v := rowI[j]
			for k := lo; k < j; k++ {
				v = math.FMA(-rowI[k], rowJ[k], v)
			}
			rowI[j] = v / root
		}
	}
	return true
}

// sub returns a view of a part of a.
func sub(a *mat.Dense, rowLo, rowHi, colLo, colHi int) blas64.General {
	raw := a.RawMatrix()
	return blas64.General{
		Rows: rowHi - rowLo, Cols: colHi - colLo, Stride: raw.Stride,
		Data: raw.Data[rowLo*raw.Stride+colLo : (rowHi-1)*raw.Stride+colHi],
	}
}

func (c *cholesky) axes() float64 {
	least, most := math.Inf(1), 0.0
	for i := range c.n {
		least, most = min(least, c.a.At(i, i)), max(most, c.a.At(i, i))
	}
	return most / least
}
