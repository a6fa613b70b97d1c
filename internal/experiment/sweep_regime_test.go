package experiment

import (
	"slices"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/store"
)

// At d = 100 the cells without an error are the rows of docs/data/regime.md: "CBO on g" and "CBO on
// f, transformed noise" with the true W reach the gap at the same queries, to the bit. CBO on
// g̃ differs from CBO on g by rounding, and so by chaos; its queries are between the half and
// the double of the median there. That takes some minutes; by default only one seed is looked at,
// of the cheapest row.
//
//	go test ./internal/experiment -run TestNoErrorIsTheRegime -whole -v
func TestNoErrorIsTheRegime(t *testing.T) {
	t.Parallel()
	if !flags.Usual() {
		return // the numbers are those of d = 100, and no run is shorter
	}
	rows := []struct {
		method, problem string
		reached         []int // docs/data/regime.md, seeds 0 to 4
	}{
		{"cbo-on-g", "squared-norm", []int{857_738, 769_941, 872_790, 953_812, 886_245}},
		{"cbo-on-g", "rastrigin", []int{1_377_285, 1_355_412, 1_295_169, 1_261_508, 1_447_981}},
		{"cbo-on-g", "different-powers", []int{905_631, 851_381, 749_110, 870_918, 894_007}},
		{"transformed error=0", "rastrigin", []int{1_275_461, 1_309_807, 1_273_671, 1_416_641, 1_421_950}},
	}
	runs := 5
	if !*flags.Whole {
		rows, runs = rows[:1], 1
	}
	for _, row := range rows {
		s := only(t, Errors, Extent{Runs: runs, Problems: []string{row.problem}}, papersBudget, func(m Method) bool {
			return m.Name == row.method || row.method == "cbo-on-g" && *flags.Whole && m.Name == "reparametrised error=0"
		})
		all := runsOf(t, s.Grid)
		for _, m := range s.Methods {
			for seed, want := range row.reached[:runs] {
				got := all[store.Key{Problem: s.Cases[0].Key(), Method: m.Key(), Seed: uint64(seed)}].Reached
				t.Logf("%s on %s, seed %d: reached after %d queries; docs/data/regime.md has %d", m.Name, row.problem, seed, got, want)
				if m.Name == row.method && got != want {
					t.Errorf("%s on %s, seed %d: reached after %d queries, want %d", m.Name, row.problem, seed, got, want)
				}
				middle := slices.Sorted(slices.Values(row.reached))[2]
				if got < middle/2 || got > 2*middle {
					t.Errorf("%s on %s, seed %d: reached after %d queries, where others take %d", m.Name, row.problem, seed, got, middle)
				}
			}
		}
	}
}
