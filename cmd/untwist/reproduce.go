package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/problem"
)

// reproduceCommand repeats what the paper shows.
func reproduceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Repeat what the paper shows, and answer what it asks",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("cannot reproduce %q: must be one of %s", args[0], strings.Join(reproducible(cmd), ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(allCommand(), table1Command(), figure1Command())
	for _, q := range questions {
		cmd.AddCommand(q.command())
	}
	return cmd
}

func reproducible(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func figure1Command() *cobra.Command {
	f, out := experiment.Figure1{Seed: experiment.Figure1Seed}, "."
	cmd := &cobra.Command{
		Use:   "figure1 [--out DIR]",
		Short: "Draw how particles move with the different noises",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return drawFigure1(cmd, f, out)
		},
	}
	flags := cmd.Flags()
	flags.Var(text(&out), "out", "draw into `DIR`")
	flags.Var(seed(&f.Seed), "seed", "all randomness follows from it: b, W, the start and the noise")
	return cmd
}

// drawFigure1 computes, prints and draws, in this order.
func drawFigure1(cmd *cobra.Command, f experiment.Figure1, dir string) error {
	if err := folder("--out", dir); err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	journeys, err := f.Run(ctx)
	if err == nil {
		_, printed := fmt.Fprint(cmd.OutOrStdout(), f.Table(journeys))
		err = cmp.Or(printed, f.Draw(ctx, dir, journeys))
	}
	return cmp.Or(context.Cause(ctx), err)
}

// An openQuestion is one that the paper leaves open, or claims to have answered, and that a sweep
// answers.
type openQuestion struct {
	name, short string
	problems    string // the default, in words
	sizes       string // what --sizes are, in words; "": there is no such flag
	dims        bool   // it sweeps the dimension
	sweep       func(e experiment.Extent, dims []int) (experiment.Sweep, error)
}

// questions are those that sweeps answer.
var questions = []openQuestion{
	{"errors", "Measure how much errors of the coordinates matter", papersFour, "sizes of E, without the roads", false, extent(experiment.Errors)},
	{"allocation", "Measure how queries should be allotted to Hessians and to CBO", papersFour, "", false, extent(experiment.Allocation)},
	{"approximate", "Measure what couplings do to the methods", papersFour, "couplings D", false, extent(experiment.Approximate)},
	{"scaling", "Measure how the queries of CBO grow with the dimension", "rastrigin and squared-norm", "", true, experiment.Scaling},
}

const papersFour = "the paper's four"

// extent makes a sweep of its extent alone.
func extent(sweep func(experiment.Extent) (experiment.Sweep, error)) func(experiment.Extent, []int) (experiment.Sweep, error) {
	return func(e experiment.Extent, _ []int) (experiment.Sweep, error) { return sweep(e) }
}

// sweepFlags are the flags of a question as they were given.
type sweepFlags struct {
	experiment.Extent
	gridFlags
	dims []int // instead of one
}

// command answers the question.
func (q openQuestion) command() *cobra.Command {
	f := sweepFlags{gridFlags: gridFlags{jobs: runtime.GOMAXPROCS(0)}}
	cmd := &cobra.Command{
		Use:   q.name + " [--out DIR]",
		Short: q.short,
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd, q) },
	}
	flags := cmd.Flags()
	if q.dims {
		f.out = q.name
		flags.Var(text(&f.out), "out", "keep runs and write tables in `DIR`")
		flags.Var(countList(&f.dims), "dims", "dimensions (default 10, 20, 50, 100, 200, 500, 1000)")
		flags.Var(nameList(&f.Methods), "methods", "any of anisotropic, isotropic, transformed (default all)")
	} else {
		flags.Var(text(&f.out), "out", "keep runs and write tables in `DIR` (default "+q.name+"-dN for N dimensions)")
		flags.Var(count(&f.Dim), "dim", "number of dimensions d, at least 2 (default 100)")
	}
	if q.sizes != "" {
		flags.Var(numberList(&f.Sizes), "sizes", "only these "+q.sizes)
		flags.Var(nameList(&f.Methods), "methods", "only these, of the methods in the tables")
	}
	flags.Var(count(&f.Runs), "runs", "runs of each cell, each at a seed of its own (default 20)")
	flags.StringSliceVar(&f.Problems, "problems", nil, "`NAMES` with commas between them: any of "+problem.Choice()+" (default "+q.problems+")")
	flags.Var(seed(&f.Seed), "seed", "the first seed (default 0)")
	flags.Var(count(&f.jobs), "jobs", "how many runs are made at a time")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// run makes the runs that are missing, and the tables.
func (f *sweepFlags) run(cmd *cobra.Command, q openQuestion) error {
	trim(f.Problems)
	s, err := q.sweep(f.Extent, f.dims)
	if err != nil {
		return new(source).usage(err)
	}
	f.out = cmp.Or(f.out, fmt.Sprintf("%s-d%d", q.name, s.Cases[0].Dim))
	return runGrid(&f.gridFlags, cmd, s, q.name+".jsonl", s.Tabulate)
}

// allCommand makes what is measured and is of another state of the code.
func allCommand() *cobra.Command {
	list := false
	cmd := &cobra.Command{
		Use:   "all [NAME…] [--list]",
		Short: "Measure again what documents rest on and is of another state of the code",
		RunE:  func(cmd *cobra.Command, names []string) error { return reproduceAll(cmd, names, list) },
	}
	cmd.Flags().BoolVar(&list, "list", false, "make nothing: say of which state of the code each is, and what makes it")
	return cmd
}

// reproduceAll goes through the list of what is measured, or some of it, in the top folder of the repository.
func reproduceAll(cmd *cobra.Command, names []string, list bool) error {
	all, err := experiment.ReadMade(".")
	if errors.Is(err, os.ErrNotExist) {
		return usageError{fmt.Errorf("there is no %s here: this command is for the top folder of the repository", experiment.MadeFile)}
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(m experiment.Made) bool { return m.Name == name }) {
			return usageError{fmt.Errorf("%s has no %s", experiment.MadeFile, name)}
		}
	}
	sources, err := experiment.NewSources(".")
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	defer table.Flush()
	for i := range all {
		m := &all[i]
		if len(names) > 0 && !slices.Contains(names, m.Name) {
			continue
		}
		today, err := sources.Sum(m.Packages)
		if err != nil {
			return err
		}
		if list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.Name, m.State(today), m.Takes, m.Command)
			continue
		}
		if m.Current(today) || m.Repeats == "by hand" && len(names) == 0 {
			continue
		}
		if err := makeAgain(cmd, m, today); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if m.Repeats == "by hand" {
			note(cmd, "%s: this goes into the page by hand", m.Name)
			continue
		}
		m.Stamp(today)
		if err := experiment.WriteMade(".", all); err != nil {
			return err
		}
	}
	return nil
}

// makeAgain runs the command, which goes on where it was ended, unless the code is another one.
func makeAgain(cmd *cobra.Command, m *experiment.Made, today string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out := filepath.Join(".reproduce", m.Name+"-"+today)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	note(cmd, "%s (%s): %s", m.Name, m.Takes, m.Command)
	ctx, stop := untilSignal()
	defer stop()
	sh := exec.CommandContext(ctx, "sh", "-ec", `untwist() { "$UNTWIST" "$@"; }; `+m.Command)
	sh.Env = append(os.Environ(), "OUT="+out, "UNTWIST="+self)
	sh.Stdout, sh.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	return sh.Run()
}
