package acceptance

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/problem"
)

// Below the least budget of a survey a run with more queries begins as one with fewer does, so that more is never worse.
func TestSmallBudgetsBeginAlike(t *testing.T) {
	for _, name := range []string{"bbob-3", "bbob-8", "bbob-15"} {
		p, err := problem.New(problem.Spec{Name: name, Dim: 6, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		values := func(budget int) []float64 {
			f := &falling{Objective: p}
			if _, err := untwist.Minimize(ctx, f, untwist.Options{Seed: 1, Budget: budget, Start: p.Domain()}); err != nil {
				t.Fatal(err)
			}
			return f.values
		}
		most := values(identify.Least(6) - 1)
		for budget := 1; budget < len(most); budget += 1 + budget/2 {
			if got := values(budget); len(got) != budget || !slices.Equal(got, most[:budget]) {
				t.Errorf("%s: another run with %d queries", name, budget)
			}
		}
	}
}

// At the least budget of a survey, and above it, auto comes as far as just below: one-sided tests, 24 of them without -whole, none of
// which may have p < 0.001, so that one fails by chance in 40.
func TestSmallBudgetsHaveNoCliff(t *testing.T) {
	for _, d := range flags.Dims(flags.Few(10, flags.Usually(6, 4))) {
		least := identify.Least(d)
		for _, k := range []int{2, 8, 13, 17, 6, 9, 12, 15}[:flags.Few(8, flags.Usually(4, 1))] {
			name := fmt.Sprintf("bbob-%d", k)
			if !flags.Problem(name) {
				continue
			}
			var before []float64
			for _, budget := range []int{least - 1, least, 5 * least / 4, 2 * least} {
				var gaps []float64
				for _, seed := range flags.Seeds(7) {
					gaps = append(gaps, smallGaps(t, problem.Spec{Name: name, Dim: d, Seed: seed}, "auto", []int{budget})[0])
				}
				if before == nil {
					before = gaps
				}
				if p := ranks.Test(gaps, before, cmp.Compare[float64]).Greater; p < 0.001 {
					t.Errorf("%s, d = %d: %.2g with %d queries, %.2g with %d, p = %.1g", name, d, middle(gaps), budget, middle(before), least-1, p)
				} else if *flags.Whole {
					t.Logf("%s, d = %d: %.2g with %d queries", name, d, middle(gaps), budget)
				}
			}
		}
	}
}
