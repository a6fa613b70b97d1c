package identify

import (
	"github.com/untwist/untwist/frame"
	"gonum.org/v1/gonum/mat"
)

// A Finding is what a survey has found.
type Finding struct {
	Frame  *frame.Frame // m×d; nil: none was found
	Blocks [][]int      // of components, ascending
	// Linear is the component in which f is linear, orthogonal to the others;
	// -1: none.
	Linear int
	// Quadratic says that one Hessian was enough: any conjugate basis separates
	// f then, and Frame is one of many.
	Quadratic   bool
	Certificate Certificate

	// Residual is the largest error of a component that the last check found:
	// how much of E may be left.
	Residual float64
	// Scale is, for each component, the length along u_j over which f_j″ changes
	// by about a third: a grid has to be finer. See Survey.Measures.
	Scale []float64
	// Spectrum are the absolute eigenvalues of the first Hessian, descending.
	Spectrum []float64
	// Before and After are the couplings |H_ij|/√|H_ii H_jj| of sampled
	// Hessians, in the coordinates in which they were sampled first and in the
	// frame.
	Before, After *mat.Dense
}
