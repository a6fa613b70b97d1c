// Package outer undoes an outer map: a root, a logarithm or any other increasing
// function around a sum. Numbers go in, a map comes out; no function is asked for
// anything.
//
// If f = φ(v) with v(x) = Σ_j f_j(⟨w_j, x⟩) and φ increasing, then with g = ∇f
//
//	H = φ′WᵀDW + c ggᵀ,   c = φ″/φ′²,
//
// where c depends on the value of f alone. So H_k − c_k g_k g_kᵀ is diagonal in the
// coordinates W for the right numbers c_k. Numbers finds them without knowing W. They
// determine ψ = φ⁻¹ up to scale, since
//
//	ψ″/ψ′ = −c(f),
//
// and ψ(f) is a sum again. For a root, a square, a logarithm, an exponential, and any other
// power of v or of v plus a constant, 1/c is a linear function of f; FromNumbers fits that.
// Fitted makes it exact, given four values of f at the corners of some boxes.
package outer
