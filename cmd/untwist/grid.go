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
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/experiment"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/internal/words"
)

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
	endings := []string{files[0]}
	for _, f := range files[1:] {
		endings = append(endings, strings.TrimPrefix(f, common))
	}
	note(cmd, "written: %s", strings.Join(endings, ", "))
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
