package program_test

import (
	"context"
	"fmt"
	"log"

	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A program that is started for every point and prints its value. It fails if a is
// negative.
func Example() {
	words, err := program.Split(`sh -c 'test "$1" -ge 0 || { echo "no such mesh" >&2; exit 3; }; echo "cost $(($1 * $1 + $2))"' sh {a} {b}`)
	if err != nil {
		log.Fatal(err)
	}
	none := 0
	f, err := program.New(program.Config{Exec: words, Names: []string{"a", "b"}, KeepFailed: &none})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()

	points := mat.NewDense(3, 2, []float64{3, 4, -1, 0, 5, 6})
	values := make([]float64, 3)
	err = f.Each(context.Background(), points, values, func(i int, a objective.Answer) {
		if a.Failure != nil {
			fmt.Printf("point %d: %v\n", i+1, a.Failure)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values)
	// Output:
	// point 2: exit status 3: no such mesh
	// [13 +Inf 31]
}

// An optimiser that asks for two points and is done.
func ExampleOptimizer() {
	o, err := program.NewOptimizer(program.OptimizerConfig{
		Exec: `sh -c 'read -r task; echo "{\"points\":[[1,2],[3,4]]}"; read -r values'`,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer o.Close()

	f := objective.Func(2, func(x []float64) float64 {
		fmt.Println(x)
		return x[0]*x[0] + x[1]*x[1]
	})
	if err := o.Minimize(context.Background(), f, objective.Cube(2, -5, 5), 100, 1); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [1 2]
	// [3 4]
}
