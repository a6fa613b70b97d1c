package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/auto"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// What TestEveryBudget and the other long measurements of this package run.
// least is the gap below which gaps do not differ.
const least = 1e-8

// A budgeted cell is a problem with a budget: the gaps, seed by seed, that auto reaches with
// it, and that CMA-ES reaches with a third and with a half of it.
type budgeted struct {
	spec              problem.Spec
	budget            int
	auto, third, half []float64
}

// everyBudget returns the budgets of dimension d, ascending.
func everyBudget(d, most int) []int {
	s := 3*d*d + 50*d // where the survey begins to look for mixed coordinates
	all := []int{20 * d, 60 * d, d * d, 2 * d * d, s - 1, s, s + 1, 5 * d * d, 10 * d * d, 30 * d * d, 100 * d * d}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(b int) bool { return b > most })
}

// everyProblem returns the problems on which budgets are compared, with both kinds of mix
// where they take one: those that were asked for, or the usual ones.
func everyProblem(t *testing.T, d int) (all []problem.Spec) {
	names := flags.Sample([]string{"rosenbrock", "rastrigin"}, 1)
	if *flags.Whole {
		names = append(names, "ackley", "griewank", "levy", "different-powers", "rosenbrock-pairs",
			"bbob-8", "bbob-12", "bbob-13", "bbob-15", "bbob-17", "bbob-21")
	}
	mixed := map[string]bool{}
	for _, e := range problem.Catalogue() {
		mixed[e.Name] = e.Mix != ""
	}
	for _, name := range flags.Problems(names...) {
		takes, known := mixed[name]
		switch {
		case !known:
			t.Fatalf("there is no problem %s", name)
		case !takes:
			all = append(all, problem.Spec{Name: name, Dim: d})
		default:
			all = append(all, problem.Spec{Name: name, Dim: d, Mix: "paper"}, problem.Spec{Name: name, Dim: d, Mix: "orthogonal"})
		}
	}
	return all
}

// A bestSoFar is a problem that keeps the least value after each query.
type bestSoFar struct {
	*problem.Problem
	values []float64
}

func (f *bestSoFar) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if err := f.Problem.Evaluate(ctx, points, values); err != nil {
		return err
	}
	least := math.Inf(1)
	if n := len(f.values); n > 0 {
		least = f.values[n-1]
	}
	for _, v := range values {
		if v < least { // not NaN
			least = v
		}
		f.values = append(f.values, least)
	}
	return nil
}

// gap returns the gap after so many queries, or at the end of a run that ended before, but
// not less than the least gap.
func (f *bestSoFar) gap(queries int) float64 {
	if queries == 0 || len(f.values) == 0 {
		return math.Inf(1)
	}
	return max(f.values[min(queries, len(f.values))-1]-f.Minimum(), least)
}

// spend minimises a problem with a budget, or until the least gap is reached.
func spend(t *testing.T, spec problem.Spec, s strategy.Strategy, budget int) *bestSoFar {
	p, err := problem.New(spec)
	if err != nil {
		t.Error(err)
		return &bestSoFar{}
	}
	f := &bestSoFar{Problem: p}
	o := untwist.Options{Strategy: s, Seed: spec.Seed, Budget: budget, Start: p.Domain(), Target: new(valueAt(p.Minimum(), least))}
	if _, err := untwist.Minimize(context.Background(), f, o); err != nil {
		t.Errorf("%v: %v", spec, err)
	}
	return f
}

// together calls do(0) … do(n−1), as many at the same time as there are processors.
func together(n int, do func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

// spendAll fills the cells of a problem. CMA-ES does not know its budget, so that one run
// gives the gaps of all budgets.
func spendAll(t *testing.T, spec problem.Spec, budgets []int, n int) []budgeted {
	cells := make([]budgeted, len(budgets))
	for i, b := range budgets {
		cells[i] = budgeted{spec, b, make([]float64, n), make([]float64, n), make([]float64, n)}
	}
	together(n, func(k int) {
		s := spec
		s.Seed = flags.From() + uint64(k)
		alone := spend(t, s, strategy.CMAES{}, budgets[len(budgets)-1]/2)
		for i, b := range budgets {
			cells[i].third[k], cells[i].half[k] = alone.gap(b/3), alone.gap(b/2)
			cells[i].auto[k] = spend(t, s, auto.Auto{}, b).gap(b)
		}
	})
	return cells
}

// A verdict is a test that a sample of gaps is larger than another.
type verdict struct {
	what        string
	ours, other float64 // medians
	p, holm     float64
}

// corrected returns the verdicts with Holm's correction, and how many are significant.
func corrected(all []verdict) (failed int) {
	p := make([]float64, len(all))
	for i, v := range all {
		p[i] = v.p
	}
	for i, q := range holm(p) {
		all[i].holm = q
		if q <= significance {
			failed++
		}
	}
	return failed
}

// larger tests whether the gaps of a are larger than those of b.
func larger(what string, a, b []float64) verdict {
	_, m, _ := quartiles(a)
	_, n, _ := quartiles(b)
	return verdict{what: what, ours: m, other: n, p: ranks.Test(a, b, cmp.Compare[float64]).Greater}
}

// For every budget auto is not significantly worse than CMA-ES with a third of it, and a
// larger budget is not significantly worse than the next smaller one: one-sided
// Mann–Whitney tests on the gaps, with Holm's correction over all cells of a dimension, so
// that a test of a dimension fails by chance with probability 0.05 at most. What auto does
// against CMA-ES with a half is shown.
//
//	go test ./internal/experiment -run TestEveryBudget -whole -timeout 3h
//	go test ./internal/experiment -run TestEveryBudget -whole -dims 10 -seeds 11 -problems rosenbrock,bbob-8 -from 100
//
// Without -whole it is two problems, or one, d = 10, or 5, few seeds and budgets up to 10d².
func TestEveryBudget(t *testing.T) {
	runs, list := flags.Usually(15, 8), []int{flags.Usually(10, 5)}
	if *flags.Whole {
		runs, list = 31, []int{10, 30, 60}
	}
	runs = flags.Count(runs)
	var table strings.Builder
	table.WriteString("| d | CMA-ES with | cells | worse | the worst of them: auto's median, the other's, p |\n|---|---|---|---|---|\n")
	for _, d := range flags.Dims(list...) {
		most := 100 * d * d
		if d >= 60 || !*flags.Whole {
			most = 10 * d * d
		}
		budgets := everyBudget(d, most)
		var third, half, cliff []verdict
		for _, spec := range everyProblem(t, d) {
			cells := spendAll(t, spec, budgets, runs)
			for i, c := range cells {
				what := strings.TrimSpace(fmt.Sprintf("%s %s", spec.Name, spec.Mix)) + fmt.Sprintf(", %d", c.budget)
				third, half = append(third, larger(what, c.auto, c.third)), append(half, larger(what, c.auto, c.half))
				if i > 0 {
					cliff = append(cliff, larger(what+fmt.Sprintf(" after %d", cells[i-1].budget), c.auto, cells[i-1].auto))
				}
				if testing.Verbose() {
					v, h := third[len(third)-1], half[len(half)-1]
					t.Logf("d = %d, %s: auto %.3g, CMA-ES with a third %.3g, p = %.2g, with half %.3g, p = %.2g", d, what, v.ours, v.other, v.p, h.other, h.p)
				}
			}
		}
		for _, family := range []struct {
			name string
			all  []verdict
			must bool
		}{{"a third", third, true}, {"half", half, false}, {"(auto with the next smaller budget)", cliff, true}} {
			failed := corrected(family.all)
			slices.SortStableFunc(family.all, func(a, b verdict) int { return cmp.Compare(a.p, b.p) })
			var worst []string
			for _, v := range family.all[:failed] {
				worst = append(worst, fmt.Sprintf("%s: %.3g, %.3g, %.1g", v.what, v.ours, v.other, v.holm))
			}
			t.Logf("d = %d, against %s: %d of %d cells worse\n  %s", d, family.name, failed, len(family.all), strings.Join(worst, "\n  "))
			if failed > 0 && family.must {
				t.Errorf("d = %d: auto is significantly worse than %s in %d of %d cells", d, family.name, failed, len(family.all))
			}
			fmt.Fprintf(&table, "| %d | %s | %d | %d | %s |\n", d, family.name, len(family.all), failed, strings.Join(worst[:min(3, failed)], "; "))
		}
	}
	if *flags.Whole && *flags.Update {
		rewrite(t, "../../docs/data/auto.md", "budgets", table.String())
	}
}

// CMA-ES asks for the same points whatever its budget.
func TestCMAESDoesNotKnowItsBudget(t *testing.T) {
	for _, spec := range []problem.Spec{{Name: "rosenbrock", Dim: 4}, {Name: "rastrigin", Dim: 4, Seed: 1}} {
		long := spend(t, spec, strategy.CMAES{}, 5000)
		for b := 1; b < 5000; b += 1 + b/3 {
			short := spend(t, spec, strategy.CMAES{}, b)
			if n := len(short.values); n != min(b, len(long.values)) || !slices.Equal(short.values, long.values[:n]) {
				t.Errorf("%v: another run with a budget of %d", spec, b)
			}
		}
	}
}

// rewrite puts text between the marks <!-- name --> and <!-- end of name --> of a file.
func rewrite(t *testing.T, path, name, text string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	before, rest, one := strings.Cut(string(old), begin)
	_, after, two := strings.Cut(rest, end)
	if !one || !two {
		t.Fatalf("%s has no marks %q", path, name)
	}
	if err := os.WriteFile(path, []byte(before+begin+text+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
