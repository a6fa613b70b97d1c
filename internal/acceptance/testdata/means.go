// Means is compiled by TestConstantsOfSmallBudgets with constants that are others. It prints the geometric mean of the median gaps
// of auto with 50d and with 100d queries, in 10 and in 20 dimensions; it is called with how many seeds, and the numbers of BBOB functions.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

func main() {
	seeds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range []int{10, 20} {
		for _, per := range []int{50, 100} {
			sum := 0.0
			for _, k := range os.Args[2:] {
				var gaps []float64
				for seed := range uint64(seeds) {
					gaps = append(gaps, gap(problem.Spec{Name: "bbob-" + k, Dim: d, Seed: seed}, per*d))
				}
				slices.Sort(gaps)
				sum += math.Log(gaps[len(gaps)/2]) / float64(len(os.Args[2:]))
			}
			fmt.Printf("%.4g\n", math.Exp(sum))
		}
	}
}

// gap is how far auto comes, at least 1e-8. The start box is that of TestSmallBudgets.
func gap(spec problem.Spec, budget int) float64 {
	p, err := problem.New(spec)
	if err != nil {
		log.Fatal(err)
	}
	box, stream := p.Domain(), rng.Seed(spec.Seed).Stream("start box")
	lo, hi := slices.Clone(box.Lo), slices.Clone(box.Hi)
	for i := range lo {
		by := (2*stream.Float64() - 1) * (hi[i] - lo[i]) / 5
		lo[i], hi[i] = lo[i]+by, hi[i]+by
	}
	r, err := untwist.Minimize(context.Background(), p, untwist.Options{Seed: spec.Seed, Budget: budget, Start: objective.Box{Lo: lo, Hi: hi}})
	if err != nil {
		log.Fatal(err)
	}
	return max(r.Value-p.Minimum(), 1e-8)
}
