package jointdiag_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/mat"
)

// f(x, y) = (0.6x + 0.8y)⁴ + cos(0.96x − 0.28y) is a sum of two functions of one variable
// each. Its Hessians are known exactly, here as formulas, elsewhere from automatic
// differentiation. Three of them give the coordinates away.
func Example() {
	hessian := func(x, y float64) *mat.Dense {
		a, b := 0.6*x+0.8*y, 0.96*x-0.28*y
		second := []float64{12 * a * a, -math.Cos(b)} // of a⁴ and of cos b
		return mat.NewDense(2, 2, []float64{
			0.36*second[0] + 0.9216*second[1], 0.48*second[0] - 0.2688*second[1],
			0.48*second[0] - 0.2688*second[1], 0.64*second[0] + 0.0784*second[1],
		})
	}
	hessians := []*mat.Dense{hessian(1, 0), hessian(0.3, -1), hessian(-0.5, 2)}
	joint, err := jointdiag.Diagonalise(hessians, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := frame.New(joint.W) // with rows of length 1
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 2 { // their order and signs mean nothing
		row := w.Matrix().RawRowView(i)
		sign := math.Copysign(1, row[0])
		fmt.Printf("±(%.3f, %.3f)\n", sign*row[0], sign*row[1])
	}
	fmt.Println("nothing is left off the diagonals:", mat.Max(joint.Couplings()) < 1e-12)
	// Unordered output:
	// ±(0.600, 0.800)
	// ±(0.960, -0.280)
	// nothing is left off the diagonals: true
}

// f(x, y, z) = sin(x)·y² + z⁴ couples x with y, and neither with z. What joint
// diagonalisation leaves shows it.
func ExampleBlocks() {
	hessian := func(x, y, z float64) *mat.Dense {
		return mat.NewDense(3, 3, []float64{
			-math.Sin(x) * y * y, 2 * math.Cos(x) * y, 0,
			2 * math.Cos(x) * y, 2 * math.Sin(x), 0,
			0, 0, 12 * z * z,
		})
	}
	var hessians []*mat.Dense
	random := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		hessians = append(hessians, hessian(random.NormFloat64(), random.NormFloat64(), random.NormFloat64()))
	}
	joint, err := jointdiag.Diagonalise(hessians, random)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, block := range jointdiag.Blocks(joint.Couplings(), 1e-3) {
		fmt.Println(len(block))
	}
	// Unordered output:
	// 1
	// 2
}
