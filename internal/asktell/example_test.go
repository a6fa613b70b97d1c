package asktell_test

import (
	"context"
	"fmt"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// CMA-ES asks, and the loop outside answers when it likes.
func ExampleNew() {
	talk := asktell.New(2, func(f objective.Objective) error {
		_, err := cmaes.Run(context.Background(), f, cmaes.Config{})
		return err
	})
	defer talk.Stop()
	var best query.Best
	for points := talk.Ask(); points != nil; points = talk.Ask() {
		n, _ := points.Dims()
		values := make([]float64, n)
		for i := range values {
			x := points.RawRowView(i)
			values[i] = (x[0]-1)*(x[0]-1) + (x[1]+2)*(x[1]+2)
		}
		best.OfferAll(points, values)
		talk.Tell(values, nil)
	}
	fmt.Printf("%.3f at %.3f, error %v\n", best.Value, best.Point, talk.Err())
	// Output:
	// 0.000 at [1.000 -2.000], error <nil>
}

// Two algorithms advance together, so that their points make one batch.
func ExampleWanted() {
	descent := func(seed uint64) func(objective.Objective) error {
		return func(f objective.Objective) error {
			_, err := cmaes.Run(context.Background(), f, cmaes.Config{Seed: seed, Population: 6, Stop: cmaes.Stop{Queries: 18}})
			return err
		}
	}
	talks := []*asktell.Talk{asktell.New(1, descent(1)), asktell.New(1, descent(2))}
	for _, t := range talks {
		defer t.Stop()
	}
	for {
		wants, err := asktell.Wanted(talks)
		if len(wants) == 0 || err != nil {
			fmt.Println("the end, error", err)
			return
		}
		values := make([]float64, len(wants))
		for i, w := range wants {
			values[i] = w.Point[0] * w.Point[0]
		}
		fmt.Println(len(values), "points")
		asktell.TellAll(talks, values)
	}
	// Output:
	// 12 points
	// 12 points
	// 12 points
	// the end, error <nil>
}
