package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// journalCommand shows a journal.
func journalCommand() *cobra.Command {
	var asJSON, asCSV bool
	var to, value string
	cmd := &cobra.Command{
		Use:   "journal FILE",
		Short: "Show the journal of a run, or write its queries as CSV",
		Args:  takes(1, 1, "one file, the journal of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case asCSV && asJSON:
				return usageError{errors.New("--csv and --json exclude each other")}
			case asCSV && to != "":
				return usageError{errors.New("--csv and --report exclude each other")}
			case asCSV:
				return writeCSV(cmd.OutOrStdout(), args[0])
			}
			return showJournal(cmd, args[0], to, value, asJSON)
		},
	}
	flags := cmd.Flags()
	toggle(flags, &asCSV, "csv", "write all queries as CSV: query, a column for each parameter, value, seconds, failure, by")
	flags.Var(text(&to), "report", "write a page for people, with pictures, to `FILE.html`; what was learnt is found out by making the run again with these answers")
	flags.Var(text(&value), "value", "what the value is, with its unit in brackets, for --report: 'cost [EUR]'")
	toggle(flags, &asJSON, "json", "print one JSON object")
	return cmd
}

// showJournal prints what a journal says. If it is broken in the middle, what comes before
// is printed all the same.
func showJournal(cmd *cobra.Command, file, to, value string, asJSON bool) error {
	if err := writable("--report", to); err != nil {
		return err
	}
	t := tally{file: file, best: journal.Query{Answer: objective.Answer{Value: math.Inf(1)}}, reasons: map[string]int{}}
	summary, _ := journal.Read(file, nil) // what is wrong with it is said below
	t.rank = newRank(readAbout(summary.Header).Several)
	var err error
	t.summary, err = journal.Read(file, t.count)
	if err != nil && !errors.As(err, new(*journal.BrokenError)) {
		return unwrapped(err)
	}
	printed := show(cmd, t, t.String, asJSON)
	if err != nil || printed != nil || to == "" {
		return cmp.Or(err, printed)
	}
	ctx, stop := untilSignal()
	defer stop()
	return reportJournal(ctx, file, to, value, t)
}

// A tally is what a journal comes to.
type tally struct {
	file           string
	summary        journal.Summary
	queries        int
	rank           rank
	best           journal.Query // its Number is 0 if no query has succeeded
	over           float64       // by how much it exceeds the limits; 0: it does not
	least          float64       // its value, as one that is to be small
	failures       objective.Failures
	reasons        map[string]int
	timed          int     // queries whose time is known
	seconds, worst float64 // in all, and at most
}

// mostReasons is how many different reasons of failures are counted.
const mostReasons = 1000

func (t *tally) count(q journal.Query) error {
	t.queries++
	if q.Seconds > 0 {
		t.timed++
		t.seconds += q.Seconds
		t.worst = max(t.worst, q.Seconds)
	}
	if failure := query.FailureOf(q.Answer); failure != nil {
		t.failures[failure.Kind]++
		reason := failure.Error()
		if _, known := t.reasons[reason]; !known && len(t.reasons) >= mostReasons {
			reason = "other reasons"
		}
		t.reasons[reason]++
	} else if over, value := t.rank.of(q.Answer); t.best.Number == 0 || cmp.Or(cmp.Compare(over, t.over), cmp.Compare(value, t.least), cmp.Compare(q.Number, t.best.Number)) < 0 {
		q.Point = slices.Clone(q.Point)
		t.best, t.over, t.least = q, over, value
	}
	return nil
}

// A reason is why queries failed.
type reason struct {
	Reason  string `json:"reason"`
	Queries int    `json:"queries"`
}

// commonest returns the reasons, the commonest first.
func (t tally) commonest() []reason {
	all := []reason{}
	for text, n := range t.reasons {
		all = append(all, reason{text, n})
	}
	slices.SortFunc(all, func(a, b reason) int {
		return cmp.Or(cmp.Compare(b.Queries, a.Queries), strings.Compare(a.Reason, b.Reason))
	})
	return all
}

// String returns the tally for people.
func (t tally) String() string {
	a := readAbout(t.summary.Header)
	var out strings.Builder
	line := func(name, format string, values ...any) {
		fmt.Fprintf(&out, "%-11s "+format+"\n", append([]any{name}, values...)...)
	}
	line("journal", "%s, begun %s", t.file, t.summary.Began.Format(time.DateTime))
	if text := a.function(); text != "" {
		line("objective", "%s", text)
	}
	for i, text := range a.lines() {
		line([]string{"parameters", ""}[min(i, 1)], "%s", text)
	}
	if text := flat(a.others); text != "" {
		line("options", "%s", text)
	}
	planned := ""
	if n := a.Budget; n > 0 {
		planned = " of " + words.Thousands(n) + " planned"
		if t.queries > n {
			planned = ", more than the " + words.Thousands(n) + " planned"
		}
	}
	line("queries", "%s%s", words.Thousands(t.queries), planned)
	for i, v := range t.summary.Voids {
		line([]string{"void", ""}[min(i, 1)], "%s from query %s on, which the run asks again: %s", words.Count(v.Queries, "answer", "answers"), words.Thousands(v.First), v.Why)
	}
	if n := t.leased(time.Now()); n > 0 {
		line("on lease", "%s", words.Count(n, "point", "points"))
	}
	if t.summary.Torn > 0 {
		line("", "the last %s hold no whole answer: one is being written, or the run was killed", words.Count(int(t.summary.Torn), "byte", "bytes"))
	}
	if t.best.Number > 0 {
		exceeds := ""
		if t.over > 0 {
			exceeds = "; no point keeps to all limits"
		}
		line("best value", "%v, query %s%s", t.best.Value, words.Thousands(t.best.Number), exceeds)
	}
	line("failures", "%s", t.failures)
	for i, r := range t.commonest() {
		if i == 5 {
			line("", "and %s", words.Count(len(t.reasons)-i, "other reason", "other reasons"))
			break
		}
		line("", "%s × %s", words.Thousands(r.Queries), r.Reason)
	}
	if t.timed > 0 {
		line("seconds", "%.3g an evaluation on average, %.3g at most, %.3g in all", t.seconds/float64(t.timed), t.worst, t.seconds)
	}
	if t.best.Number > 0 {
		out.WriteString(t.bestPoint(a))
	}
	return out.String()
}

// bestPoint returns the best point, with a line for each parameter that has a name.
func (t tally) bestPoint(d decided) string {
	if t.best.Point == nil {
		return "best point  not known: the journal keeps hashes of points\n"
	}
	if len(d.Parameters) == len(t.best.Point) {
		return "best point\n" + report.ParameterLines(d.Parameters, t.best.Point)
	}
	return "best point  " + strings.Trim(fmt.Sprint(t.best.Point), "[]") + "\n"
}
