// Package outer undoes an outer map: a root, a logarithm or any other increasing
// function around a sum. Numbers go in, a map comes out; no function is asked for
// anything.
//
// If f = φ(v) with v(x) = Σ_j f_j(⟨w_j, x⟩) and φ increasing, then ψ(f) is a sum again,
// ψ = φ⁻¹. For a root, a square, a logarithm, an exponential, and any other power of v or
// of v plus a constant,
//
//	ψ′ = (1 + κt)^(γ/κ),   t = (f − r)/s.
//
// Power makes the map of these numbers, which package model finds with the frame. Fitted finds
// it in a frame that is known, from four values of f at the corners of some boxes.
package outer
