// Package leastsquares minimises a sum of squares of residuals that can only be evaluated.
//
//	F(x) = Σ_i r_i(x)²,  r: ℝ^d → ℝ^m
//
// Start with Descend, a descent from one point by the method of Levenberg and Marquardt: with the
// Jacobian J of r, a step p minimises ‖r + J·p‖² within ‖D·p‖ ≤ Δ, where D are the largest lengths of
// the columns of J so far, and Δ follows how well the linear model has predicted F. J comes from one
// batch of d differences. Between batches it is updated by Broyden's formula,
//
//	J ← J + (r(x+p) − r(x) − J·p)·(D²p)ᵀ / (pᵀD²p),
//
// as long as a step with an old J gains at least what a query of a step with a new one does. Bounds
// are kept: a step that would leave them ends at the bound, and the others are solved for again.
//
// Errors turns a Jacobian into standard errors.
//
// References: J. J. Moré, "The Levenberg–Marquardt algorithm: implementation and theory", 1978; C. G.
// Broyden, "A class of methods for solving nonlinear simultaneous equations", 1965.
package leastsquares
