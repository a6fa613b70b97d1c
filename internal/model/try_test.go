package model_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/model"
	"github.com/untwist/untwist/internal/query"
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
	trySum   = flag.Int("trysum", 0, "summaries over so many seeds")
	tryFrom  = flag.Int("tryfrom", 0, "first seed")
	tryTrace = flag.Bool("trytrace", false, "trace")
)

type tried struct {
	name, text string
	found      *model.Result
	worst, mid float64
	right      bool
}

func try(t *testing.T, name string, sigma float64, seed int) tried {
	spec := problem.Spec{Name: name, Dim: *tryDim, Components: *tryM, Seed: uint64(seed), Mix: *tryMix}
	spec.Noise, spec.Map, spec.Coupling = sigma, *tryMap, *tryCoup
	p, err := problem.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := grains.Measure(t.Context(), p, p.Domain(), rng.Seed(uint64(seed)).Stream("grain"))
	r := model.Request{Box: p.Domain(), Bounds: objective.Cube(*tryDim, math.Inf(-1), math.Inf(1)), Grain: g, Seed: uint64(seed), Budget: 60000}
	if *tryBounded {
		r.Bounds = r.Box
	}
	if *tryTrace {
		r.Trace = os.Stdout
	}
	found, err := model.Identify(t.Context(), query.NewMeter(p, 1<<30), r)
	out := tried{name: name, found: found, worst: -1, mid: -1}
	if found.W != nil {
		out.worst, out.mid = rowErrors(p.Frame().Matrix(), found.W)
		if name == "squared-norm" && *tryM == 0 {
			out.worst = quadraticError(p.Frame().Matrix(), found.W)
		}
		out.right = out.worst < 0.01
	}
	out.text = fmt.Sprintf("%s d=%d m=%d σ=%g seed %d %s %s | %s %d  %.1e %.1e | K %d θ %.2g %.2g κ %.1e %v", name, *tryDim, *tryM, sigma, seed, *tryMap, *tryMix, found.Verdict, found.Queries, out.worst, out.mid, found.Looks, found.Theta.Gamma, found.Theta.Beta, found.Coupling, err)
	return out
}

var tryBounded = flag.Bool("trybounded", false, "bounds are the box")

func TestTry(t *testing.T) {
	for _, name := range strings.Split(*tryNames, ",") {
		if name == "" {
			continue
		}
		for _, sg := range strings.Split(*trySigma, ",") {
			sigma, _ := strconv.ParseFloat(sg, 64)
			if *trySum == 0 {
				for _, sd := range strings.Split(*trySeeds, ",") {
					seed, _ := strconv.Atoi(sd)
					fmt.Println(try(t, name, sigma, seed).text)
				}
				continue
			}
			all := make([]tried, *trySum)
			var wait sync.WaitGroup
			next := make(chan int)
			for range 2 {
				wait.Go(func() {
					for k := range next {
						all[k] = try(t, name, sigma, *tryFrom+k)
					}
				})
			}
			for k := range all {
				next <- k
			}
			close(next)
			wait.Wait()
			good, wrong, queries, bad := 0, 0, []float64{}, ""
			for k, o := range all {
				sep := o.found.Verdict == model.Separable
				if sep && o.right {
					good++
					queries = append(queries, float64(o.found.Queries))
				} else {
					bad += fmt.Sprintf(" %d:%s/%d/%.0e", *tryFrom+k, o.found.Verdict[:3], o.found.Queries, o.worst)
				}
				if sep && !o.right {
					wrong++
				}
			}
			slices.Sort(queries)
			most := 0.
			if len(queries) > 0 {
				most = queries[len(queries)-1]
			}
			fmt.Printf("%-16s d=%d m=%d σ=%-6s %s %s | %2d/%d wrong %d median %6.0f most %6.0f |%s\n", name, *tryDim, *tryM, sg, *tryMap, *tryMix, good, len(all), wrong, model.Median(queries), most, bad)
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
