// Package cmaes minimises functions by covariance matrix adaptation,
//
//	x_i = m + σy_i,   y_i = Az_i,   AAᵀ = C,   z_i ~ N(0, I),
//
// after N. Hansen, "The CMA Evolution Strategy: A Tutorial" (arXiv 1604.00772),
// whose letters and equation numbers are used throughout: weights of both signs,
// cumulative step-size adaptation, rank-one and rank-μ updates. It sees values
// only through their order.
//
// Start with Run, one descent, or with Series, which runs one after another with
// the populations of IPOP or BIPOP. The form in which C is kept is a value, a
// Covariance; so is the plan of restarts, a Schedule.
package cmaes
