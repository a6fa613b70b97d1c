package acceptance

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/problem"
)

// Cells of rugged functions in which auto is worse than CMA-ES with three quarters of the queries at p < 0.01, by the runs of
// testdata/small.csv, are measured again with 31 fresh seeds, which begin at 1000: by Holm's correction over these cells none is worse at
// 5 % but function 24 in 40 dimensions. Without -whole one such cell is measured with few seeds, and may not be worse at p < 0.001.
//
//	go test ./internal/acceptance -run TestRuggedAgain -whole -v
func TestRuggedAgain(t *testing.T) {
	type cell struct {
		k, d         int
		mark, p      float64
		ours, theirs float64
	}
	known := smallRuns(t)
	var worse []cell
	for _, d := range flags.Dims(5, 10, 20, 40) {
		for _, b := range smallBudgets[:5] {
			for _, k := range rugged() {
				ours, theirs := at(known, "auto", k, d, b), at(known, "cmaes", k, d, 0.75*b)
				if flags.Problem(fmt.Sprintf("bbob-%d", k)) && ranks.Test(ours, theirs, cmp.Compare[float64]).Greater < 0.01 {
					worse = append(worse, cell{k: k, d: d, mark: b})
				}
			}
		}
	}
	if len(worse) == 0 {
		t.Fatal("no cell is worse")
	}
	if !*flags.Whole {
		worse = worse[:1]
	}
	for i := range worse {
		c := &worse[i]
		var ours, theirs []float64
		for _, seed := range flags.Seeds(flags.Few(31, 7)) {
			spec := problem.Spec{Name: fmt.Sprintf("bbob-%d", c.k), Dim: c.d, Seed: 1000 + seed}
			ours = append(ours, smallGaps(t, spec, "auto", []int{int(c.mark * float64(c.d))})...)
			theirs = append(theirs, smallGaps(t, spec, "cmaes", []int{int(0.75 * c.mark * float64(c.d))})...)
		}
		c.p = ranks.Test(ours, theirs, cmp.Compare[float64]).Greater
		c.ours, c.theirs = middleOf(ours), middleOf(theirs)
	}
	slices.SortFunc(worse, func(a, b cell) int { return cmp.Compare(a.p, b.p) })
	rejected := true
	for i, c := range worse {
		rejected = rejected && c.p*float64(len(worse)-i) < 0.05
		t.Logf("bbob-%d, d = %d, %gd: %.2g, CMA-ES with three quarters %.2g, p = %.2g, worse by Holm: %v", c.k, c.d, c.mark, c.ours, c.theirs, c.p, rejected)
		if !*flags.Whole && c.p < 0.001 || *flags.Whole && rejected && !(c.k == 24 && c.d == 40) {
			t.Errorf("bbob-%d, d = %d, %gd is worse", c.k, c.d, c.mark)
		}
	}
}
