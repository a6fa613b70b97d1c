package acceptance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/problem"
)

func TestProbe38(t *testing.T) {
	if !*flags.Whole {
		t.Skip()
	}
	for _, d := range flags.Dims(10, 20) {
		means := [2][6]float64{}
		count := [2]float64{}
		for k := 1; k <= 24; k++ {
			name := fmt.Sprintf("bbob-%d", k)
			if !flags.Problem(name) || k == 3 || k == 4 {
				continue
			}
			kind := 1
			if slices.Contains(smooth, k) {
				kind = 0
			}
			count[kind]++
			all := make([][]float64, 6)
			var budgets []int
			for _, b := range smallBudgets {
				budgets = append(budgets, int(b)*d)
			}
			for _, seed := range flags.Seeds(9) {
				for i, g := range smallGaps(t, problem.Spec{Name: name, Dim: d, Seed: seed}, "auto", budgets) {
					all[i] = append(all[i], g)
				}
			}
			line := fmt.Sprintf("d=%d %2d", d, k)
			for i := range all {
				m := middle(all[i])
				means[kind][i] += math.Log(m)
				line += fmt.Sprintf(" %7.1e", m)
			}
			if kind == 0 && k != 1 && k != 5 {
				fmt.Println(line)
			}
		}
		for kind := range 2 {
			line := fmt.Sprintf("d=%d MEAN %s", d, []string{"smooth", "rugged"}[kind])
			for i := range 6 {
				line += fmt.Sprintf(" %7.1e", math.Exp(means[kind][i]/count[kind]))
			}
			if count[kind] > 0 {
				fmt.Println(line)
			}
		}
	}
}

func TestCliff38(t *testing.T) {
	if !*flags.Whole {
		t.Skip()
	}
	for _, d := range flags.Dims(10, 20) {
		least := identify.Least(d)
		for k := 1; k <= 24; k++ {
			name := fmt.Sprintf("bbob-%d", k)
			if !flags.Problem(name) {
				continue
			}
			line := fmt.Sprintf("d=%d %2d", d, k)
			for _, b := range []int{least * 3 / 4, least - 1, least, least * 5 / 4, least * 3 / 2, 2 * least} {
				var all []float64
				for _, seed := range flags.Seeds(7) {
					all = append(all, smallGaps(t, problem.Spec{Name: name, Dim: d, Seed: seed}, "auto", []int{b})[0])
				}
				line += fmt.Sprintf(" %7.1e", middle(all))
			}
			fmt.Println(line)
		}
	}
}
