package acceptance

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/problem"
)

// Of what docs/data/made.csv says repeats, some runs are made again, and are the same; cmd/untwist has the same test of what the
// program makes. With -update it says whether they do.
func TestAgain(t *testing.T) {
	all, err := experiment.ReadMade("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, same := range map[string]func(*testing.T) bool{"auto": autoAgain, "small-budgets": smallAgain} {
		k := slices.IndexFunc(all, func(m experiment.Made) bool { return m.Name == name })
		if all[k].Repeats == "" && !*flags.Update || !flags.Problem(name) {
			continue
		}
		repeats := same(t)
		if *flags.Update {
			all[k].Repeats = map[bool]string{true: map[string]string{"auto": "yes", "small-budgets": "cmaes"}[name]}[repeats]
		} else if !repeats {
			t.Errorf("%s: others than are stored", name)
		}
	}
	if *flags.Update {
		if err := experiment.WriteMade("../..", all); err != nil {
			t.Fatal(err)
		}
	}
}

// autoAgain runs some of docs/data/auto-seeds.csv.
func autoAgain(t *testing.T) bool {
	same := true
	for k, row := range csvRows(t, "../../docs/data/auto-seeds.csv")[1:] {
		seed, err := strconv.ParseUint(row[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if k%flags.Few(10, flags.Usually(100, 400)) != 0 {
			continue
		}
		for i, gap := range []float64{0.005, 1e-8} {
			r, _ := solve(t, problem.Spec{Name: row[0], Dim: 100, Seed: seed}, nil, gap, 0)
			if got := strconv.Itoa(r.TargetQuery); got != row[2+i] {
				t.Logf("%s, seed %d, gap %g: %s queries, stored %s", row[0], seed, gap, got, row[2+i])
				same = false
			}
		}
	}
	return same
}

// smallAgain makes some of the runs of CMA-ES again that are in docs/data/small-budgets.csv.
func smallAgain(t *testing.T) bool {
	same := true
	for r, gaps := range smallRuns(t) {
		if r.method != "cmaes" || r.dim > flags.Few(20, flags.Usually(10, 5)) || r.seed >= uint64(flags.Few(5, 1)) || r.function > flags.Usually(24, 3) {
			continue
		}
		again := smallGaps(t, problem.Spec{Name: fmt.Sprintf("bbob-%d", r.function), Dim: r.dim, Seed: r.seed}, r.method, marks(r.dim))
		for i, gap := range again {
			if got, err := strconv.ParseFloat(fmt.Sprintf("%.3g", gap), 64); err != nil || got != gaps[i] {
				t.Logf("%v after %gd queries: %.3g, stored %g", r, smallMarks[i], gap, gaps[i])
				same = false
				break
			}
		}
	}
	return same
}
