// Command reference minimises by the library for Go what the tests in Python minimise, and
// prints the bits of what it has found.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/parameter"
)

func main() {
	var given struct {
		Dim                int
		Bounds, Start      []float64 // of every coordinate; nil: none
		Points             [][]float64
		Budget, Parallel   int
		Seed               uint64
		Strategy, Function string
		Log                bool
		Target             *float64
		Tolerance          float64
	}
	check(json.Unmarshal([]byte(os.Args[1]), &given))
	o := untwist.Options{
		Points: given.Points, Budget: given.Budget, Parallel: given.Parallel, Seed: given.Seed, Target: given.Target, Tolerance: given.Tolerance,
	}
	if given.Strategy != "" {
		var err error
		o.Strategy, err = untwist.StrategyNamed(given.Strategy, untwist.Knobs{})
		check(err)
	}
	switch {
	case given.Log:
		for i := range given.Dim {
			o.Parameters = append(o.Parameters, parameter.Parameter{Name: fmt.Sprint("p", i), Min: &given.Bounds[0], Max: &given.Bounds[1], Log: true})
		}
	case given.Bounds != nil:
		o.Bounds = objective.Cube(given.Dim, given.Bounds[0], given.Bounds[1])
	}
	if given.Start != nil {
		o.Start = objective.Cube(given.Dim, given.Start[0], given.Start[1])
	}
	r, err := untwist.Minimize(context.Background(), objective.Func(given.Dim, valleys), o)
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
