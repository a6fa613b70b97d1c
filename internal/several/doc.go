// Package several minimises functions whose evaluations answer several numbers, and functions with
// limits: sums of squares of residuals, constraints on outputs, linear limits of the parameters.
//
// Start with Strategy. Without limits, residuals are fitted by descents of package leastsquares from
// several starts. With limits, smooth ones are kept to by sequential quadratic programming (sqp.go): all
// gradients come from one batch of differences, each step solves a quadratic program (package
// quadratic), and descents begin from several starts. What is left of the budget goes to CMA-ES, which
// ranks points by feasibility first, for functions that are rugged. Linear limits are kept to by every
// query: those that are equations by eliminating coordinates (polytope.go), the others by projection.
// Where f is a sum over the coordinates under linear limits, its summands are sampled and the sum is
// minimised under the limits without queries (sum.go).
package several
