package cmaes

import (
	"math"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// Root keeps the full matrix with its symmetric root, A = C^½ = BDBᵀ, as the tutorial
// does. If f is rotated, the points are rotated with it. Each generation computes the
// eigenvalues of C, which takes about 10n³ multiplications and allocates.
type Root struct{}

func (Root) check(int) error { return nil }

func (Root) begin(n, lambda int) covariance { return &root{full: newFull(n, lambda)} }

// A root is the state of Root.
type root struct {
	full
	ratio float64 // longest to shortest axis; 0 before the first factorisation
}

func (r *root) factorise([]float64) bool {
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

func (r *root) axes() float64 { return max(r.ratio, 1) }
