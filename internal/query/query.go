// Package query is what happens to a query on its way to f: wrappers around an
// objective.Objective, from the function outwards, in the order in which a run stacks them:
//
//	Guard   handles bad values: NaN becomes +Inf, and a panic becomes an error
//	Pool    splits a batch over goroutines; results are stored by index
//	Meter   counts queries and enforces the budget, both exactly
//	Record  keeps the best point ever evaluated and the convergence curve
//	Chunk   cuts long batches, so that a run can stop or report within one
//	Scale   shows algorithms coordinates in which the start box is [-1, 1]^d
package query
