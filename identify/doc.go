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
// There are two ways from queries to a frame, both an Identifier. Survey is the one to take: one
// model of f (package internal/model) that looks at f teach, and a certificate of how well f
// separates in what was found, into single components or blocks (package certify). Start with
// Survey.Identify; docs/identify.md has the model, and FLOW.md the way from there.
//
// Paper is Algorithm 1 of Fiedler and Roith, "Consensus-based optimization for linearly
// separable functions", section 2.2: it samples Hessians, estimates 𝒲 from them and finds
// the w_j in it (package powermethod, which lists where each symbol of the section is).
//
// Where a comment says that a number was measured on the suite, the suite is all problems
// of package problem, each in its own coordinates, with d = 10, 20 and 30 and seeds 0 to
// 9: 270 functions that separate, 60 of blocks and 90 of neither kind.
package identify
