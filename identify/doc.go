// Package identify finds the coordinates in which a function separates: a
// frame W̃ whose rows are the w_j of
//
//	f(x) = Σ_j f_j(⟨w_j, x⟩),
//
// up to order and sign, from values of f alone. Everything rests on
//
//	H(x) = Σ_j f_j''(⟨w_j, x⟩) w_j⊗w_j:
//
// all Hessians lie in the span 𝒲 of the w_j⊗w_j.
//
// Survey is the road to take: joint diagonalisation of a few Hessians, refined by
// large steps, and a Certificate of how well f separates in what was found, into
// single components or blocks.
//
// Paper is that of Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions", section 2.2: Span estimates 𝒲 from sampled Hessians, and
// Power finds the w_j in it, by Algorithm 1.
package identify
