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
// A Basis is directions and the Hessians seen along them. Basis.Whitened turns it so that all
// of them have the same size along its directions.
package hessian
