// Package powermethod is Algorithm 1 of Fiedler and Roith, "Consensus-based optimization
// for linearly separable functions", section 2.2, from the Hessians on. Matrices go in,
// directions come out; no function is asked for anything.
//
// If f(x) = Σ_j f_j(⟨w_j, x⟩), every Hessian of f lies in
//
//	𝒲 = span{w_1⊗w_1, …, w_m⊗w_m}.
//
// Span estimates 𝒲 from sampled Hessians, and Method.Directions finds the w_j in it.
// Start there. Package hessian samples the Hessians, and identify.Paper puts it all
// together. What the section defines, and where it is:
//
//	μ, the distribution of the points x⁽ⁱ⁾       hessian.Region, hessian.Ball
//	Ĥ_ε, the Hessian by finite differences       hessian.Stencil, hessian.FourPoint
//	Ŷ and its singular value decomposition       Span
//	m, the gap in the spectrum of Ŷ              Rank, WidestGap, Above
//	𝒲̂                                            Subspace
//	𝒲                                            Ridges
//	α_H, the condition of identifiability        Subspace.Identifiability
//	‖P_𝒲 − P_𝒲̂‖ of the propositions              Subspace.Distance
//	‖P_𝒲̂(u⊗u)‖², what is maximised               Subspace.Value
//	ρ₂, the incoherence of the w_j               Coherence
//	v ← Π(v + γ∇‖P_𝒲̂(v⊗v)‖²)                     Method
//	the selection of different v                 Selection, Highest, AllLimits
//	Algorithm 1 as a whole                       identify.Paper.Recover
package powermethod
