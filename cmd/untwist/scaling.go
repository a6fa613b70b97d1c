package main

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/problem"
)

// scalingCommand measures how queries grow with the dimension.
func scalingCommand() *cobra.Command {
	f := sweepFlags{gridFlags: gridFlags{jobs: runtime.GOMAXPROCS(0), out: "scaling"}}
	var dims []int
	var methods []string
	cmd := &cobra.Command{
		Use:   "scaling [--out DIR]",
		Short: "Measure how the queries of CBO grow with the dimension",
		Long: `Measure how many queries CBO needs to come within 0.005 of the minimum of functions that
separate, in 10 to 1,000 dimensions: with anisotropic and isotropic noise on g, and with
transformed noise on f(x) = g(Wx), W known. The paper claims that with noise along the
coordinates this grows linearly with the dimension. The last table has the exponents p of the law
d^p that fits best, with intervals. A run has 50,000·d queries, and 5,000·d with isotropic noise.

The whole takes hours: try --dims 10,20,50 --runs 5. Every run is kept in DIR/scaling.jsonl as it
finishes. The command can be stopped at any moment; started again, it goes on where it
stopped, and with other --dims, --runs, --problems or --methods it makes the runs that are missing.
Tables and pictures are written to DIR.

` + exitStatuses,
		Example: "  untwist reproduce scaling --dims 10,20,50 --runs 5 --problems squared-norm",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			trim(f.Problems)
			s, err := experiment.Scaling(f.Extent, dims, methods)
			if err != nil {
				return new(source).usage(err)
			}
			return f.runGrid(cmd, s, "scaling.jsonl", func(ctx context.Context, from *store.Store) (table, int, int, error) {
				t, err := s.Tabulate(ctx, from)
				return t, t.Done, t.Total, err
			})
		},
	}
	flags := cmd.Flags()
	flags.Var(text(&f.out), "out", "keep runs and write tables in `DIR`")
	flags.Var(countList(&dims), "dims", "dimensions (default 10, 20, 50, 100, 200, 500, 1000)")
	flags.Var(count(&f.Runs), "runs", "runs of each cell, each at a seed of its own (default 20)")
	flags.StringSliceVar(&f.Problems, "problems", nil, "`NAMES` with commas between them: any of "+problem.Choice()+" (default rastrigin and squared-norm)")
	flags.Var(nameList(&methods), "methods", "any of anisotropic, isotropic, transformed (default all)")
	flags.Var(seed(&f.Seed), "seed", "the first seed (default 0)")
	flags.Var(count(&f.jobs), "jobs", "how many runs are made at a time")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}
