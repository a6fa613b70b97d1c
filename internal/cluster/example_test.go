package cluster_test

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/internal/cluster"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A coordinator with a server of its own, and a worker. On another machine the worker would
// be another program.
func Example() {
	run := cluster.RunID{1}
	about := []byte(`"the sum of squares"`)
	server, err := cluster.Listen(run, "127.0.0.1:0", cluster.Access{})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	coordinator, err := server.Coordinate(cluster.Config{Run: run, Dim: 2, About: about})
	if err != nil {
		panic(err)
	}

	ended := make(chan error)
	go func() {
		ended <- cluster.Work(context.Background(), cluster.WorkerConfig{
			Server: server.URL(), About: about, Dim: 2, Procs: 2,
			Open: func(int) (objective.Objective, error) {
				return objective.Func(2, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] }), nil
			},
		})
	}()

	values := make([]float64, 3)
	err = coordinator.Evaluate(context.Background(), mat.NewDense(3, 2, []float64{0, 1, 2, 3, 4, 5}), values)
	fmt.Println(values, err)
	coordinator.Done()
	fmt.Println(<-ended)
	// Output:
	// [1 13 41] <nil>
	// <nil>
}
