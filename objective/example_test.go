package objective_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A function of one point becomes an objective that evaluates many points.
func ExampleFunc() {
	f := objective.Func(2, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] })
	values := make([]float64, 2)
	err := f.Evaluate(context.Background(), mat.NewDense(2, 2, []float64{0, 1, 3, 4}), values)
	fmt.Println(values, err)
	// Output: [1 25] <nil>
}

// These are wrappers that a run uses, stacked as a run stacks them.
func Example() {
	f := objective.Func(1, func(x []float64) float64 { return math.Sqrt(x[0]) })
	meter := query.NewMeter(query.NewPool(query.NewGuard(f), 2), 5)
	record := query.NewRecord(meter, query.Rules{}, nil)
	scale := query.NewScale(record, objective.Cube(1, 0, 100), objective.Cube(1, -100, 100))

	z := mat.NewDense(4, 1, []float64{1, 0, -1, -2}) // x = 100, 50, 0 and -50
	values := make([]float64, 4)
	err := scale.Evaluate(context.Background(), z, values)
	fmt.Printf("%.3g %v\n", values, err)
	failed, at, why := record.Failures()
	fmt.Println("best", record.Best().Point, "failed", failed.Total(), "at", at, "since", why)

	err = scale.Evaluate(context.Background(), z, values)
	fmt.Println(err, "after", meter.Queries(), "queries")
	// Output:
	// [10 7.07 0 +Inf] <nil>
	// best [0] failed 1 at [-50] since the value is NaN
	// the budget of queries is spent after 5 queries
}

// simulator is an objective that knows how far a batch has come when its licence
// expires.
type simulator struct{ left int }

func (*simulator) Dim() int { return 1 }
func (s *simulator) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	for i := range values {
		if s.left == 0 {
			return &objective.PartialError{Done: i, Spent: i, Err: errors.New("no licence")}
		}
		s.left--
		values[i] = points.At(i, 0)
	}
	return nil
}

// Values that were known before a failure are not lost.
func ExamplePartialError() {
	values := make([]float64, 5)
	err := (&simulator{left: 3}).Evaluate(context.Background(), mat.NewDense(5, 1, []float64{7, 6, 5, 4, 3}), values)
	fmt.Println(values[:query.Evaluated(values, err)], err)
	// Output: [7 6 5] no licence
}

// A function that can fail: the run goes on after a failed point.
func ExampleFallible() {
	f := objective.Fallible(1, func(ctx context.Context, x []float64) (float64, error) {
		if x[0] < 0 {
			return 0, errors.New("negative mass")
		}
		return x[0], nil
	})
	values := make([]float64, 3)
	err := query.Each(context.Background(), f, mat.NewDense(3, 1, []float64{1, -1, 2}), values, func(i int, a objective.Answer) {
		if a.Failure != nil {
			fmt.Printf("point %d failed: %v\n", i+1, a.Failure)
		}
	})
	fmt.Println(values, err)
	// Output:
	// point 2 failed: negative mass
	// [1 +Inf 2] <nil>
}
