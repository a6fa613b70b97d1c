package powermethod_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/untwist/untwist/powermethod"
	"gonum.org/v1/gonum/mat"
)

// The w_j of f(x) = Σ cos(3⟨w_j, x⟩) from six of its Hessians,
// H(x) = −9 Σ cos(3⟨w_j, x⟩) w_j⊗w_j. They span what the w_j⊗w_j span, and the power
// method finds the w_j in it.
func Example() {
	w := mat.NewDense(3, 3, []float64{
		1, 0, 0,
		0, 0.8, 0.6,
		0.28, 0, 0.96,
	})
	random := rand.New(rand.NewPCG(1, 2))
	var hessians []*mat.Dense
	for range 6 {
		x := []float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		h := mat.NewDense(3, 3, nil)
		for j := range 3 {
			row := w.RowView(j)
			h.RankOne(h, -9*math.Cos(3*mat.Dot(row, mat.NewVecDense(3, x))), row, row)
		}
		hessians = append(hessians, h)
	}
	span, err := powermethod.Span(hessians, powermethod.WidestGap{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d singular values count\n", span.Rank(), len(span.Singular))
	found, err := powermethod.Method{}.Directions(context.Background(), span, random)
	if err != nil {
		fmt.Println(err)
		return
	}
	for j := range 3 {
		nearest := 0.0
		for i := range found.RawMatrix().Rows {
			nearest = max(nearest, math.Abs(mat.Dot(w.RowView(j), found.RowView(i))))
		}
		fmt.Printf("w_%d is among them: %v\n", j+1, nearest > 1-1e-12)
	}
	// Output:
	// 3 of 6 singular values count
	// w_1 is among them: true
	// w_2 is among them: true
	// w_3 is among them: true
}

// How far the paper's propositions apply can be measured, where the truth is known: ρ₂ of
// the w_j, the distance of what the Hessians span from what it should be, and how well
// they tell components apart.
func ExampleSubspace_Distance() {
	w := mat.NewDense(2, 2, []float64{1, 0, 0.6, 0.8})
	hessian := func(a, b, wrong float64) *mat.Dense { // a w_1⊗w_1 + b w_2⊗w_2, a little wrong
		return mat.NewDense(2, 2, []float64{a + 0.36*b, 0.48 * b, 0.48 * b, 0.64*b + wrong})
	}
	exact, err := powermethod.Span([]*mat.Dense{hessian(1, 1, 0), hessian(1, -1, 0)}, powermethod.Above(0.1))
	if err != nil {
		fmt.Println(err)
		return
	}
	rough, err := powermethod.Span([]*mat.Dense{hessian(1, 1, 0.01), hessian(1, -1, -0.01)}, powermethod.Above(0.1))
	if err != nil {
		fmt.Println(err)
		return
	}
	truth := powermethod.Ridges(w)
	fmt.Printf("ρ₂ = %.3f\n", powermethod.Coherence(w))
	fmt.Printf("‖P_𝒲 − P_𝒲̂‖ = %.4f and %.4f\n", exact.Distance(truth), rough.Distance(truth))
	fmt.Printf("α_H = %.2f\n", exact.Identifiability())
	fmt.Printf("‖P_𝒲̂(w_2⊗w_2)‖² = %.5f and %.5f\n", exact.Value(w.RawRowView(1)), rough.Value(w.RawRowView(1)))
	// Output:
	// ρ₂ = 0.600
	// ‖P_𝒲 − P_𝒲̂‖ = 0.0000 and 0.0077
	// α_H = 0.64
	// ‖P_𝒲̂(w_2⊗w_2)‖² = 1.00000 and 0.99995
}
