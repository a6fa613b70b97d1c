package auto_test

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Auto finds the coordinates x₁ + x₂ and x₁ − x₂ of a function with many minima.
func Example() {
	ripple := func(y float64) float64 { return 4*y*y - math.Cos(9*y) + 1 }
	f := objective.Func(2, func(x []float64) float64 { return ripple(x[0]+x[1]-0.8) + 2*ripple(x[0]-x[1]) })
	record := query.NewRecord(query.NewMeter(f, 20_000), query.Rules{}, nil)
	out, err := auto.Auto{}.Minimize(context.Background(), record, strategy.Task{Budget: 20_000})
	fmt.Printf("%v, error %v, at %.4f\n", out.Status, err, record.Best().Point)
	fmt.Printf("%s, %d blocks\n", out.Learnt.Finding.Certificate.Verdict, len(out.Learnt.Finding.Blocks))
	// Output:
	// converged, error <nil>, at [0.4000 0.4000]
	// separable, 2 blocks
}
