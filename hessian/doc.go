// Package hessian estimates first and second derivatives of a function from
// its values alone, by finite differences along given directions.
//
//	H[f](x) = Σ_j f_j″(⟨w_j, x⟩) w_j⊗w_j ≈ Ĥ_ε[f](x)
//
// A Stencil says at which points to ask and how to weigh the answers: FourPoint is that
// of the paper's experiment, Symmetric and Forward cost less. Start with Stencil.At, which
// asks and returns an Estimate. Stencil.Step chooses the step ε by looking at f. A Region
// is where points are sampled, the μ of the paper's section 2.2.
//
// A Chain takes several Hessians along the directions of a Basis, and Basis.Whitened
// turns these so that all Hessians seen have the same size along them.
package hessian
