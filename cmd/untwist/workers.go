package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/cluster"
	"github.com/untwist/untwist/internal/words"
)

// showWorkers asks the coordinators on a server, and prints what they say.
func (f *accessFlags) showWorkers(cmd *cobra.Command, asJSON bool) error {
	if f.server == "" {
		return usageError{errors.New("which server? Give --server URL, such as nats://127.0.0.1:4222")}
	}
	access, err := f.access(false)
	if err != nil {
		return err
	}
	runs, err := cluster.Ask(string(f.server), access)
	if err != nil {
		return asUsage(err)
	}
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(workersForm{runs})
	}
	if len(runs) == 0 {
		return fmt.Errorf("%s: there is no run on the server", f.server)
	}
	for _, r := range runs {
		if err := showRun(cmd.OutOrStdout(), r); err != nil {
			return err
		}
	}
	return nil
}

// A workersForm is what workers --json prints.
type workersForm struct {
	Runs []cluster.Status `json:"runs"`
}

// showRun prints the workers of a run.
func showRun(out io.Writer, s cluster.Status) error {
	fmt.Fprintf(out, "%s (run %s): %s with %s; %s asked, %s out, %s sent again",
		s.Name, s.Run, words.Count(s.Present(), "worker", "workers"), words.Count(s.Procs(), "process", "processes"),
		words.Count(s.Highest, "query", "queries"), words.Count(s.Out, "chunk", "chunks"), words.Thousands(s.Retries))
	if s.Differ > 0 {
		fmt.Fprintf(out, ", %s with different values", words.Count(s.Differ, "point", "points"))
	}
	fmt.Fprintln(out)
	if len(s.Workers) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  worker\tprocesses\tpoints\tfailed\tpoints/s\t")
	for _, w := range s.Workers {
		state := ""
		switch {
		case w.Excluded != "":
			state = "no more work: " + w.Excluded
		case w.Gone:
			state = "gone"
		}
		fmt.Fprintf(table, "  %s\t%d\t%s\t%s\t%.3g\t%s\n", w.Name, w.Procs, words.Thousands(w.Points), words.Thousands(w.Failed), w.Rate, state)
	}
	return table.Flush()
}
