package cmaes

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// Diagonal keeps the diagonal of C alone: separable CMA-ES (R. Ros, N. Hansen,
// "A simple modification in CMA-ES achieving linear time and space complexity",
// 2008), which learns faster by (n+2)/3.
type Diagonal struct {
	c, a []float64
}

func (*Diagonal) fresh() Covariance { return &Diagonal{} }

func (*Diagonal) faster(n int) float64 { return float64(n+2) / 3 }

func (d *Diagonal) begin(n, _ int) {
	d.c, d.a = make([]float64, n), make([]float64, n)
	for i := range n {
		d.c[i], d.a[i] = 1, 1
	}
}

func (d *Diagonal) transform(y, z *mat.Dense) {
	rows, _ := z.Dims()
	for i := range rows {
		kernel.Product(y.RawRowView(i), z.RawRowView(i), d.a)
	}
}

func (d *Diagonal) update(decay, c1 float64, p, w []float64, y *mat.Dense) {
	for k := range d.c {
		d.c[k] = float64(decay*d.c[k]) + float64(c1*p[k]*p[k])
	}
	for i, weight := range w {
		for k, v := range y.RawRowView(i) {
			d.c[k] += float64(weight * v * v)
		}
	}
}

func (d *Diagonal) factorise([]float64) bool {
	for k, v := range d.c {
		if !(v > 0) {
			return false
		}
		d.a[k] = math.Sqrt(v)
	}
	return true
}

func (d *Diagonal) deviation(dst []float64) { copy(dst, d.a) }

func (d *Diagonal) axes() float64 {
	least, most := math.Inf(1), 0.0
	for _, v := range d.a {
		least, most = min(least, v), max(most, v)
	}
	return most / least
}
