package acceptance

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// rate is the rate of false alarms of one comparison.
const rate = 0.01

// least returns the value that a run finds.
func least(t *testing.T, f objective.Objective, o untwist.Options) float64 {
	t.Helper()
	r, err := untwist.Minimize(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Value
}

// apart returns the least value of runs for each combination of the choices, which share the budget.
func (c chosen) apart(t *testing.T, budget int, seed uint64) float64 {
	best, all := math.Inf(1), c.combinations()
	for i, fixed := range all {
		if share := budget*(i+1)/len(all) - budget*i/len(all); share > 0 {
			best = min(best, least(t, c.objective(), untwist.Options{Parameters: c.space(fixed), Budget: share, Seed: seed}))
		}
	}
	return best
}

// With 50·d and 500·d queries a search over choices is not worse than a run for each combination.
func TestChoices(t *testing.T) {
	for _, c := range flags.Sample(chosenFunctions, 1) {
		if !*flags.Whole && (c.held || len(c.choices) > 3) {
			continue
		}
		for _, per := range []int{50, 500}[:flags.Few(2, 1)] {
			var ours, others []float64
			for _, seed := range flags.Seeds(flags.Few(11, flags.Usually(5, 3))) {
				budget := per * c.dim()
				ours = append(ours, least(t, c.objective(), untwist.Options{Parameters: c.space(nil), Budget: budget, Seed: seed}))
				others = append(others, c.apart(t, budget, seed))
			}
			o := ranks.Test(ours, others, cmp.Compare[float64])
			t.Logf("%-16s held %-5v %4d·d: %12.6g, a run for each combination %12.6g; worse with p = %.3g", c.name, c.held, per, middleOf(ours), middleOf(others), o.Greater)
			if o.Greater < rate && middleOf(ours)-middleOf(others) > 1e-9*(1+math.Abs(middleOf(others))) {
				t.Errorf("%s, %d·d: worse than a run for each combination", c.name, per)
			}
		}
	}
}

// middleOf returns the median.
func middleOf(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// rounded is f with every point rounded to a space inside it: what people do who have no integers.
type rounded struct {
	objective.Objective
	to *parameter.Coordinates
}

func (r rounded) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return r.to.Evaluate(ctx, points, values)
}

// mixints are the problems that are tried in mixed-integer form.
var mixints = []string{"squared-norm", "rosenbrock", "rastrigin", "ackley", "levy", "styblinski-tang", "bbob-2", "bbob-6", "bbob-15", "bbob-21"}

// The search over lattices is not worse than rounding inside f with CMA-ES, and often better.
func TestMixint(t *testing.T) {
	better, cases := 0, 0
	for _, d := range flags.Dims([]int{flags.Few(10, flags.Usually(8, 5)), 20, 40}[:flags.Few(3, 1)]...) {
		for _, name := range flags.Problems(mixints[:flags.Few(len(mixints), flags.Usually(2, 1))]...) {
			var ours, others []float64
			for _, seed := range flags.Seeds(flags.Few(15, flags.Usually(5, 3))) {
				p, err := problem.New(problem.Spec{Name: name, Dim: d, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				space := parameter.Mixint(p.Domain())
				budget := flags.Few(2000, flags.Usually(60, 40)) * d
				ours = append(ours, least(t, p, untwist.Options{Parameters: space, Budget: budget, Seed: seed}))
				others = append(others, least(t, rounded{p, parameter.NewCoordinates(p, space)}, untwist.Options{
					Bounds: space.Bounds(), Budget: budget, Seed: seed, Strategy: strategy.CMAES{},
				}))
			}
			o := ranks.Test(ours, others, cmp.Compare[float64])
			t.Logf("%-16s d = %d: %12.6g, rounding %12.6g; worse with p = %.3g, better with %.3g", name, d, middleOf(ours), middleOf(others), o.Greater, o.Less)
			if cases++; o.Less < rate {
				better++
			}
			if o.Greater < rate {
				t.Errorf("%s, d = %d: worse than rounding", name, d)
			}
		}
	}
	t.Logf("better in %d of %d", better, cases)
	if *flags.Whole && 3*better < cases {
		t.Errorf("better in %d of %d cases only", better, cases)
	}
}
