package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/internal/words"
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
	return runGrid(&f.gridFlags, cmd, table1Run{f.Grid(), f.from, f.stored}, "table1.jsonl", f.Tabulate)
}

// A table1Run takes runs from other stores before it makes those that are still missing.
type table1Run struct {
	experiment.Grid
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
	return r.Grid.Run(ctx, s, jobs, notice)
}

// A gridFile is a grid as it stands in a file. A field that was left out is nil.
type gridFile struct {
	Problems *[]string `json:"problems"`
	Methods  *[]string `json:"methods"`
	Dim      *int      `json:"dim"`
	Runs     *int      `json:"runs"`
	Seed     *uint64   `json:"seed"`
	Budget   *int      `json:"budget"`
	Gap      *float64  `json:"gap"`
	Mix      *string   `json:"mix"`
}

// readGrid reads those fields of a grid from a file that no flag has given. The words of an error go on after the file's name.
func readGrid(path string, g *experiment.Table1, given func(flag string) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	var in *gridFile
	if err := decoder.Decode(&in); err != nil {
		return inWords(err)
	}
	if _, err := decoder.Token(); in == nil || err != io.EOF {
		return errors.New("must hold one JSON object and no more")
	}
	return in.into(g, given)
}

// into sets those fields of a grid that the file has. A number that stands in the file is
// never taken for a default, even if it is 0.
func (in *gridFile) into(g *experiment.Table1, given func(flag string) bool) error {
	for _, n := range []struct {
		name  string
		value *int
	}{{"dim", in.Dim}, {"runs", in.Runs}, {"budget", in.Budget}} {
		if n.value != nil && *n.value < 1 {
			return fmt.Errorf("has %s %d, which must be at least 1", n.name, *n.value)
		}
	}
	if in.Gap != nil && !(*in.Gap > 0) {
		return fmt.Errorf("has gap %v, which must be above 0", *in.Gap)
	}
	if in.Mix != nil && *in.Mix == "" {
		return errors.New("has an empty mix")
	}
	put(given("problems"), &g.Problems, in.Problems)
	put(given("methods"), &g.Methods, in.Methods)
	put(given("dim"), &g.Dim, in.Dim)
	put(given("runs"), &g.Runs, in.Runs)
	put(given("seed"), &g.Seed, in.Seed)
	put(given("budget"), &g.Budget, in.Budget)
	put(given("gap"), &g.Gap, in.Gap)
	put(given("mix"), &g.Mix, in.Mix)
	return nil
}

// put sets *to to *from, unless it is given already or from is nil.
func put[T any](given bool, to, from *T) {
	if !given && from != nil {
		*to = *from
	}
}

// An experimentGrid is a grid of runs with its store.
type experimentGrid interface {
	OpenStore(ctx context.Context, path string) (*store.Store, error)
	Run(ctx context.Context, s *store.Store, jobs int, notice func(experiment.Progress)) error
}

// A table is what comes of the runs of a grid.
type table interface {
	Text() string
	Tallied() experiment.Tally
	Write(dir string) ([]string, error)
	Draw(dir string) ([]string, error)
}

// showTable prints a table, writes it to a folder and draws it, and returns the files. What was
// printed is not lost if the program is ended while it draws.
func showTable(cmd *cobra.Command, t table, dir string, asJSON bool) ([]string, error) {
	printed := show(cmd, t, t.Text, asJSON)
	written, wrote := t.Write(dir)
	drawn, drew := t.Draw(dir)
	return append(written, drawn...), cmp.Or(printed, wrote, drew)
}

// gridFlags say where the runs of a grid are kept, and how they are made and shown.
type gridFlags struct {
	out         string
	jobs        int
	quiet, json bool
}

// runGrid makes the runs of a grid that are not in the store, in a file of this name, and shows the
// table of those that are there, also after a signal.
func runGrid[T table](f *gridFlags, cmd *cobra.Command, g experimentGrid, file string, tabulate func(context.Context, *store.Store) (T, error)) (err error) {
	if err := folder("--out", f.out); err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	s, err := g.OpenStore(ctx, filepath.Join(f.out, file))
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, new(*store.OtherError)):
		return fmt.Errorf("%w; name another folder by --out", err)
	case err != nil:
		return err
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	line := newProgressLine(cmd.ErrOrStderr(), f.quiet)
	err = g.Run(ctx, s, f.jobs, func(p experiment.Progress) { line.write(gridParts(p)) })
	line.clear()
	if err != nil && !errors.Is(err, context.Cause(ctx)) { // other than a signal
		return err
	}
	t, err := tabulate(context.WithoutCancel(ctx), s)
	if err != nil {
		return err
	}
	files, err := showTable(cmd, t, f.out, f.json)
	if err != nil {
		return err
	}
	sayWritten(cmd, files)
	if ctx.Err() != nil {
		note(cmd, "interrupted after %s; they are kept, and the same command goes on", ofRuns(t.Tallied()))
		return context.Cause(ctx)
	}
	return nil
}

// sayWritten says which files were written: the first as it is, and of the others what comes
// after the part that all have in common.
func sayWritten(cmd *cobra.Command, files []string) {
	if len(files) == 0 {
		return
	}
	common := files[0]
	for _, f := range files {
		for !strings.HasPrefix(f, common) {
			common = common[:len(common)-1]
		}
	}
	endings := lists.Map(files[1:], func(f string) string { return strings.TrimPrefix(f, common) })
	note(cmd, "written: %s", strings.Join(append([]string{files[0]}, endings...), ", "))
}

// ofRuns says how many of all runs are done.
func ofRuns(t experiment.Tally) string {
	return words.Thousands(t.Done) + " of " + words.Count(t.Total, "run", "runs")
}

// gridParts are the runs that are done, the time left, and the run that was begun or ended
// last.
func gridParts(p experiment.Progress) []part {
	left := ""
	if p.Left >= 0 {
		left = fmt.Sprintf("about %s left", p.Left.Round(time.Second))
	}
	return []part{
		{ofRuns(p.Tally), 1}, {left, 2},
		{fmt.Sprintf("(%s on %s, seed %d)", p.Now.Method, p.Now.Problem, p.Now.Seed), 3},
	}
}
