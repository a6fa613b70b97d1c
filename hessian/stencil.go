// Package hessian estimates second derivatives of a function from
// its values alone, by finite differences along given directions.
//
//	H[f](x) = Σ_j f_j″(⟨w_j, x⟩) w_j⊗w_j ≈ Ĥ_ε[f](x)
//
// A Stencil says at which points to ask and how to weigh the answers: FourPoint is that
// of the paper's experiment, Symmetric costs less. Start with Stencil.At, which
// asks and returns an Estimate. Stencil.Step chooses the step ε by looking at f. A Region
// is where points are sampled, the μ of the paper's section 2.2.
//
// A Basis is directions and the Hessians seen along them. Basis.Whitened turns it so that all
// of them have the same size along its directions.
package hessian

// A Stencil is a finite-difference formula, as data. Along directions u_1, …,
// u_m with step ε it approximates
//
//	u_iᵀHu_j ≈ ε⁻² Σ_t w_t f(x + ε(a_t u_i + b_t u_j)),   i < j,   t in Pair
//	u_iᵀHu_i ≈ ε⁻² Σ_t w_t f(x + εa_t u_i),                        t in Diagonal
//
// where the diagonal asks for x.
type Stencil struct {
	Name     string
	Pair     []Term
	Diagonal []Term // b_t = 0

	// Alone lets every entry of H ask for all its points, even if another has
	// asked for them already. That is how the paper counts.
	Alone bool
}

// A Term is a point of a stencil and its weight.
type Term struct{ A, B, Weight float64 }

// FourPoint is the central difference of the paper's experiment,
//
//	(f(x+ε(u_i+u_j)) − f(x+ε(u_i−u_j)) − f(x−ε(u_i−u_j)) + f(x−ε(u_i+u_j)))/4ε²
//
// for i ≤ j: four queries for each entry, 2(m²+m) in all. Its error is O(ε²).
// Of a ridge cos⟨w, x⟩ it makes −cos⟨w, x⟩ ssᵀ/ε² with s_i = sin εw_i: of rank
// one whatever ε, which is why it does so well on trigonometric functions.
var FourPoint = Stencil{
	Name:     "four-point",
	Pair:     []Term{{1, 1, 0.25}, {1, -1, -0.25}, {-1, 1, -0.25}, {-1, -1, 0.25}},
	Diagonal: []Term{{2, 0, 0.25}, {0, 0, -0.25}, {0, 0, -0.25}, {-2, 0, 0.25}},
	Alone:    true,
}

// Symmetric is
//
//	(f(x+ε(u_i+u_j)) + f(x−ε(u_i+u_j)) − f(x+εu_i) − f(x−εu_i) − f(x+εu_j) − f(x−εu_j) + 2f(x))/2ε²
//
// and central differences on the diagonal: m² + m + 1 queries, an error of
// O(ε²).
var Symmetric = Stencil{
	Name:     "symmetric",
	Pair:     []Term{{1, 1, 0.5}, {-1, -1, 0.5}, {1, 0, -0.5}, {-1, 0, -0.5}, {0, 1, -0.5}, {0, -1, -0.5}, {0, 0, 1}},
	Diagonal: []Term{{1, 0, 1}, {-1, 0, 1}, {0, 0, -2}},
}

// Queries returns how many queries the stencil asks along m directions: q_0 + (q_1−q_0)m + (q_2−2q_1+q_0)m(m−1)/2,
// where q_n are those along n.
func (s Stencil) Queries(m int) int {
	var q [3]int
	for n := range q {
		points, _ := s.plan(entries(n), !s.Alone)
		q[n] = len(points)
	}
	return q[0] + (q[1]-q[0])*m + (q[2]-2*q[1]+q[0])*(m*(m-1)/2)
}
