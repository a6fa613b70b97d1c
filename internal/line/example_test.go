package line_test

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// f separates along u = (1, 1) and v = (1, -1): with x = a u + b v it is a
// double well in a, deepest near a = -1, and a bowl in b that has its bottom
// outside the range, at b = 7. The range is widened until it is found.
func ExampleMinimize() {
	f := objective.Func(2, func(x []float64) float64 {
		a, b := (x[0]+x[1])/2, (x[0]-x[1])/2
		return math.Pow(a*a-1, 2) + a/10 + math.Pow(b-7, 2)
	})
	directions := mat.NewDense(2, 2, []float64{1, 1, 1, -1})
	everywhere := line.Range{Lo: -2, Hi: 2, Step: 0.2, Least: math.Inf(-1), Most: math.Inf(1)}
	profiles, err := line.Minimize(context.Background(), f, []float64{0, 0}, 50, directions, []line.Range{everywhere, everywhere}, line.Config{})
	for _, p := range profiles {
		fmt.Printf("line %d:", p.Component)
		for _, w := range p.Wells {
			fmt.Printf(" %.2f at %.2f", w.Value, w.Y)
		}
		fmt.Println()
	}
	fmt.Println("error", err)
	// Output:
	// line 0: 48.90 at -1.01 49.10 at 0.99
	// line 1: 1.00 at 7.00
	// error <nil>
}
