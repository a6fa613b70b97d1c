package strategy_test

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// A strategy needs a function and a budget, and nothing else. A Meter holds it to the
// budget, and a Record keeps the best point.
func Example() {
	f := objective.Func(2, func(x []float64) float64 { return (x[0]-0.5)*(x[0]-0.5) + (x[1]+0.25)*(x[1]+0.25) })
	meter := query.NewMeter(f, 2000)
	record := query.NewRecord(meter, query.Rules{Target: new(1e-10)}, nil)
	out, err := strategy.CMAES{}.Minimize(context.Background(), record, strategy.Task{Budget: 2000})
	fmt.Printf("%v, error %v, at %.4f\n", out.Status, err, record.Best().Point)
	// Output: target-reached, error <nil>, at [0.5000 -0.2500]
}
