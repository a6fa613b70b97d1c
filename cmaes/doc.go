// Package cmaes minimises functions by covariance matrix adaptation,
//
//	x_i = m + σy_i,   y_i = Az_i,   AAᵀ = C,   z_i ~ N(0, I),
//
// after N. Hansen, "The CMA Evolution Strategy: A Tutorial" (arXiv 1604.00772). It has
// weights of both signs, cumulative step-size adaptation, and rank-one and rank-μ updates.
// Letters and equation numbers are those of the tutorial. Only the order of values
// matters, not their size.
//
// Start with Run, which is one descent, or with Series, which makes several descents with
// the populations of IPOP or BIPOP. A Covariance is the form in which C is kept, and a
// Schedule is the plan of restarts.
package cmaes
