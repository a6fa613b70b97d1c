package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// table1Flags are the flags of reproduce table1 as they were given.
type table1Flags struct {
	experiment.Table1
	gridFlags
	file   string
	from   []string
	stored bool
}

// table1Command makes Table 1 of the paper.
func table1Command() *cobra.Command {
	f := table1Flags{gridFlags: gridFlags{jobs: runtime.GOMAXPROCS(0)}}
	cmd := &cobra.Command{
		Use:   "table1 [--out DIR]",
		Short: "Count how often each method finds the minimum of each problem",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.Var(text(&f.out), "out", "keep runs and write tables in `DIR` (default table1-dN for N dimensions)")
	flags.Var(count(&f.Runs), "runs", "runs of each method on each problem, each at a seed of its own (default 100)")
	flags.Var(count(&f.Dim), "dim", "number of dimensions d (default 100)")
	flags.Var(count(&f.Budget), "budget", "the most queries of a run, 20000 or 2e4 for example (default 500·dim²)")
	flags.StringSliceVar(&f.Problems, "problems", nil, "`NAMES` with commas between them: any of "+problem.Choice()+" (default the paper's four)")
	flags.StringSliceVar(&f.Methods, "methods", nil, "`NAMES` with commas between them: any of "+strings.Join(experiment.MethodNames(), ", ")+" (default all but the last three)")
	flags.Var(seed(&f.Seed), "seed", "the first seed (default 0)")
	flags.Var(above0.flag(&f.Gap), "gap", "a run succeeds if it comes this close to the minimum (default 0.005)")
	flags.Var(text(&f.Mix), "mix", "mixing matrix W: one of "+strings.Join(problem.Mixes(), ", ")+" (default paper)")
	flags.Var(text(&f.file), "grid", "read the experiment from `FILE`")
	flags.StringArrayVar(&f.from, "from", nil, "take runs that are missing from the store `FILE` first; may be given several times")
	flags.BoolVar(&f.stored, "stored", false, "make no run: show those that are there")
	flags.Var(count(&f.jobs), "jobs", "how many runs are made at a time")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// complete reads the file, if there is one, and fills in the defaults.
func (f *table1Flags) complete(cmd *cobra.Command) error {
	trim(f.Problems)
	trim(f.Methods)
	given := cmd.Flags().Changed
	if f.file != "" {
		if err := readGrid(f.file, &f.Table1, given); err != nil {
			return usageError{fmt.Errorf("--grid: %s %w", f.file, err)}
		}
	}
	err := f.Complete()
	if bad, ok := errors.AsType[*objective.OptionError](err); ok && f.file != "" && !given(strings.ToLower(bad.Option)) {
		return usageError{fmt.Errorf("--grid: %s: %s: %s", f.file, strings.ToLower(bad.Option), bad.Reason)}
	}
	return new(source).usage(err)
}

// trim takes away spaces around names.
func trim(names []string) {
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
}

// run makes the runs that are missing and the table.
func (f *table1Flags) run(cmd *cobra.Command) error {
	if err := f.complete(cmd); err != nil {
		return err
	}
	for _, path := range f.from {
		if _, err := os.Stat(path); err != nil {
			return usageError{flagged("--from", err)}
		}
	}
	f.out = cmp.Or(f.out, fmt.Sprintf("table1-d%d", f.Dim))
	return runGrid(&f.gridFlags, cmd, table1Run{f.Table1, f.from, f.stored}, "table1.jsonl", f.Tabulate)
}

// A table1Run takes runs from other stores before it makes those that are still missing.
type table1Run struct {
	experiment.Table1
	from   []string
	stored bool // that is all
}

func (r table1Run) Run(ctx context.Context, s *store.Store, jobs int, notice func(experiment.Progress)) error {
	for _, path := range r.from {
		if _, err := r.Take(ctx, s, path); err != nil {
			return flagged("--from", err)
		}
	}
	if r.stored {
		return context.Cause(ctx)
	}
	return r.Table1.Run(ctx, s, jobs, notice)
}
