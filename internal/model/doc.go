// Package model finds the coordinates of a function from its values, by one model:
//
//	value(x) = φ(Σ_j f_j(y_j) + Σ c_ij(y_i, y_j)) + σξ,   y = Wx.
//
// Exact values are σ = rounding. No map is φ = the identity. A sum is c = 0. A value at a
// point where f fails has no information. None of these is a mode: each is a number with an
// error.
//
// Everything that is measured is a Look: a point, steps S_1, …, S_m, and the mixed differences
// of all pairs of steps. In a frame W = U⁻¹ whose components have curvature 1, a look is an
// equation for each pair of components,
//
//	R_ij = v_ij E_ij + v_ji E_ji + u_ij·δθ ± s_ij,   s² = noise + truncation² + κ²|v_ij v_ji|,
//
// with the true frame (I+E)W, the two numbers θ of the map, and κ the coupling that does not
// become less with more looks. A look with short steps is a Hessian, one with long steps a
// design.
//
// Start with Identify. Coordinates are those of the box, in which it is [-1, 1]^d.
package model
