package certify_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Does f separate in coordinates that somebody has guessed? In x+y and x−y it does, in
// x and y it does not.
func Example() {
	f := objective.Func(2, func(x []float64) float64 {
		return math.Cos(3*(x[0]+x[1])) + math.Exp(x[0]-x[1])
	})
	guess, err := frame.New(mat.NewDense(2, 2, []float64{1, 1, 1, -1}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range []*frame.Frame{guess, frame.Identity(2)} {
		c, err := certify.Test{Box: objective.Cube(2, -2, 2)}.Certify(context.Background(), f, w, nil)
		fmt.Printf("%s, coupling below 1e-12: %v, error %v\n", c.Verdict, c.Coupling < 1e-12, err)
	}
	// Output:
	// separable, coupling below 1e-12: true, error <nil>
	// not-separable, coupling below 1e-12: false, error <nil>
}

// Coordinates that couple in pairs, tested as pairs, with random numbers of one's own.
func ExampleTest_Certify_blocks() {
	f := objective.Func(4, func(x []float64) float64 {
		return x[0]*math.Sin(x[1]) + x[2]*x[2]*x[3]
	})
	test := certify.Test{Random: rand.New(rand.NewPCG(1, 2))}
	for _, blocks := range [][][]int{{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}} {
		c, err := test.Certify(context.Background(), f, frame.Identity(4), blocks)
		fmt.Println(blocks, c.Verdict, err)
	}
	// Output:
	// [[0 1] [2 3]] blocks <nil>
	// [[0 2] [1 3]] not-separable <nil>
}

// Eighty queries are enough to say no.
func ExampleTest_Splits() {
	f := query.NewMeter(objective.Func(3, func(x []float64) float64 { return x[0] * x[1] * x[2] }), 1000)
	c, err := certify.Test{}.Splits(context.Background(), f, nil, nil)
	fmt.Println(c.Verdict, f.Queries(), err)
	// Output: not-separable 80 <nil>
}
