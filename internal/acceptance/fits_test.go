package acceptance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/objective"
)

// fitPeers are local methods that begin again and again, and one that is global; all are of examples.
var fitPeers = []string{
	"local_optimizers.py slsqp", "local_optimizers.py l-bfgs-b", "local_optimizers.py bobyqa", "scipy_optimizers.py dual_annealing",
}

// fitGaps returns how far a method is above the minimum next to the truth after each of some budgets; below 1e-3, where
// the sum of squares is some dozens, nobody would notice.
func fitGaps(t *testing.T, f fit, by string, seed uint64, minimum float64, budgets []int) []float64 {
	t.Helper()
	last, box := budgets[len(budgets)-1], objective.Box{Lo: f.lo, Hi: f.hi}
	if by == "auto" && len(budgets) > 1 { // it plans with its budget
		return append(fitGaps(t, f, by, seed, minimum, budgets[:len(budgets)-1]), fitGaps(t, f, by, seed, minimum, budgets[len(budgets)-1:])...)
	}
	seen := &falling{Objective: f.objective()}
	if by == "auto" {
		if _, err := untwist.Minimize(ctx, seen, untwist.Options{Seed: seed, Budget: last, Start: box}); err != nil {
			t.Fatal(f.name, err)
		}
	} else {
		o, err := program.NewOptimizer(program.OptimizerConfig{Exec: "/usr/bin/python3 ../../examples/" + by})
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if err := o.Minimize(ctx, query.NewMeter(seen, last), box, last, seed); err != nil && !errors.Is(err, objective.ErrBudget) {
			t.Fatal(f.name, by, err)
		}
	}
	var gaps []float64
	for _, b := range budgets {
		gaps = append(gaps, max(seen.gap(b, minimum), 1e-3))
	}
	return gaps
}

// besideTruth returns the minimum next to the truth.
func (f fit) besideTruth(t *testing.T) float64 {
	t.Helper()
	descent, err := untwist.StrategyNamed("descent", untwist.Knobs{})
	if err != nil {
		t.Fatal(err)
	}
	return least(t, f.objective(), untwist.Options{Strategy: descent, Budget: 4000, Points: [][]float64{f.truth}, Start: objective.Box{Lo: f.lo, Hi: f.hi}})
}

// With 20·d, 50·d and 150·d queries auto is not worse than the best of its peers at any calibration, and better than each in the
// mean. With -whole -v it prints the table.
func TestFits(t *testing.T) {
	if exec.Command("/usr/bin/python3", "-c", "import scipy, nlopt").Run() != nil || !*flags.Whole {
		for _, f := range flags.Sample(fits[:4], 1) {
			if gap := fitGaps(t, f, "auto", 0, f.besideTruth(t), []int{150 * len(f.lo)})[0]; gap > 1e3 {
				t.Errorf("%s: %g above the minimum", f.name, gap)
			}
		}
		return
	}
	per := []int{20, 50, 150}
	methods := append([]string{"auto"}, fitPeers...)
	logs := make([][3]float64, len(methods)) // Σ log of the medians
	measured := slices.DeleteFunc(slices.Clone(fits), func(f fit) bool { return !flags.Problem(f.name) })
	for _, f := range measured {
		minimum, budgets := f.besideTruth(t), make([]int, len(per))
		for i, n := range per {
			budgets[i] = n * len(f.lo)
		}
		gaps := make([][3][]float64, len(methods))
		for m, method := range methods {
			for _, seed := range flags.Seeds(15) {
				for b, gap := range fitGaps(t, f, method, seed, minimum, budgets) {
					gaps[m][b] = append(gaps[m][b], gap)
				}
			}
		}
		for b := range per {
			line, best := "", 1
			for m := range methods {
				middle := middleOf(gaps[m][b])
				line += fmt.Sprintf(" %9.3g", middle)
				logs[m][b] += math.Log(middle) / float64(len(measured))
				if m > 0 && middle < middleOf(gaps[best][b]) {
					best = m
				}
			}
			worse := ranks.Test(gaps[0][b], gaps[best][b], cmp.Compare[float64]).Greater
			t.Logf("%-24s held %-5v %3d·d:%s; p %.2g", f.name, f.held, per[b], line, worse)
			if worse < rate/float64(len(measured)*len(per)) {
				t.Errorf("%s, %d·d: worse than %s", f.name, per[b], methods[best])
			}
		}
	}
	for b := range per {
		line := ""
		for m, method := range methods {
			line += fmt.Sprintf(" %s %.3g", method, math.Exp(logs[m][b]))
			if m > 0 && logs[m][b] < logs[0][b] {
				t.Errorf("%d·d: in the mean worse than %s", per[b], method)
			}
		}
		t.Logf("geometric mean, %d·d:%s", per[b], line)
	}
}
