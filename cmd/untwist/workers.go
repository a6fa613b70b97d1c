package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/cluster"
	"github.com/untwist/untwist/internal/words"
)

func workersCommand() *cobra.Command {
	var f accessFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "workers",
		Short: "Show the workers of the runs on a server",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.showWorkers(cmd, asJSON)
		},
	}
	f.register(cmd.Flags(), "the server, `URL`: nats://HOST:PORT or tls://HOST:PORT")
	toggle(cmd.Flags(), &asJSON, "json", "print one JSON object")
	return cmd
}

// showWorkers asks the coordinators on a server, and prints what they say.
func (f *accessFlags) showWorkers(cmd *cobra.Command, asJSON bool) error {
	if f.server == "" {
		return usageError{errors.New("which server? Give --server URL, such as nats://127.0.0.1:4222")}
	}
	access, err := f.access(false)
	if err != nil {
		return err
	}
	runs, err := cluster.Ask(f.server, access)
	if err != nil {
		return new(source).usage(err)
	}
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(formOf(runs))
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
	Runs []runForm `json:"runs"`
}

type runForm struct {
	Run       string       `json:"run"`
	Name      string       `json:"name"`
	Queries   int          `json:"queries"`
	Out       int          `json:"chunks_out"`
	Again     int          `json:"chunks_sent_again"`
	Different int          `json:"points_different"`
	Workers   []workerForm `json:"workers"`
}

type workerForm struct {
	Name      string  `json:"name"`
	State     string  `json:"state"`
	Reason    string  `json:"reason,omitempty"`
	Processes int     `json:"processes"`
	Chunks    int     `json:"chunks"`
	Points    int     `json:"points"`
	Failed    int     `json:"failed"`
	Failure   string  `json:"last_failure,omitempty"`
	Rate      float64 `json:"points_per_second"`
	Silent    float64 `json:"silent_seconds"`
}

// formOf returns what workers --json prints of these runs.
func formOf(runs []cluster.Status) workersForm {
	form := workersForm{Runs: []runForm{}}
	for _, r := range runs {
		one := runForm{Run: r.Run, Name: r.Name, Queries: r.Highest, Out: r.Out, Again: r.Retries, Different: r.Differ, Workers: []workerForm{}}
		for _, w := range r.Workers {
			one.Workers = append(one.Workers, workerForm{
				Name: w.Name, State: stateOf(w), Reason: w.Excluded, Processes: w.Procs, Chunks: w.Working, Points: w.Points,
				Failed: w.Failed, Failure: w.Failure, Rate: w.Rate, Silent: w.Silent,
			})
		}
		form.Runs = append(form.Runs, one)
	}
	return form
}

// stateOf says in a word what a worker does.
func stateOf(w cluster.WorkerStatus) string {
	switch {
	case w.Excluded != "":
		return "excluded"
	case w.Left:
		return "left"
	case w.Gone:
		return "gone"
	case w.Working > 0 || w.Rate > 0: // it says every 5 seconds what it works on
		return "works"
	}
	return "waits"
}

// crewInWords says who works, and on what.
func crewInWords(s cluster.Status) string {
	text := fmt.Sprintf("%s with %s, %s out", words.Count(s.Present(), "worker", "workers"), words.Count(s.Procs(), "process", "processes"), words.Count(s.Out, "chunk", "chunks"))
	if s.Retries > 0 {
		text += ", " + words.Thousands(s.Retries) + " sent again"
	}
	return text
}

// showRun prints the workers of a run.
func showRun(out io.Writer, s cluster.Status) error {
	fmt.Fprintf(out, "%s, run %s: %s, %s", s.Name, s.Run, words.Count(s.Highest, "query asked", "queries asked"), crewInWords(s))
	if s.Differ > 0 {
		fmt.Fprintf(out, ", %s with different values", words.Count(s.Differ, "point", "points"))
	}
	fmt.Fprintln(out)
	if len(s.Workers) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  worker\tprocesses\tpoints\tfailed\tpoints/s\tstate")
	for _, w := range s.Workers {
		state := stateOf(w)
		switch state {
		case "excluded":
			state = "gets no more work: " + w.Excluded
		case "gone":
			state += fmt.Sprintf(", silent for %v", time.Duration(w.Silent)*time.Second)
		}
		if w.Failure != "" && !strings.HasSuffix(w.Excluded, w.Failure) {
			state += "; last failure: " + w.Failure
		}
		fmt.Fprintf(table, "  %s\t%d\t%s\t%s\t%.3g\t%s\n", w.Name, w.Procs, words.Thousands(w.Points), words.Thousands(w.Failed), w.Rate, state)
	}
	return table.Flush()
}
