package cmaes

import "gonum.org/v1/gonum/mat"

// A Covariance is a form in which C is kept, with a factor A, AAᵀ = C. It is a
// description: a plain value without state, which any number of runs may share.
//
// The interface is sealed: Cholesky, Root and Diagonal are its only values.
type Covariance interface {
	// check returns an error if C cannot start so in n dimensions.
	check(n int) error
	// begin returns C at the start of a run of λ points a generation.
	begin(n, lambda int) covariance
}

// A covariance is C in a run.
type covariance interface {
	// faster is the factor by which C may be learnt faster than all its entries
	// could be.
	faster() float64
	// transform sets each row of y to Az for a row z.
	transform(y, z *mat.Dense)
	// update sets C ← decay·C + c₁ p pᵀ + Σ_i w_i y_i y_iᵀ.
	update(decay, c1 float64, p []float64, w []float64, y *mat.Dense)
	// factorise brings A up to date with C. It turns path, a vector in the
	// coordinates z, with A. It reports whether C is positive definite, as far as
	// that can be told.
	factorise(path []float64) bool
	// deviation sets dst to √C_ii.
	deviation(dst []float64)
	// axes returns the ratio of the longest to the shortest axis of A, or a
	// lower bound of it.
	axes() float64
}
