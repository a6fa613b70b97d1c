package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/journal"
	"github.com/untwist/untwist/internal/program"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// runFlags are the flags that minimize and probe have in common.
type runFlags struct {
	subject            subjectFlags
	chosen             untwist.Options // what flags set directly
	points, accept     bool
	plot, report, live string
	json, quiet        bool
	sensitivity        bool
	crew               crewFlags
	began              time.Time // when the command began
}

// register declares the flags that say what is searched, when a run ends and what is kept of it.
func (f *runFlags) register(flags *pflag.FlagSet) {
	f.subject.register(flags)
	o := &f.chosen
	f.points = true
	flags.Var(count(&o.Budget), "budget", "the most queries to spend, 20000 or 2e4 for example (default 500·dim²; for a program, a budget or a time has to be given)")
	flags.Var(duration(&o.Time), "time", "the most time to spend: 90s, 10m, 2h (default no limit)")
	flags.Var(count(&o.Workers), "workers", "evaluate this many points of a built-in problem at the same time (default 1; they use several cores by themselves)")
	flags.Var(count(&o.Parallel), "parallel", "how many evaluations at the same time cost you no more than one: fewer rounds, for more queries (default 1)")
	flags.Var(above0.flag(&o.NoiseLevel), "noise-level", "the standard deviation of f's noise, in the unit of f, if you know it (default: auto measures it)")
	flags.Var(aShare.flag(&o.MaxFailures), "max-failures", "end the run if a larger share of the last 1,000 queries failed (default 0.95)")
	flags.Var(text(&o.Journal.File), "journal", "keep every answer in `FILE`; if the run is stopped, the same command goes on where it stood")
	toggle(flags, &f.points, "journal-points", "keep the points in the journal; with =false only a hash of each, for millions of cheap queries")
	toggle(flags, &f.accept, "accept-program", "go on with a journal although the program or a template was changed")
}

// registerOutput declares the flags that say what is printed and drawn.
func (f *runFlags) registerOutput(flags *pflag.FlagSet, drawn string) {
	flags.Var(text(&f.report), "report", "write a page for people, with pictures, to `FILE.html`: what the function is like, and what was found (docs/report.md)")
	flags.Var(text(&f.live), "live", "serve that page while the run goes on, for a browser at `HOST:PORT`, such as 127.0.0.1:8080 (docs/live.md)")
	toggle(flags, &f.sensitivity, "sensitivity", "say how much each parameter matters, with errors, from the queries of the run (--report does so, too; docs/sensitivity.md)")
	flags.Var(text(&f.plot), "plot", drawn)
	toggle(flags, &f.json, "json", "print one JSON object")
	toggle(flags, &f.quiet, "quiet", "show no progress")
}

// until returns the context of a run, which ends when the time since the
// command began is spent: a built-in problem takes some to be made.
func (f *runFlags) until(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.chosen.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, f.began.Add(f.chosen.Time), objective.ErrTime)
}

// with makes a command of what it does with the subject that the flags describe.
func (f *runFlags) with(do action) func(*cobra.Command, []string) error {
	return f.subject.with(func() (bool, error) {
		f.began, f.subject.time = time.Now(), f.chosen.Time
		return f.quiet, nil
	}, func(cmd *cobra.Command, from *source, s subject, line *progressLine) error {
		if err := f.fits(from, s); err != nil {
			return err
		}
		if d := s.objective.Dim(); f.chosen.Journal.File != "" && f.points && d >= cmaes.LargeFrom {
			note(cmd, "--journal: a point takes %s bytes; --journal-points=false keeps a hash of each instead", words.Thousands(8*d))
		}
		return do(cmd, from, s, line)
	})
}

// fits checks that the flags suit the subject.
func (f *runFlags) fits(from *source, s subject) error {
	if err := f.crew.fits(from, s, f.chosen.Journal.File, f.live); err != nil {
		return err
	}
	switch {
	case s.program == nil:
		return nil
	case from.given("workers"):
		return from.wrong("workers", "is for built-in problems; --procs says how many processes of a program run at the same time")
	case f.chosen.Budget == 0 && f.chosen.Time == 0:
		return usageError{errors.New("how long may it take? A program needs --budget N (queries) or --time 2h, or both")}
	}
	return nil
}

// options are those that minimize and probe have in common.
func (f *runFlags) options(s subject, line *progressLine) untwist.Options {
	o := f.chosen
	o.Parameters, o.Start, o.Bounds, o.Seed, o.KeepGoing = s.space, s.start, s.bounds, s.seed, f.subject.program.KeepGoing
	s.several.apply(&o)
	o.Journal.HashPoints, o.Journal.Note, o.Progress = !f.points, line.note, s.watch(line)
	if f.accept {
		o.Journal.Accept = acceptable
	}
	return o
}

// A finding is what came of a run: as it is printed and as a page, and how else it is kept.
type finding struct {
	outcome
	page page.Page
	keep func() error
}

// with adds how much each parameter matters.
func (f finding) with(matters *sensitivity.Indices) finding {
	f.page.Run.Sensitivity = matters
	switch o := f.outcome.(type) {
	case report.Run:
		o.Sensitivity = matters
		f.outcome = o
	case report.Probe:
		o.Sensitivity = matters
		f.outcome = o
	}
	return f
}

// conduct makes the run of a subject: ask asks, and found returns what came of it.
func (f *runFlags) conduct(cmd *cobra.Command, s subject, line *progressLine, options *untwist.Options, probes bool,
	ask func(context.Context, objective.Objective) (untwist.Account, error), found func(took time.Duration) finding) error {
	paper, err := f.paper(cmd, s, options)
	if err != nil {
		return err
	}
	ctx, stop := s.until()
	defer stop()
	if err := f.serve(paper, s, line, options, probes); err != nil {
		return err
	}
	defer paper.close(ctx)
	began := time.Now()
	line.start()
	var account untwist.Account
	function, crew := f.objective(s, line, options)
	timed, cancel := f.until(ctx)
	defer cancel()
	err = whileLocked(ctx, s.patience(), line.note, func() (err error) {
		account, err = ask(timed, function)
		return err
	})
	line.clear()
	differ := crew.close(cmd, err == nil && over(account.Status))
	if !errors.As(err, new(*objective.VoidError)) { // else there is nothing that could be told
		err = f.tell(cmd, s, paper, found(time.Since(began)), err)
		if s.caller != nil {
			return err
		}
	}
	return cmp.Or(f.ended(cmd, ctx, s, account, err), differ)
}

// tell tells what came of a run that ended with an error, or nil: to the caller, or to whoever
// reads what is printed. Then the page is written.
func (f *runFlags) tell(cmd *cobra.Command, s subject, paper *paper, found finding, err error) error {
	queries := found.page.Run.Result.Queries
	if paper != nil && queries > 0 && (f.sensitivity || f.report != "" && (f.json || s.caller != nil)) {
		found = found.with(paper.indices(found.page.Run.Result))
	}
	switch {
	case s.caller != nil:
		return s.caller.told(found, cmp.Or(err, found.keep(), paper.found(found.page)))
	case err == nil && queries == 0 && !found.page.Probe:
		note(cmd, "no query was answered before the run ended")
		if f.json {
			err = tell(cmd, found.outcome, true)
		}
	case err == nil || queries > 0 && !errors.Is(err, untwist.ErrAllFailed): // else there is nothing to tell
		err = cmp.Or(err, tell(cmd, found.outcome, f.json), found.keep(), draw(cmd, found.outcome, f.plot)) // in this order
	}
	return cmp.Or(err, paper.found(found.page))
}

// objective returns what is minimised or probed: the subject's function, or a crew of workers,
// which then is not nil and listens as soon as the journal is open.
func (f *runFlags) objective(s subject, line *progressLine, o *untwist.Options) (objective.Objective, *crew) {
	if !f.crew.wanted() {
		return line.watch(s), nil
	}
	c := &crew{subject: s, flags: &f.crew, line: line, journal: o.Journal.File, believe: o.KeepGoing}
	o.Workers = 1
	return c, c
}

// acceptable is what --accept-program accepts: another file, of another name too, and another
// template.
var acceptable = []string{"Objective.Executable", "Objective.Exec[0]", "Objective.Templates"}

// ended says how a run that was cut can go on, and returns the error of the command.
func (f *runFlags) ended(cmd *cobra.Command, ctx context.Context, s subject, a untwist.Account, err error) error {
	cancelled := err == nil && (a.Status == objective.Cancelled || ctx.Err() != nil) // while it was drawn, too
	if cut := cancelled || err != nil || a.Status == objective.TimeSpent; cut && a.Queries > 0 {
		f.sayHowToGoOn(cmd, s, a, err)
	}
	if cancelled {
		return context.Cause(ctx)
	}
	return s.explain(cmd, err)
}

// sayHowToGoOn prints the command that goes on, in a line of its own that can be pasted.
func (f *runFlags) sayHowToGoOn(cmd *cobra.Command, s subject, a untwist.Account, err error) {
	file := f.chosen.Journal.File
	var void *objective.VoidError
	failures := errors.As(err, new(*untwist.FailuresError))
	switch {
	case errors.As(err, new(*journal.LostError)): // the journal has said what is kept
	case errors.As(err, &void) && void.Marked != "":
		note(cmd, "the values from query %s on are marked as void in %s; mend the program, and run the same command again (with --accept-program, if its file has changed) to ask for them again:",
			words.Thousands(void.First), void.Marked)
		fmt.Fprintln(cmd.ErrOrStderr(), commandLine(cmd))
	case errors.As(err, &void) && file != "":
		note(cmd, "do not go on with %s: it has values that cannot be trusted", file)
	case failures && a.Resumed > 0:
		note(cmd, "%s of these %s come from %s; if the program was mended since, name another journal", words.Thousands(a.Resumed), words.Count(a.Queries, "query", "queries"), file)
	case errors.As(err, new(*journal.DivergedError)), failures: // it would end in the same way
	case file != "":
		note(cmd, "%s kept in %s; to go on, run the same command again:", words.Count(a.Queries, "query is", "queries are"), file)
		fmt.Fprintln(cmd.ErrOrStderr(), commandLine(cmd))
	case s.program != nil && a.Status != objective.TimeSpent:
		note(cmd, "the %s not kept; with --journal FILE every answer is kept, and the same command goes on", words.Count(a.Queries, "query of this run is", "queries of this run are"))
	}
}

// arguments is the annotation of the root command that holds the command's arguments.
const arguments = "arguments"

// commandLine returns the command as it was given, for a shell.
func commandLine(cmd *cobra.Command) string {
	name := program.Quote(os.Args[:1])
	if strings.Contains(os.Args[0], "/go-build") { // by go run, whose file is gone afterwards
		name = "go run github.com/untwist/untwist/cmd/untwist"
	}
	return name + " " + cmd.Root().Annotations[arguments]
}

// explain says what a user can do about an error of a run, where the error itself cannot
// know. It returns the error that is to be shown.
func (s subject) explain(cmd *cobra.Command, err error) error {
	if errors.Is(err, untwist.ErrAllFailed) {
		s.hint(cmd)
	}
	if differs, ok := errors.AsType[*journal.DiffersError](err); ok && s.program != nil && !slices.ContainsFunc(differs.Differences, decisive) {
		return fmt.Errorf("%s was begun with another program, or another version of it (%s): to go on all the same, add --accept-program; or name another journal",
			differs.File, strings.Join(changed(differs.Differences, s.program.Description().(program.Description)), ", "))
	}
	return err
}

// decisive says that a difference is one that --accept-program does not accept.
func decisive(d journal.Difference) bool {
	return !slices.ContainsFunc(acceptable, func(part string) bool { return strings.HasPrefix(d.Path, part) })
}

// changed returns the files of a program, and the templates, that differ.
func changed(all []journal.Difference, now program.Description) (files []string) {
	for _, d := range all {
		var i int
		if n, _ := fmt.Sscanf(d.Path, "Objective.Executable[%d]", &i); n == 1 && i < len(now.Executable) {
			files = append(files, now.Executable[i].Path)
		}
		if n, _ := fmt.Sscanf(d.Path, "Objective.Templates[%d]", &i); n == 1 && i < len(now.Templates) {
			files = append(files, "the template of "+now.Templates[i].Name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// hint says how the program got its points, if nobody has asked for that way.
func (s subject) hint(cmd *cobra.Command) {
	if s.unasked {
		note(cmd, "the command has no placeholder, so the program gets each point as a line on its standard input, and has to answer with a line that is the value and nothing else; if it takes its parameters as arguments, write {all}, or {name} for each, into the command")
	}
}
