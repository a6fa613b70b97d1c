package acceptance

import (
	"math"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/problem"
)

// More queries give no worse a result, on the whole: from a budget to the next, 1.2 times as large, the geometric mean of all gaps
// rises by at most 1.2, up to two standard errors over the runs. Gaps below 1e-8 count as 1e-8. The budgets are around those
// at which a survey comes into question, and at which it comes first.
func TestMoreBudgetIsNoWorse(t *testing.T) {
	const first, step = 0.9, 1.2
	d := flags.Usually(6, 3)
	problems := []string{"ackley", "rosenbrock", "griewank", "bbob-6", "bbob-12", "bbob-13", "levy", "rosenbrock-pairs"}
	seeds, budgets := flags.Few(15, flags.Usually(2, 1)), flags.Usually(11, 4)
	gaps := make([][]float64, budgets) // log₁₀, in the same order for each budget
	for _, name := range problems {
		for seed := range uint64(seeds) {
			p, err := problem.New(problem.Spec{Name: name, Dim: d, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			for k := range budgets {
				budget := int(first * math.Pow(step, float64(k)) * float64(identify.Least(d)))
				r, err := untwist.Minimize(ctx, p, untwist.Options{Budget: budget, Seed: seed, Start: p.Domain(), Target: new(p.Minimum() + 1e-8)})
				if err != nil {
					t.Fatal(err)
				}
				gaps[k] = append(gaps[k], math.Log10(max(1e-8, r.Value-p.Minimum())))
			}
		}
	}
	for k := 1; k < budgets; k++ {
		sum, squares, n := 0.0, 0.0, float64(len(gaps[k]))
		for i, v := range gaps[k] {
			rise := v - gaps[k-1][i]
			sum, squares = sum+rise, squares+rise*rise
		}
		mean := sum / n
		error := math.Sqrt(max(0, squares/n-mean*mean) / n)
		t.Logf("%.1f times the least budget: %+.2f ± %.2f decades", first*math.Pow(step, float64(k)), mean, error)
		if mean-2*error > math.Log10(step) {
			t.Errorf("with %.1f times the least budget gaps are %.2f ± %.2f decades larger than with the one before", first*math.Pow(step, float64(k)), mean, error)
		}
	}
}

// Within bounds lines are many. A little more than a survey's least budget must not be spent on fine grids whose minima never
// meet: coarse ones come first. Before, with 1.2 times that budget two of four runs were two and four times worse than with it.
func TestMoreBudgetIsNoWorseWithinBounds(t *testing.T) {
	d := flags.Usually(10, 6)
	for seed := range uint64(flags.Few(15, flags.Usually(4, 2))) {
		p, err := problem.New(problem.Spec{Name: "rastrigin", Dim: d, Mix: "orthogonal", Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for k := range 5 {
			budget := int(math.Pow(1.2, float64(k)) * float64(identify.Least(d)))
			r, err := untwist.Minimize(ctx, p, untwist.Options{Budget: budget, Seed: seed, Bounds: p.Domain()})
			if err != nil {
				t.Fatal(err)
			}
			gap := r.Value - p.Minimum()
			if gap > max(2*least, 1e-2) {
				t.Errorf("seed %d: %.3g above the minimum with %d queries, %.3g with fewer", seed, gap, budget, least)
			}
			least = min(least, gap)
		}
	}
}
