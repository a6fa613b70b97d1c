// Network trains a neural network of one hidden layer, without gradients.
//
// It has two inputs, four hidden neurons and one output: 17 weights. It learns to tell two
// half-moons apart that reach into each other. The loss couples all weights, and the neurons
// may be exchanged. So it does not separate in any coordinates, and this is not what Untwist is
// best at. It finds out, and goes on with CMA-ES.
//
// Run it:
//
//	go run ./examples/network
//
// It prints:
//
//	queries      auto     cmaes  (the median loss of 3 seeds)
//	   2000  0.021713  0.022240
//	   8000  0.021620  0.021713
//	  20000  0.021620  (one seed)
//	learnt: not separable in any coordinates that were tried (mixed differences are 8e-01 of single ones); 20,000 queries: 3,140 to find coordinates, 80 to check them, 79 straight down, 16,701 by CMA-ES or CBO
//	0 of 1000 new points are put into the wrong class
//
// Descents find a better minimum than CMA-ES alone, with 2,000 queries and with 8,000. If you have gradients, train with
// them.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

const (
	hidden  = 4            // neurons: of each, two inputs, a threshold and an output
	weights = 4*hidden + 1 // and a threshold of the output
)

// network is above 0 where it takes a point for the first class.
func network(w []float64, x, y float64) float64 {
	out := w[4*hidden]
	for i := range hidden {
		n := w[4*i:]
		out += n[3] * math.Tanh(n[0]*x+n[1]*y+n[2])
	}
	return out
}

// A sample is a point with its class, 1 or -1.
type sample struct{ x, y, class float64 }

// moons returns n points of each half-moon.
func moons(n int) (all []sample) {
	for i := range n {
		t := math.Pi * float64(i) / float64(n-1)
		r := 1 + 0.15*math.Sin(float64(7*i*i)) // no moon is a line
		all = append(all, sample{r * math.Cos(t), r * math.Sin(t), 1}, sample{1 - r*math.Cos(t), 0.4 - r*math.Sin(t), -1})
	}
	return all
}

// loss is the logistic loss over the samples, with a small price for large weights.
func loss(samples []sample) objective.Objective {
	return objective.Func(weights, func(w []float64) float64 {
		sum, size := 0.0, 0.0
		for _, s := range samples {
			sum += math.Log1p(math.Exp(-s.class * network(w, s.x, s.y)))
		}
		for _, v := range w {
			size += v * v
		}
		return sum/float64(len(samples)) + 1e-4*size
	})
}

// train trains with so many queries.
func train(s strategy.Strategy, budget int, seed uint64) untwist.Result {
	r, err := untwist.Minimize(context.Background(), loss(moons(20)), untwist.Options{Strategy: s, Budget: budget, Seed: seed})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// median returns the median loss of 3 seeds.
func median(s strategy.Strategy, budget int) float64 {
	var losses []float64
	for seed := range uint64(3) {
		losses = append(losses, train(s, budget, seed).Value)
	}
	slices.Sort(losses)
	return losses[1]
}

func main() {
	fmt.Println("queries      auto     cmaes  (the median loss of 3 seeds)")
	for _, budget := range []int{2000, 8000} {
		fmt.Printf("%7d  %.6f  %.6f\n", budget, median(nil, budget), median(strategy.CMAES{}, budget))
	}
	result := train(nil, 20_000, 0)
	fmt.Printf("%7d  %.6f  (one seed)\n", result.Queries, result.Value)
	fmt.Println("learnt:", result)

	wrong, fresh := 0, moons(500)
	for _, s := range fresh {
		if s.class*network(result.Point, s.x, s.y) < 0 {
			wrong++
		}
	}
	fmt.Printf("%d of %d new points are put into the wrong class\n", wrong, len(fresh))
}
