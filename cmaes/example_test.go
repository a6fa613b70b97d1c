package cmaes_test

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

var ctx = context.Background()

// ellipsoid is Σ 10^(6j/(n−1)) x_j², a bowl whose axes differ a thousandfold.
func ellipsoid(x []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += math.Pow(10, 6*float64(j)/float64(len(x)-1)) * v * v
	}
	return sum
}

// wells is Σ x_j² + 10(1 − cos 2πx_j): a well at each integer, the deepest at 0.
func wells(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v*v + 10*(1-math.Cos(2*math.Pi*v))
	}
	return sum
}

// One descent, from (3, …, 3).
func ExampleRun() {
	r, err := cmaes.Run(ctx, objective.Func(5, ellipsoid), cmaes.Config{Mean: slices.Repeat([]float64{3}, 5), Sigma: 1, Seed: 1})
	fmt.Printf("%.6f, %v, error %v\n", r.Value, r.Status, err)
	// Output:
	// 0.000000, converged, error <nil>
}

// One descent may end in any well; a series finds the deepest. The zero value is
// BIPOP from means in [-1, 1]^n.
func ExampleSeries() {
	f := query.NewMeter(objective.Func(4, wells), 100_000)
	r, err := cmaes.Series{Box: objective.Cube(4, -5, 5), Run: cmaes.Config{Sigma: 3}}.Minimize(ctx, f)
	fmt.Printf("%.6f, error %v\n", r.Value, err)
	// Output:
	// 0.000000, error <nil>
}

// A schedule plans the runs of a series. IPOP doubles the population each time.
func ExampleIPOP() {
	series := cmaes.Series{
		Box: objective.Cube(2, -5, 5), Run: cmaes.Config{Sigma: 3, Population: 6},
		Schedule: cmaes.IPOP{Restarts: 4},
		Began:    func(p cmaes.Plan) { fmt.Println(p.Regime, p.Population) },
	}
	r, err := series.Minimize(ctx, objective.Func(2, wells))
	fmt.Printf("%.6f, error %v\n", r.Value, err)
	// Output:
	// first 6
	// large 12
	// large 24
	// large 48
	// large 96
	// 0.000000, error <nil>
}

// queries returns how many queries it takes to bring an ellipsoid of 20 dimensions
// below 1e-8.
func queries(form cmaes.Covariance) int {
	f := query.NewRecord(query.NewMeter(objective.Func(20, ellipsoid), 1_000_000), query.Rules{Target: new(1e-8)}, nil)
	cfg := cmaes.Config{Mean: slices.Repeat([]float64{3}, 20), Sigma: 1, Covariance: form}
	if _, err := cmaes.Run(ctx, f, cfg); err != nil {
		fmt.Println(err)
	}
	return f.TargetAt()
}

// A function that separates in the given coordinates is learnt faster if only the
// diagonal of C is kept.
func ExampleDiagonal() {
	fmt.Println("less than half of the queries:", 2*queries(cmaes.Diagonal{}) < queries(cmaes.Cholesky{}))
	// Output:
	// less than half of the queries: true
}

// The symmetric root is the factor that the tutorial uses. It takes as many queries as the
// triangular factor, and more time for each.
func ExampleRoot() {
	ratio := float64(queries(cmaes.Root{})) / float64(queries(cmaes.Cholesky{}))
	fmt.Println("as many queries, to a fifth:", math.Abs(ratio-1) < 0.2)
	// Output:
	// as many queries, to a fifth: true
}
