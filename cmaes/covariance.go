package cmaes

import "gonum.org/v1/gonum/mat"

// A Covariance is a form in which C is kept, with a factor A, AAᵀ = C. It is a plain value
// without state, so any number of runs may share it.
//
// The interface is sealed: Cholesky, Root and Diagonal are its only values.
type Covariance interface {
	// check returns an error if a run in n dimensions cannot start with this form.
	check(n int) error
	// begin returns C at the start of a run with λ points per generation.
	begin(n, lambda int) covariance
}

// A covariance is C in a run.
type covariance interface {
	// faster returns the factor by which C can be learnt faster than a full matrix.
	faster() float64
	// transform sets each row of y to Az for a row z.
	transform(y, z *mat.Dense)
	// update sets C ← decay·C + c₁ p pᵀ + Σ_i w_i y_i y_iᵀ.
	update(decay, c1 float64, p []float64, w []float64, y *mat.Dense)
	// factorise recomputes A from C. It rotates path, a vector in the coordinates z,
	// with A. It reports whether C is positive definite, as far as it can tell.
	factorise(path []float64) bool
	// deviation sets dst to √C_ii.
	deviation(dst []float64)
	// axes returns the ratio of the longest to the shortest axis of A, or a lower bound
	// for it.
	axes() float64
}
