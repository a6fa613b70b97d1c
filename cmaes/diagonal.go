package cmaes

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// LargeFrom is the number of dimensions from which on C is a diagonal unless a form is chosen: a full one has
// nine million numbers then, takes minutes to factorise again and again, and more queries to learn than anybody has.
const LargeFrom = 3000

// Diagonal keeps only the diagonal of C. This is separable CMA-ES (R. Ros, N. Hansen,
// "A simple modification in CMA-ES achieving linear time and space complexity", 2008),
// which learns faster by a factor of (n+2)/3.
type Diagonal struct{}

func (Diagonal) check(int) error { return nil }

func (Diagonal) begin(n, _ int) covariance {
	d := &diagonal{c: make([]float64, n), a: make([]float64, n)}
	for i := range n {
		d.c[i], d.a[i] = 1, 1
	}
	return d
}

// A diagonal is the state of Diagonal: C_ii and A_ii = √C_ii.
type diagonal struct{ c, a []float64 }

func (d *diagonal) faster() float64 { return float64(len(d.c)+2) / 3 }

func (d *diagonal) transform(y, z *mat.Dense) {
	rows, _ := z.Dims()
	for i := range rows {
		kernel.Product(y.RawRowView(i), z.RawRowView(i), d.a)
	}
}

func (d *diagonal) update(decay, c1 float64, p, w []float64, y *mat.Dense) {
	for k := range d.c {
		d.c[k] = float64(decay*d.c[k]) + float64(c1*p[k]*p[k])
	}
	for i, weight := range w {
		for k, v := range y.RawRowView(i) {
			d.c[k] += float64(weight * v * v)
		}
	}
}

func (d *diagonal) factorise([]float64) bool {
	for k, v := range d.c {
		if !(v > 0) {
			return false
		}
		d.a[k] = math.Sqrt(v)
	}
	return true
}

func (d *diagonal) deviation(dst []float64) { copy(dst, d.a) }

func (d *diagonal) axes() float64 {
	least, most := math.Inf(1), 0.0
	for _, v := range d.a {
		least, most = min(least, v), max(most, v)
	}
	return most / least
}
