package main

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/internal/words"
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
	coco                     string
}

// compareCommand compares methods.
func compareCommand() *cobra.Command {
	f := compareFlags{chosen: experiment.Grid{Runs: 15, Budget: "1000*d"}, gridFlags: gridFlags{jobs: runtime.GOMAXPROCS(0), out: "compare"}}
	cmd := &cobra.Command{
		Use:   "compare (--suite NAME | --problems NAMES) [--methods LIST]",
		Short: "Compare methods on many problems, dimensions and seeds",
		Long: `Run every method on every problem at every seed, and compare them: how often and after how
many queries each reaches several targets, and a verdict for each problem.

Methods (--methods, with commas between them) are
  NAME                          one of ` + strings.Join(experiment.MethodNames(), ", ") + `
  NAME=STRATEGY:KNOB=V:KNOB=V…  a strategy of minimize with other settings, under a name of
                                yours; the knobs are sigma, particles or population, tau,
                                alpha, share, identifier, and the keys of minimize --cbo:
                                small=cmaes:population=8, far=cbo:noise=isotropic:ess=0.5
  NAME=exec:CMD                 a program of yours that is an optimiser: see docs/optimisers.md
Problems (--problems) are built-in ones, or problem files of your own: a name that ends in
.toml. Targets are gaps above the minimum. Where nobody knows the minimum (problem files,
--coupling), they are values. --dim, --mix, --coupling, --map (none is one) and --noise are
lists too, with commas between their values: every combination is a case.

Every run is kept in DIR/runs.jsonl as it finishes. The command can be stopped at any moment;
started again, it goes on where it stopped. With more seeds, or other problems, dimensions
or methods, it makes the runs that are missing. The comparison of what was asked for this
time is printed, and written to DIR under a name that says what it is. So a smaller
comparison never overwrites a larger one.

--grid reads the flags from a file like the following. Where a flag says something else, the
flag counts:

  suite = "bbob"
  dim = [10, 40]
  methods = ["auto", "cmaes", "small=cmaes:population=8"]
  seeds = 15
  budget = "1000*d"

` + exitStatuses,
		Example: `  untwist compare --suite bbob --dim 10,40 --methods auto,cmaes --seeds 15 --budget '1000*d'
  untwist compare --problems rastrigin --methods 'auto,mine=exec:python3 mine.py' --seeds 5
  untwist compare --problems sim.toml --methods auto,cmaes --seeds 5 --budget 500 --targets 1,0.1`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
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
	flags.Var(text(&f.coco), "coco", "write the runs on BBOB functions to `DIR` in COCO's format, too, a folder for each method")
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
	if err == nil && f.coco != "" && !g.HasBBOB() {
		err = errors.New("--coco writes runs on BBOB functions without noise, map or coupling, and there are none: --suite bbob has them")
	}
	if err != nil {
		return err
	}
	return runGrid(&f.gridFlags, cmd, g, "runs.jsonl", func(ctx context.Context, s *store.Store) (experiment.Comparison, error) {
		c, err := g.Compare(ctx, s)
		c.Convergence = f.convergence
		return c, cmp.Or(err, f.toCOCO(cmd, c))
	})
}

// toCOCO writes the comparison in COCO's format if it is asked for.
func (f *compareFlags) toCOCO(cmd *cobra.Command, c experiment.Comparison) error {
	if f.coco == "" {
		return nil
	}
	files, err := c.WriteCOCO(f.coco)
	if err != nil {
		return err
	}
	note(cmd, "%s of COCO's format written to %s", words.Count(len(files), "file", "files"), f.coco)
	return nil
}
