package model_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

var (
	tryNames = flag.String("try", "", "problems")
	trySigma = flag.String("sigma", "0", "noise levels")
	trySeeds = flag.String("tryseeds", "0,1", "seeds")
	tryMap   = flag.String("trymap", "", "map")
	tryMix   = flag.String("trymix", "", "mix")
	tryDim   = flag.Int("trydim", 20, "d")
	tryM     = flag.Int("trym", 0, "m")
	tryCoup  = flag.Float64("trycoup", 0, "coupling")
	tryTrace = flag.Bool("trytrace", false, "trace")
)

func TestTry(t *testing.T) {
	for _, name := range strings.Split(*tryNames, ",") {
		if name == "" {
			continue
		}
		for _, sg := range strings.Split(*trySigma, ",") {
			sigma, _ := strconv.ParseFloat(sg, 64)
			for _, sd := range strings.Split(*trySeeds, ",") {
				seed, _ := strconv.Atoi(sd)
				spec := problem.Spec{Name: name, Dim: *tryDim, Components: *tryM, Seed: uint64(seed), Mix: *tryMix}
				spec.Noise, spec.Map, spec.Coupling = sigma, *tryMap, *tryCoup
				p, err := problem.New(spec)
				if err != nil {
					t.Fatal(err)
				}
				g, _ := grains.Measure(t.Context(), p, p.Domain(), rng.Seed(uint64(seed)).Stream("grain"))
				r := model.Request{Box: p.Domain(), Bounds: objective.Cube(*tryDim, math.Inf(-1), math.Inf(1)), Grain: g, Seed: uint64(seed), Budget: 60000}
				if *tryTrace {
					r.Trace = os.Stdout
				}
				found, err := model.Identify(t.Context(), p, r)
				worst, mid := -1., -1.
				if found.W != nil {
					worst, mid = rowErrors(p.Frame().Matrix(), found.W)
					if name == "squared-norm" {
						worst = quadraticError(p.Frame().Matrix(), found.W)
					}
				}
				fmt.Printf("%s d=%d m=%d σ=%s seed %d %s %s | %s %d  %.1e %.1e | K %d θ %.2g %.2g κ %.1e %v\n", name, *tryDim, *tryM, sg, seed, *tryMap, *tryMix, found.Verdict, found.Queries, worst, mid, found.Looks, found.Theta.Gamma, found.Theta.Beta, found.Coupling, err)
			}
		}
	}
}

// rowErrors returns the largest and the median distance of a true row from the nearest found.
func rowErrors(truth, w *mat.Dense) (worst, mid float64) {
	n, _ := truth.Dims()
	m, _ := w.Dims()
	var all []float64
	for i := range n {
		best := math.Inf(1)
		a := truth.RawRowView(i)
		na := math.Sqrt(kernel.Dot(a, a))
		for j := range m {
			b := w.RawRowView(j)
			nb := math.Sqrt(kernel.Dot(b, b))
			c := kernel.Dot(a, b) / na / nb
			s := 1.
			if c < 0 {
				s = -1
			}
			sum := 0.0
			for k := range a {
				sum += (a[k]/na - s*b[k]/nb) * (a[k]/na - s*b[k]/nb)
			}
			best = min(best, math.Sqrt(sum))
		}
		all = append(all, best)
		worst = max(worst, best)
	}
	return worst, model.Median(all)
}

func quadraticError(truth, w *mat.Dense) float64 {
	var inv mat.Dense
	if inv.Inverse(w) != nil {
		return math.Inf(1)
	}
	a := kernel.Times(truth, mat.DenseCopyOf(&inv))
	h := kernel.Times(mat.DenseCopyOf(a.T()), a)
	m, _ := h.Dims()
	worst := 0.0
	for i := range m {
		for j := range m {
			if i != j {
				worst = max(worst, math.Abs(h.At(i, j))/math.Sqrt(h.At(i, i)*h.At(j, j)))
			}
		}
	}
	return worst
}
