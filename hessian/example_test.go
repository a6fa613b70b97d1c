package hessian_test

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// The second derivatives of x²y + y² at (1, 2), from seven values.
func ExampleStencil_At() {
	f := query.NewMeter(objective.Func(2, func(x []float64) float64 { return x[0]*x[0]*x[1] + x[1]*x[1] }), 100)
	e, err := hessian.Symmetric.At(context.Background(), f, []float64{1, 2}, nil, 1e-3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("H = %.3f\n", mat.Formatted(e.Hessian, mat.Prefix("    ")))
	fmt.Println(f.Queries() == hessian.Symmetric.Queries(2), f.Queries())
	// Output:
	// H = ⎡4.000  2.000⎤
	//     ⎣2.000  2.000⎦
	// true 7
}

// A step for a function of unknown smoothness, from lines through some points.
func ExampleStencil_Step() {
	f := objective.Func(2, func(x []float64) float64 { return x[0]*x[0]*x[0]*x[0] + x[0]*x[1] })
	points := mat.NewDense(3, 2, []float64{0, 1, 1, 0, 1, 1})
	directions := mat.NewDense(3, 2, []float64{1, 0, 0.6, 0.8, -0.8, 0.6})
	step, err := hessian.Symmetric.Step(context.Background(), f, points, directions, 0, objective.Rounding)
	fmt.Println(step > 1e-5 && step < 1e-2, err)
	// Output: true <nil>
}
