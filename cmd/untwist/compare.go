package main

import (
	"cmp"
	"context"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/problem"
)

// compareFlags are the flags of compare as they were given.
type compareFlags struct {
	gridFlags
	chosen                   experiment.Grid // what flags set directly
	suite, file              string
	problems, mixes, methods []string
	dims                     []int
	blemishes                blemishLists
	convergence              bool
}

// compareCommand compares methods.
func compareCommand() *cobra.Command {
	f := compareFlags{chosen: experiment.Grid{Runs: 15, Budget: "1000*d"}, gridFlags: gridFlags{jobs: runtime.GOMAXPROCS(0), out: "compare"}}
	cmd := &cobra.Command{
		Use:   "compare (--suite NAME | --problems NAMES) [--methods LIST]",
		Short: "Compare methods on many problems, dimensions and seeds",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.register(cmd.Flags())
	return cmd
}

// register declares the flags.
func (f *compareFlags) register(flags *pflag.FlagSet) {
	flags.Var(text(&f.suite), "suite", "all problems of a suite: `NAME` is one of "+strings.Join(problem.Suites(), ", "))
	flags.Var(nameList(&f.problems), "problems", "`NAMES` of problems with commas between them: built-in ones (untwist problems lists them) and problem files")
	flags.Var(countList(&f.dims), "dim", "numbers of dimensions d, with commas between them (default 10)")
	flags.Var(nameList(&f.mixes), "mix", "`NAMES` of mixing matrices: any of "+strings.Join(problem.Mixes(), ", ")+" (default each problem's own)")
	f.blemishes.register(flags)
	flags.Var(methodList(&f.methods), "methods", "`LIST` of methods with commas between them; may be given several times (default auto,cmaes)")
	flags.Var(count(&f.chosen.Runs), "seeds", "runs of each method on each problem, each at a seed of its own")
	flags.Var(seed(&f.chosen.Seed), "seed", "the first seed (default 0)")
	flags.Var(text(&f.chosen.Budget), "budget", "the most queries of a run: a number, or a `FORMULA` of d with + - * / ^ ( )")
	flags.Var(numberList(&f.chosen.Targets), "targets", "what to reach, with commas between them; runs stop at the least (default 100,10,1,0.1,0.01,1e-4,1e-6,1e-8)")
	flags.Var(text(&f.file), "grid", "read the flags from `FILE`, in TOML")
	flags.Var(text(&f.out), "out", "keep runs and write tables and pictures in `DIR`")
	flags.Var(text(&f.chosen.Name), "name", "what the files are called, instead of what follows from the flags; files of this name are overwritten")
	flags.Var(count(&f.jobs), "jobs", "how many runs are made at a time; this never changes a result")
	toggle(flags, &f.convergence, "convergence", "draw the convergence too, for each problem whose minimum is known")
	toggle(flags, &f.json, "json", "print one JSON object")
	toggle(flags, &f.quiet, "quiet", "show no progress")
}

// run makes the runs that are missing, and the comparison.
func (f *compareFlags) run(cmd *cobra.Command) (err error) {
	from, err := f.source(cmd.Flags())
	if err != nil {
		return err
	}
	g, err := f.grid(cmd, from)
	defer func() { err = cmp.Or(err, closeMethods(g.Methods)) }()
	if err != nil {
		return err
	}
	return runGrid(&f.gridFlags, cmd, g, "runs.jsonl", func(ctx context.Context, s *store.Store) (experiment.Comparison, error) {
		c, err := g.Compare(ctx, s)
		c.Convergence = f.convergence
		return c, err
	})
}
