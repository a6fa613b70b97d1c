package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/program"
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

// source reads the file of --grid, if there is one, and sets the flags that it names. A flag
// on the command line wins.
func (f *compareFlags) source(flags *pflag.FlagSet) (*source, error) {
	s := &source{flags: flags, lines: map[string]int{}}
	if f.file == "" {
		return s, nil
	}
	var known []string
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "grid" && flag.Name != "help" {
			known = append(known, flag.Name)
		}
	})
	file, err := program.ReadSettings(f.file, known)
	if err != nil {
		return nil, usageError{flagged("--grid", err)}
	}
	s.file = file
	return s, s.take(file.Run, isPathInGrid, func(setting program.Setting, flag *pflag.Flag) (bool, error) {
		key := setting.Key
		if s.typed(key) || key == "suite" && s.typed("problems") || key == "problems" && s.typed("suite") {
			return true, nil
		}
		if _, several := flag.Value.(several); len(setting.Values) > 1 && !several {
			return true, usageError{file.Wrong(setting.Line, "%s must be one value, not a list", key)}
		}
		return false, nil
	})
}

// isPathInGrid says that a setting of a grid's file is a path.
func isPathInGrid(key, value string) bool {
	return key == "out" || key == "coco" || key == "problems" && strings.HasSuffix(value, ".toml")
}

// flagOfGrid are the flags that set the options of a grid.
var flagOfGrid = map[string]string{
	"Problems": "problems", "Dim": "dim", "Methods": "methods", "Runs": "seeds", "Seed": "seed", "Budget": "budget", "Targets": "targets", "Name": "name",
}

// ofGrid turns an error that names an option of a grid into one that names its flag, and
// ofProblem does the same for an option of a problem.
func (s *source) ofGrid(err error) error { return s.usageOf(err, flagOfGrid) }
func (s *source) ofProblem(err error) error {
	return s.usage(s.usageOf(err, map[string]string{"Name": "problems"}))
}

// grid makes the grid that the flags describe. Its methods are to be closed, also after an error.
func (f *compareFlags) grid(cmd *cobra.Command, from *source) (g experiment.Grid, err error) {
	g = f.chosen
	if g.Methods, err = f.readMethods(cmd, from); err != nil {
		return g, err
	}
	names, err := f.problemNames(from)
	if err != nil {
		return g, err
	}
	known := !f.blemishes.unknown() // the minimum of every case
	for _, name := range names {
		if strings.HasSuffix(name, ".toml") {
			known = false
			err = f.own(cmd, from, name, &g)
		} else {
			err = f.builtIn(from, name, &g)
		}
		if err != nil {
			return g, err
		}
	}
	if err := g.Complete(); err != nil {
		return g, from.ofGrid(err)
	}
	if least := g.Targets[len(g.Targets)-1]; least < 0 && known {
		return g, from.wrong("targets", "%v, must be at least 0: targets are gaps above the known minima", least)
	}
	return g, nil
}

func (f *compareFlags) problemNames(from *source) ([]string, error) {
	switch {
	case f.suite != "" && len(f.problems) > 0:
		return nil, usageError{errors.New("--suite and --problems exclude each other: one names a suite of problems, the other each problem")}
	case f.suite != "":
		all, err := problem.Suite(f.suite)
		if err != nil {
			return nil, from.wrong("suite", "%v", bare(err))
		}
		return all, nil
	case len(f.problems) == 0:
		return nil, usageError{fmt.Errorf("which problems? Give --suite, one of %s, or --problems with names that untwist problems lists, or problem files",
			strings.Join(problem.Suites(), ", "))}
	}
	return f.problems, nil
}

// builtIn adds the cases of a built-in problem: every dimension, mix and blemish.
func (f *compareFlags) builtIn(from *source, name string, g *experiment.Grid) error {
	for _, d := range orElse(f.dims, 10) {
		for _, mix := range orElse(f.mixes, "") {
			for _, b := range f.blemishes.all() {
				spec := problem.Spec{Name: name, Dim: d, Mix: mix, Blemishes: b}
				c, err := experiment.BuiltIn(spec)
				if err != nil {
					return from.ofProblem(err)
				}
				for _, m := range g.Methods {
					if err := m.Suits(spec); err != nil {
						return from.ofGrid(err)
					}
				}
				g.Cases = append(g.Cases, c)
			}
		}
	}
	return nil
}

// orElse returns a list, or these values if it is empty.
func orElse[T any](list []T, values ...T) []T {
	if len(list) == 0 {
		return values
	}
	return list
}
