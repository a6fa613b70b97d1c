package acceptance

import (
	"fmt"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/problem"
)

func TestAxesProbe(t *testing.T) {
	if !*flags.Whole {
		t.Skip()
	}
	for _, name := range []string{"bbob-3", "bbob-4"} {
		for _, d := range flags.Dims(5, 10, 20, 40) {
			line := fmt.Sprintf("%s d=%d ", name, d)
			var budgets []int
			for _, m := range []int{50, 75, 100, 125, 150, 175, 200} {
				budgets = append(budgets, m*d)
			}
			solved := make([]int, len(budgets))
			sum := make([][]float64, len(budgets))
			for _, seed := range flags.Seeds(15) {
				for i, g := range smallGaps(t, problem.Spec{Name: name, Dim: d, Seed: seed}, "auto", budgets, nil) {
					if g <= 1e-8 {
						solved[i]++
					}
					sum[i] = append(sum[i], g)
				}
			}
			for i := range budgets {
				line += fmt.Sprintf(" %d (%.1e)", solved[i], middle(sum[i]))
			}
			t.Log(line)
		}
	}
}
