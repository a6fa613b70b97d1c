// Gofunc minimises a function that is written in Go.
//
// A telescope has a mirror of eleven segments in a row. Ten of them can be moved up and down.
// White light from both sides of an edge interferes, and the edge is sharp when there is no step.
// A step of a whole wavelength looks nearly as good, so that each edge has many wells. Moving a
// segment changes the edges on both sides: in the positions of the segments nothing separates.
// In the steps between them it does, and Untwist finds out, from the sum of all edges alone.
//
// Run it:
//
//	go run ./examples/gofunc
//
// It prints:
//
//	blur    0.000000 after 3183 measurements, converged
//	moved   [-0.710 0.610 0.430 -1.510 -0.960 0.120 -0.810 -1.180 0.430 -0.820] µm
//	learnt  separable in 10 rotated coordinates (mixed differences are 4e-04 of single ones)
//	        each is made up of the segments [[5 6] [7 8] [1 2] [6 7] [4 5] [3 4] [8 9] [1] [2 3] [9 10]]
//	CMA-ES  1.341381 after 20000 measurements, budget-spent
//
// With the seeds 0 to 9 the blur comes to 0 each time, after 3,174 to 3,851 measurements. CMA-ES
// alone spends all 20,000 and ends between 0.73 and 2.14, with edges that are whole wavelengths off.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// steps are the steps at the edges before anything is moved, in µm. They are here to make the
// measurements. The search does not see them.
var steps = []float64{0.71, -1.32, 0.18, 1.94, -0.55, -1.08, 0.93, 0.37, -1.61, 1.25}

// blur measures the mirror with its segments moved by x: how far from sharp all edges are.
func blur(x []float64) float64 {
	const wavelength, coherence = 0.8, 2.0 // µm
	sum, left := 0.0, 0.0
	for j, right := range x {
		step := right - left + steps[j]
		fringe := (1 + math.Cos(2*math.Pi*step/wavelength)) / 2
		sum += 1 - fringe*math.Exp(-math.Pow(step/coherence, 2))
		left = right
	}
	return sum
}

// segments returns which segments have a part in each coordinate.
func segments(f *frame.Frame) (all [][]int) {
	for j := range f.Components() {
		var in []int
		for k, weight := range f.Matrix().RawRowView(j) {
			if math.Abs(weight) > 0.1 {
				in = append(in, k+1)
			}
		}
		all = append(all, in)
	}
	return all
}

func main() {
	f := objective.Func(len(steps), blur)
	options := untwist.Options{Bounds: objective.Cube(len(steps), -6, 6), Budget: 20_000}
	result, err := untwist.Minimize(context.Background(), f, options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("blur    %.6f after %d measurements, %v\n", result.Value, result.Queries, result.Status)
	fmt.Printf("moved   %.3f µm\n", result.Point)
	if s := result.Structure; s != nil && s.Frame != nil { // nil: the budget was too small to look
		fmt.Printf("learnt  %v\n", s)
		fmt.Printf("        each is made up of the segments %v\n", segments(s.Frame))
	}

	options.Strategy = strategy.CMAES{} // the default is auto
	if result, err = untwist.Minimize(context.Background(), f, options); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("CMA-ES  %.6f after %d measurements, %v\n", result.Value, result.Queries, result.Status)
}
