package identify

import (
	"math"

	"github.com/untwist/untwist/hessian"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// roundest is the eigenvalue from which on minima count as round in a frame. Of functions that
// nearly separate it was 0.2 and more, and of Rosenbrock's 0.06 and less.
const roundest = 0.15

// rounded reports whether f is round in the coordinates of a frame where a descent ends, one
// of some: whether the smallest eigenvalue of
//
//	H_ij/√(H_ii H_jj),
//
// H the Hessian there, is not small. In a frame that separates f it is 1. A search along
// components gains about so much of what is to be gained with each round. In a curved valley
// it is nearly 0, however small couplings are beside the differences over the whole box.
// Components along which f does not curve upwards are left out.
func (c *candidate) rounded(g *ground) (bool, error) {
	directions := mat.DenseCopyOf(c.u)
	for i, eps := range c.eps {
		floats.Scale(eps, directions.RawRowView(i))
	}
	for range looks {
		from, err := g.point()
		if err != nil {
			return false, err
		}
		x, err := descent{g}.from(from)
		if err != nil {
			return false, err
		}
		e, err := hessian.Symmetric.At(g.ctx, g.f, x, directions, 1)
		if err != nil {
			return false, err
		}
		if e.Missing == 0 && roundness(e.Hessian) >= roundest {
			return true, nil
		}
	}
	return false, nil
}

// roundness returns the smallest eigenvalue of a Hessian scaled to a diagonal of ones,
// without the rows and columns whose diagonal is not above 0.
func roundness(hessian *mat.Dense) float64 {
	var up []int
	m, _ := hessian.Dims()
	for i := range m {
		if hessian.At(i, i) > 0 {
			up = append(up, i)
		}
	}
	if len(up) == 0 {
		return 0
	}
	scaled := mat.NewSymDense(len(up), nil)
	for a, i := range up {
		for b, j := range up[:a+1] {
			scaled.SetSym(a, b, hessian.At(i, j)/math.Sqrt(hessian.At(i, i)*hessian.At(j, j)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, false) {
		return 0
	}
	return floats.Min(eigen.Values(nil))
}
