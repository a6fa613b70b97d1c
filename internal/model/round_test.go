package model

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A Hessian with couplings ±c between all of n components has the eigenvalue 1 − c(n − 1) at
// least, whatever the units; components that curve downwards do not count.
func TestRoundness(t *testing.T) {
	const n, c = 5, -0.2
	units := []float64{1, 10, 1e-3, 7, 100}
	h := mat.NewDense(n+1, n+1, nil)
	for i := range n {
		for j := range n {
			h.Set(i, j, c*units[i]*units[j])
		}
		h.Set(i, i, units[i]*units[i])
		h.Set(i, n, 1e6)
		h.Set(n, i, 1e6)
	}
	h.Set(n, n, -1)
	if got, want := roundness(h), 1+c*(n-1); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := roundness(mat.NewDense(1, 1, []float64{-1})); got != 0 {
		t.Errorf("%v where nothing curves upwards", got)
	}
}
