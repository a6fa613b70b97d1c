package cmaes

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// full is a covariance matrix with all its entries.
type full struct {
	n       int
	c       *mat.Dense
	a, aT   *mat.Dense // A and Aᵀ
	yT, wy  *mat.Dense // scratch: Yᵀ, and w_i y_i
	scratch *mat.Dense
}

// newFull returns C = I.
func newFull(n, lambda int) full {
	return full{
		n: n, c: kernel.Identity(n), a: kernel.Identity(n), aT: kernel.Identity(n),
		yT: mat.NewDense(n, lambda+1, nil), wy: mat.NewDense(lambda+1, n, nil),
		scratch: mat.NewDense(n, n, nil),
	}
}

func (*full) faster() float64 { return 1 }

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
	// Only the lower triangle of the sum is used, so that C stays exactly symmetric.
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
