package experiment

import (
	stdcmp "cmp"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// only returns a sweep with those methods alone that the test wants, on a small budget.
func only(t *testing.T, make func(Extent) (Sweep, error), of Extent, budget Budget, want func(Method) bool) Sweep {
	t.Helper()
	s, err := make(of)
	if err != nil {
		t.Fatal(err)
	}
	var methods []Method
	for _, m := range s.Methods {
		if want(m) {
			methods = append(methods, m)
		}
	}
	s.Methods, s.Places, s.Budget = methods, nil, budget
	return s
}

// runsOf makes the runs of a grid and returns them by their keys, without their times.
func runsOf(t *testing.T, g Grid) map[store.Key]store.Run {
	t.Helper()
	s := open(t, g, t.TempDir())
	if err := g.Run(ctx, s, 2, nil); err != nil {
		t.Fatal(err)
	}
	all := map[store.Key]store.Run{}
	for _, r := range stored(t, s) {
		all[r.Key] = r
	}
	return all
}

// same compares two runs but for their keys.
func same(t *testing.T, a, b store.Run) {
	t.Helper()
	from := a.Key
	a.Key = b.Key
	if b.Queries == 0 || !cmp.Equal(a, b) {
		t.Errorf("%v is not %v:\n%s", from, b.Key, cmp.Diff(a, b))
	}
}

// Without an error the frame is the true one: a method gives the same bits as if the frame was
// given to it, and transformed noise the same as CBO with the noise W⁻¹diag(Wz), which is how
// docs/data/regime.md has it.
func TestNoErrorIsTheTrueFrame(t *testing.T) {
	t.Parallel()
	dim, budget := flags.Usually(6, 4), flags.Usually(9000, 3000)
	s := only(t, Errors, Extent{Dim: dim, Runs: 2}, Budget(strconv.Itoa(budget)), func(m Method) bool { return strings.HasSuffix(m.Name, "error=0") })
	if len(s.Methods) != 4 {
		t.Fatalf("%d methods", len(s.Methods))
	}
	all := runsOf(t, s.Grid)
	for _, c := range s.Cases {
		for _, m := range s.Methods {
			for seed := range uint64(s.Runs) {
				run := all[store.Key{Problem: c.Key(), Method: m.Key(), Seed: seed}]
				p, err := problem.New(problem.Spec{Name: c.Problem, Dim: dim, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				o := untwist.Options{KeepGoing: true, Strategy: m.Strategy, Frame: p.Frame(), Seed: seed, Budget: budget, Start: p.Domain(), Target: new(p.Minimum() + papersGap)}
				check := func() {
					want, err := untwist.Minimize(ctx, p, o)
					if err != nil {
						t.Fatal(err)
					}
					if run.Queries == 0 || run.Queries != want.Queries || run.Gap != want.Value-p.Minimum() || run.Reached != want.TargetQuery {
						t.Errorf("%v: gap %v, %d queries, reached at %d; with the true frame %v, %d, %d", run.Key, run.Gap, run.Queries, run.Reached,
							want.Value-p.Minimum(), want.Queries, want.TargetQuery)
					}
				}
				check()
				if strings.HasPrefix(m.Name, "transformed") {
					o.Frame, o.Strategy = nil, strategy.CBO{Config: cbo.Config{Noise: cbo.Transformed{Frame: p.Frame()}, Domain: cbo.ClipIn{Frame: p.Frame(), Radius: 1e8}}}
					check()
				}
			}
		}
	}
}

// Without an error g̃(s) = f(W⁻¹s) is g. Where W is the identity, CBO on g̃ is CBO on g to the
// bit. With the paper's W, rounding makes other runs of it, which chaos drives apart, but they
// succeed as often, and as fast. Both tests have a level of 0.1 %, so one in some 250 draws
// of the seeds would fail by chance; the seeds are fixed.
func TestNoErrorIsCBOOnG(t *testing.T) {
	t.Parallel()
	free := named("reparametrised", sized(0))
	free.Frame = erring(0)
	onG, err := MethodNamed("cbo-on-g")
	if err != nil {
		t.Fatal(err)
	}
	dim, runs := flags.Usually(4, 3), 12
	if *flags.Whole {
		dim, runs = 6, 20
	}
	for _, mix := range []string{"none", "paper"} {
		g := Grid{Methods: []Method{free, onG}, Runs: runs, Budget: "600*d^2", Targets: []float64{papersGap}}
		for _, name := range []string{"rastrigin", "squared-norm"} {
			c, err := BuiltIn(problem.Spec{Name: name, Dim: dim, Mix: mix})
			if err != nil {
				t.Fatal(err)
			}
			g.Cases = append(g.Cases, c)
		}
		if err := g.Complete(); err != nil {
			t.Fatal(err)
		}
		all := runsOf(t, g)
		for _, c := range g.Cases {
			var successes [2]int
			var queries [2][]float64
			for seed := range uint64(g.Runs) {
				var pair [2]store.Run
				for k, m := range g.Methods {
					pair[k] = all[store.Key{Problem: c.Key(), Method: m.Key(), Seed: seed}]
					q := math.Inf(1)
					if pair[k].Reached > 0 {
						successes[k]++
						q = float64(pair[k].Reached)
					}
					queries[k] = append(queries[k], q)
				}
				if mix == "none" {
					same(t, pair[0], pair[1])
				}
			}
			if successes[1] < 5 {
				t.Errorf("%s: %d successes on g tell little", c.Key(), successes[1])
			}
			if p := fisher(successes[0], g.Runs, successes[1], g.Runs); p < 1e-3 {
				t.Errorf("%s: %d and %d of %d succeed, p = %g", c.Key(), successes[0], successes[1], g.Runs, p)
			}
			if p := ranks.Test(queries[0], queries[1], stdcmp.Compare[float64]).Differ; p < 1e-3 {
				t.Errorf("%s: queries differ, p = %g", c.Key(), p)
			}
		}
	}
}

// Without a query for Hessians CBO on g̃ and CBO with transformed noise are CBO on f.
func TestNoHessiansIsCBO(t *testing.T) {
	t.Parallel()
	plain, err := MethodNamed("cbo")
	if err != nil {
		t.Fatal(err)
	}
	s := only(t, Allocation, limited(), papersBudget, func(m Method) bool {
		return strings.Contains(m.Name, "hessians=0") && !strings.HasPrefix(m.Name, "componentwise")
	})
	if len(s.Methods) != 4 { // two methods, two budgets
		t.Fatalf("%d methods", len(s.Methods))
	}
	s.Methods = append(s.Methods, plain)
	little := plain
	little.Name, little.Budget = "little cbo", smallBudget
	s.Methods = append(s.Methods, little)
	all := runsOf(t, s.Grid)
	for _, c := range s.Cases {
		for _, m := range s.Methods {
			for seed := range uint64(s.Runs) {
				want := plain
				if m.Budget != "" {
					want = little
				}
				same(t, all[store.Key{Problem: c.Key(), Method: m.Key(), Seed: seed}], all[store.Key{Problem: c.Key(), Method: want.Key(), Seed: seed}])
			}
		}
	}
}

// limited is how much of a sweep is compared with other runs.
func limited() Extent {
	if *flags.Whole {
		return Extent{Dim: 5, Runs: 2}
	}
	return Extent{Dim: flags.Usually(3, 2), Runs: 1}
}

// Without a coupling the runs are those of the paper's table.
func TestNoCouplingIsTable1(t *testing.T) {
	t.Parallel()
	e := limited()
	s := only(t, Approximate, e, papersBudget, func(Method) bool { return true })
	s.Cases = s.Cases[:4]
	var names []string
	for _, m := range s.Methods {
		names = append(names, m.Name)
	}
	all, table := runsOf(t, s.Grid), runsOf(t, complete(t, Table1{Dim: e.Dim, Runs: e.Runs, Methods: names}).Grid())
	if len(all) != len(table) || len(all) < 4*e.Runs*len(names) {
		t.Errorf("%d runs, and %d of the table", len(all), len(table))
	}
	for k, run := range table {
		if !cmp.Equal(all[k], run) {
			t.Errorf("%v:\n%s", k, cmp.Diff(run, all[k]))
		}
	}
}
