package problem_test

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// The Rastrigin function of five mixed coordinates, drawn from seed 1, at 0 and at
// its minimiser.
func ExampleNew() {
	p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: 5, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	points := mat.NewDense(2, 5, nil)
	points.SetRow(1, p.Minimiser())
	values := make([]float64, 2)
	err = p.Evaluate(context.Background(), points, values)
	fmt.Println(p)
	fmt.Println("above the minimum at 0:", values[0] > p.Minimum())
	fmt.Printf("above it at the minimiser by %.6f, error %v\n", values[1]-p.Minimum(), err)
	// Output:
	// rastrigin, 5 dimensions, 5 components, mix paper, seed 1
	// above the minimum at 0: true
	// above it at the minimiser by 0.000000, error <nil>
}

// The same function within a logarithm, with noise and six digits: what a search sees, and
// what it is measured by.
func ExampleBlemishes() {
	p, err := problem.New(problem.Spec{
		Name: "rastrigin", Dim: 5, Seed: 1,
		Blemishes: problem.Blemishes{Map: "log", Noise: 0.01, Digits: 6},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	points := mat.NewDense(2, 5, nil) // the same point twice
	seen, clean := make([]float64, 2), make([]float64, 2)
	err = p.Evaluate(context.Background(), points, seen)
	fmt.Println(p)
	fmt.Println(seen, err)
	err = p.Clean(context.Background(), points, clean)
	fmt.Println(clean[0] == clean[1], err)
	// Output:
	// rastrigin, 5 dimensions, 5 components, mix paper, seed 1, map=log noise=0.01 digits=6
	// [0.937316 0.935023] <nil>
	// true <nil>
}

// The first problems of the catalogue.
func ExampleCatalogue() {
	for _, e := range problem.Catalogue()[:3] {
		fmt.Println(e.Name, "–", e.Structure)
	}
	// Output:
	// rastrigin – separable
	// rastrigin-like – separable
	// squared-norm – separable
}

// The BBOB functions, and those among them that are maps of separable ones.
func ExampleSuite() {
	bbob, err := problem.Suite("bbob")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(bbob), "functions, from", bbob[0], "to", bbob[len(bbob)-1])
	for _, e := range problem.Catalogue() {
		if e.Map != "" {
			fmt.Println(e.Name, "is", e.Map)
		}
	}
	// Output:
	// 24 functions, from bbob-1 to bbob-24
	// bbob-6 is T_osc(t)^0.9 of a sum over the coordinates QΛ^10 Rx
	// bbob-14 is √t of a sum over the coordinates Rx
	// bbob-23 is 10/d² (exp(t) − 1) of a sum over the coordinates QΛ^100 Rx, where f_pen(x) = 0: within [−5, 5]^d
}
