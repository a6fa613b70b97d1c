package acceptance

import (
	"context"
	"fmt"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// Section 4, Table 1, for CBO with the true W. On g = f(W⁻¹·), CBO with anisotropic
// noise finds the minimum. On f = g(W·) it does not, even with twice the queries. On f
// with transformed noise, D(z) = W⁻¹diag(Wz), it does. The settings are those of the
// paper's experiment, and success is a gap of 0.005.
//
// With -dims 100 -seeds 5 it runs at the paper's size; docs/data/regime.md has the figures. By
// default it runs at d = 8, in the usual size at d = 12, and with -whole at d = 20, with budgets in proportion to d.
// There it leaves out the cells that are easier in few dimensions: on the mixed squared
// norm and on different powers, plain CBO is slow at d = 100 but succeeds at d = 20.
//
// There are five listed seeds for each cell, or one without -whole. The paper
// reports 100, 0 and 99 % of its runs for these cells, and a run at a seed is
// reproducible.
func TestRegimeOfTable1(t *testing.T) {
	dim, seeds := flags.Few(20, flags.Usually(12, 8)), flags.Few(5, 1)
	dim, seeds = flags.Dims(dim)[0], flags.Count(seeds)
	for _, c := range []struct {
		method, problem, mix string
		budget               int // at d = 100
		solved               bool
		small                bool // whether it is as hard in few dimensions
	}{
		{"cbo on g", "rastrigin", "none", 2_500_000, true, true},
		{"cbo on g", "squared-norm", "none", 2_500_000, true, true},
		{"cbo on g", "different-powers", "none", 2_500_000, true, true},
		{"transformed", "rastrigin", "paper", 1_970_000, true, true},
		{"cbo on f", "rastrigin", "paper", 5_000_000, false, true},
		{"cbo on f", "squared-norm", "paper", 5_000_000, false, false},
		// Of seeds 0 to 34 two succeed late (13 and 23). A change of numerics changes
		// which seeds succeed. At that rate one of these five would succeed in one of
		// four cases; then count over more seeds.
		{"cbo on f", "different-powers", "paper", 5_000_000, false, false},
	} {
		if dim < 100 && !c.small || !flags.Problem(c.problem) {
			continue
		}
		for _, seed := range flags.Seeds(seeds) {
			t.Run(fmt.Sprintf("%s/%s/%d", c.method, c.problem, seed), func(t *testing.T) {
				t.Parallel()
				if got := reachesTarget(t, c.method, c.problem, c.mix, dim, c.budget*dim/100, seed); got != c.solved {
					t.Errorf("it is solved: %v, want %v", got, c.solved)
				}
			})
		}
	}
}

// reachesTarget reports whether a run reaches a gap of 0.005.
func reachesTarget(t *testing.T, method, name, mix string, dim, budget int, seed uint64) bool {
	p, err := problem.New(problem.Spec{Name: name, Dim: dim, Mix: mix, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	var cfg cbo.Config
	if method == "transformed" {
		// The start box is a cube around 0, so the frame is the same in
		// scaled coordinates.
		cfg.Noise = cbo.Transformed{Frame: p.Frame()}
		cfg.Domain = cbo.ClipIn{Frame: p.Frame(), Radius: 1e8}
	}
	r, err := untwist.Minimize(context.Background(), p, untwist.Options{
		Strategy: strategy.CBO{Config: cfg},
		Start:    p.Domain(),
		Budget:   budget,
		Target:   new(p.Minimum() + 0.005),
		Seed:     seed,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s on %s, seed %d: gap %.3g, reached after %d queries, %d of %d spent",
		method, name, seed, r.Value-p.Minimum(), r.TargetQuery, r.Queries, budget)
	return r.TargetQuery > 0
}
