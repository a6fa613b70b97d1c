package untwist_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/optimize/functions"
)

// A function with many wells along two skewed directions that nobody told us.
func hidden(x []float64) float64 {
	well := func(y float64) float64 { return y*y + 10*(1-math.Cos(2*math.Pi*y)) }
	return well(0.8*(x[0]-1)+0.6*(x[1]+2)) + well(0.3*(x[0]-1)-0.9*(x[1]+2))
}

func ExampleMinimize() {
	result, err := untwist.Minimize(context.Background(), objective.Func(2, hidden), untwist.Options{Budget: 5_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("f = %.6f at %.4f, %v\n", result.Value, result.Point, result.Status)
	fmt.Println(result.Structure.Certificate.Verdict, "in", result.Structure.Frame.Components(), "coordinates")
	// Output:
	// f = 0.000000 at [1.0000 -2.0000], converged
	// separable in 2 coordinates
}

// Your own loop evaluates the points, wherever and however it likes.
func ExampleAsk() {
	session, err := untwist.Ask(context.Background(), 2, untwist.Options{Budget: 5_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	for points, done := session.Ask(); !done; points, done = session.Ask() {
		n, _ := points.Dims()
		values := make([]float64, n)
		for i := range values {
			values[i] = hidden(points.RawRowView(i))
		}
		if err := session.Tell(values); err != nil {
			fmt.Println(err)
			return
		}
	}
	result, err := session.Result()
	fmt.Printf("f = %.6f at %.4f, %v, error %v\n", result.Value, result.Point, result.Status, err)
	// Output:
	// f = 0.000000 at [1.0000 -2.0000], converged, error <nil>
}

// Untwist is a method of gonum's package optimize.
func ExampleMethod() {
	problem := optimize.Problem{Func: functions.Rastrigin{}.Func}
	x0 := []float64{3.2, -1.7, 4.1, 0.9, -2.6}
	settings := &optimize.Settings{Concurrent: 4, FuncEvaluations: 10_000}
	method := &untwist.Method{Options: untwist.Options{Bounds: objective.Cube(5, -5.12, 5.12), Budget: 10_000}}
	result, err := optimize.Minimize(problem, x0, settings, method)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("f = %.6f, %v\n", result.F, result.Status)
	own, _ := method.Result()
	fmt.Println(own.Structure.Certificate.Verdict)
	// Output:
	// f = 0.000000, MethodConverge
	// separable
}

func ExampleProbe() {
	found, err := untwist.Probe(context.Background(), objective.Func(2, hidden), untwist.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Certificate.Verdict)
	w := found.Frame.Matrix()
	for j := range found.Frame.Components() {
		fmt.Printf("%.2f\n", math.Abs(w.At(j, 1)/w.At(j, 0)))
	}
	// Unordered output:
	// separable
	// 0.75
	// 3.00
}

// The paper's second method, with coordinates found in the paper's way.
func ExampleOptions() {
	result, err := untwist.Minimize(context.Background(), objective.Func(2, hidden), untwist.Options{
		Strategy:   strategy.Transformed{},
		Identifier: identify.Paper{},
		Start:      objective.Cube(2, -5.12, 5.12),
		Budget:     20_000,
		Target:     new(0.005),
	})
	fmt.Println(result.Status, err)
	// Output: target-reached <nil>
}

// A run with a journal goes on where it stood, whatever has ended it.
func ExampleMinimize_journal() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	calls := 0
	f := objective.Func(2, func(x []float64) float64 {
		calls++
		return (x[0]-1)*(x[0]-1) + (x[1]+2)*(x[1]+2)
	})
	o := untwist.Options{Budget: 30, Strategy: strategy.CMAES{}}
	o.Journal.File = filepath.Join(dir, "run.journal")
	for _, budget := range []int{30, 30, 50} {
		o.Budget = budget
		r, err := untwist.Minimize(context.Background(), f, o)
		fmt.Println(r.Queries, "queries,", r.Resumed, "from the journal,", calls, "calls,", err)
	}
	// Output:
	// 30 queries, 0 from the journal, 30 calls, <nil>
	// 30 queries, 30 from the journal, 30 calls, <nil>
	// 50 queries, 30 from the journal, 50 calls, <nil>
}
