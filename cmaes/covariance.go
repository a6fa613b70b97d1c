package cmaes

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// A Covariance is C with a factor A, AAᵀ = C. Its zero value is not ready; Run
// calls begin.
type Covariance interface {
	// fresh returns another of the same form.
	fresh() Covariance
	// begin sets C = I in n dimensions.
	begin(n, lambda int)
	// faster is the factor by which C may be learnt faster than all its entries
	// could be.
	faster(n int) float64
	// transform sets each row of y to Az for a row z.
	transform(y, z *mat.Dense)
	// update sets C ← decay·C + c₁ p pᵀ + Σ_i w_i y_i y_iᵀ.
	update(decay, c1 float64, p []float64, w []float64, y *mat.Dense)
	// factorise brings A up to date with C, and turns path, a vector in the
	// coordinates z, with it. It reports whether C is positive definite, as far as
	// one can tell.
	factorise(path []float64) bool
	// deviation sets dst to √C_ii.
	deviation(dst []float64)
	// axes returns the ratio of the longest to the shortest axis of A, or a
	// lower bound of it.
	axes() float64
}

// full is a covariance matrix with all its entries.
type full struct {
	n       int
	c       *mat.Dense
	a, aT   *mat.Dense // A and Aᵀ
	yT, wy  *mat.Dense // scratch: Yᵀ, and w_i y_i
	scratch *mat.Dense
}

func (f *full) begin(n, lambda int) {
	f.n = n
	f.c, f.a, f.aT = identity(n), identity(n), identity(n)
	f.yT, f.wy = mat.NewDense(n, lambda+1, nil), mat.NewDense(lambda+1, n, nil)
	f.scratch = mat.NewDense(n, n, nil)
}

func (*full) faster(int) float64 { return 1 }

func identity(n int) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		m.Set(i, i, 1)
	}
	return m
}

func (f *full) transform(y, z *mat.Dense) {
	kernel.Mul(y.RawMatrix(), 1, z.RawMatrix(), f.aT.RawMatrix(), 0)
}

func (f *full) update(decay, c1 float64, p, w []float64, y *mat.Dense) {
	lambda, _ := y.Dims()
	set := func(i int, weight float64, row []float64) {
		dst := f.wy.RawRowView(i)
		for k, v := range row {
			f.yT.Set(k, i, v)
			dst[k] = weight * v
		}
	}
	for i := range lambda {
		set(i, w[i], y.RawRowView(i))
	}
	set(lambda, c1, p)
	kernel.Mul(f.scratch.RawMatrix(), 1, f.yT.RawMatrix(), f.wy.RawMatrix(), 0)
	// Only the lower triangle of what was added is used, so that C stays
	// symmetric to the bit.
	for i := range f.n {
		row, plus := f.c.RawRowView(i)[:i+1], f.scratch.RawRowView(i)[:i+1]
		for j, v := range row {
			row[j] = math.FMA(decay, v, plus[j])
		}
	}
	for i := range f.n {
		for j, v := range f.c.RawRowView(i)[:i] {
			f.c.Set(j, i, v)
		}
	}
}

func (f *full) deviation(dst []float64) {
	for i := range dst {
		dst[i] = math.Sqrt(f.c.At(i, i))
	}
}

// Cholesky is a full matrix with the triangular factor, C = AAᵀ, A lower. It
// takes n³/3 multiplications to bring up to date, a tenth of what the symmetric
// root takes (compare O. Krause, D. Arbonès, C. Igel, "CMA-ES with optimal
// covariance update and storage complexity", 2016).
//
// Other than with the symmetric root the coordinates z = A⁻¹y turn as C changes.
// The path p_σ, which lives in them, is turned too,
//
//	p_σ ← A'⁻¹Ap_σ, of the same length:
//
// without that it forgets what it has seen, and different powers at n = 100 takes
// a quarter more queries.
type Cholesky struct {
	// First is C at the start of each run, n×n and positive definite; nil: I.
	First *mat.SymDense

	full
	v []float64 // scratch
}

func (c *Cholesky) fresh() Covariance { return &Cholesky{First: c.First} }

func (c *Cholesky) begin(n, lambda int) {
	c.full.begin(n, lambda)
	c.v = make([]float64, n)
	if c.First != nil {
		c.c.Copy(c.First)
		c.factorise(make([]float64, n))
	}
}

// block is the width of the panels of a factorisation.
const block = 32

func (c *Cholesky) factorise(path []float64) bool {
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

// turn solves A'p = v and gives p the length that it had.
func (c *Cholesky) turn(p []float64) {
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

// panel factorises the columns lo ≤ j < hi of a, all rows below included.
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

// sub is a view of a part of a.
func sub(a *mat.Dense, rowLo, rowHi, colLo, colHi int) blas64.General {
	raw := a.RawMatrix()
	return blas64.General{
		Rows: rowHi - rowLo, Cols: colHi - colLo, Stride: raw.Stride,
		Data: raw.Data[rowLo*raw.Stride+colLo : (rowHi-1)*raw.Stride+colHi],
	}
}

func (c *Cholesky) axes() float64 {
	least, most := math.Inf(1), 0.0
	for i := range c.n {
		least, most = min(least, c.a.At(i, i)), max(most, c.a.At(i, i))
	}
	return most / least
}

// Root is a full matrix with the symmetric root, A = C^½ = BDBᵀ: the standard
// algorithm, which turns with its coordinates.
type Root struct {
	full
	ratio float64
}

func (*Root) fresh() Covariance { return &Root{} }

func (r *Root) factorise([]float64) bool {
	var eigen mat.EigenSym
	sym := mat.NewSymDense(r.n, nil)
	for i := range r.n {
		for j := range i + 1 {
			sym.SetSym(i, j, r.c.At(i, j))
		}
	}
	if !eigen.Factorize(sym, true) {
		return false
	}
	values := eigen.Values(nil)
	if !(values[0] > 0) {
		return false
	}
	r.ratio = math.Sqrt(values[r.n-1] / values[0])
	var b, bd mat.Dense
	eigen.VectorsTo(&b)
	bd.CloneFrom(&b)
	for i := range r.n {
		for j, v := range values {
			bd.Set(i, j, bd.At(i, j)*math.Sqrt(v))
		}
	}
	kernel.MulT(r.a.RawMatrix(), 1, bd.RawMatrix(), b.RawMatrix(), 0)
	r.aT.Copy(r.a.T())
	return true
}

func (r *Root) axes() float64 { return max(r.ratio, 1) }
