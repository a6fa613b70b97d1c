// Command reference minimises by the library for Go what the tests in Python minimise, and
// prints the bits of what it has found.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

func main() {
	var given struct {
		Dim                int
		Bounds, Start      []float64 // of every coordinate; nil: none
		Points             [][]float64
		Budget, Parallel   int
		Seed               uint64
		Strategy, Function string
		Parameters         parameter.Space
		Target             *float64
		Tolerance, Noise   float64
		Frame              [][]float64
		Limit              *float64 // above which the first coordinate makes the function fail
	}
	check(json.Unmarshal([]byte(os.Args[1]), &given))
	o := untwist.Options{
		Points: given.Points, Budget: given.Budget, Parallel: given.Parallel, Seed: given.Seed, Target: given.Target, Tolerance: given.Tolerance,
		Parameters: given.Parameters, NoiseLevel: given.Noise,
	}
	if given.Strategy != "" {
		var err error
		o.Strategy, err = untwist.StrategyNamed(given.Strategy, untwist.Knobs{})
		check(err)
	}
	if given.Frame != nil {
		var err error
		o.Frame, err = frame.New(mat.NewDense(len(given.Frame), given.Dim, slices.Concat(given.Frame...)))
		check(err)
	}
	if given.Bounds != nil {
		o.Bounds = objective.Cube(given.Dim, given.Bounds[0], given.Bounds[1])
	}
	if given.Start != nil {
		o.Start = objective.Cube(given.Dim, given.Start[0], given.Start[1])
	}
	f := valleys
	if given.Limit != nil {
		f = func(x []float64) float64 {
			if x[0] > *given.Limit {
				return math.NaN()
			}
			return valleys(x)
		}
	}
	r, err := untwist.Minimize(context.Background(), objective.Func(given.Dim, f), o)
	check(err)
	out := struct {
		X       []uint64
		Fun     uint64
		Queries int
		Rounds  int
	}{Fun: math.Float64bits(r.Value), Queries: r.Queries, Rounds: r.Rounds}
	for _, v := range r.Point {
		out.X = append(out.X, math.Float64bits(v))
	}
	check(json.NewEncoder(os.Stdout).Encode(out))
}

// valleys is Σ ((y²−16)y + 5)y with y_i = x_i + x_{i+1}/2. Every operation is rounded, as it
// is in Python.
func valleys(x []float64) float64 {
	sum := 0.0
	for i, v := range x {
		y := v + float64(0.5*x[(i+1)%len(x)])
		t := float64(y*y) - 16
		t = float64(t*y) + 5
		sum += float64(t * y)
	}
	return sum
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
