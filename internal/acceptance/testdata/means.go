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
	"gonum.org/v1/gonum/mat"
)

func main() {
	seeds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range []int{10, 20} {
		var sums [2]float64
		for _, k := range os.Args[2:] {
			var all [2][]float64
			for seed := range uint64(seeds) {
				for i, g := range gaps(problem.Spec{Name: "bbob-" + k, Dim: d, Seed: seed}, 50*d, 100*d) {
					all[i] = append(all[i], g)
				}
			}
			for i := range all {
				slices.Sort(all[i])
				sums[i] += math.Log(all[i][len(all[i])/2]) / float64(len(os.Args[2:]))
			}
		}
		fmt.Printf("%.4g\n%.4g\n", math.Exp(sums[0]), math.Exp(sums[1]))
	}
}

// gaps are how far auto has come with so many queries and at the end of its budget, at least 1e-8. The start box is that of
// TestSmallBudgets.
func gaps(spec problem.Spec, early, budget int) [2]float64 {
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
	before, n := math.Inf(1), 0
	f := objective.Func(spec.Dim, func(x []float64) float64 {
		v := []float64{0}
		if err := p.Evaluate(context.Background(), mat.NewDense(1, len(x), x), v); err != nil {
			log.Fatal(err)
		}
		if n++; n <= early {
			before = min(before, v[0])
		}
		return v[0]
	})
	r, err := untwist.Minimize(context.Background(), f, untwist.Options{Seed: spec.Seed, Budget: budget, Start: objective.Box{Lo: lo, Hi: hi}})
	if err != nil {
		log.Fatal(err)
	}
	return [2]float64{max(before-p.Minimum(), 1e-8), max(r.Value-p.Minimum(), 1e-8)}
}
