package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/atomicfile"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/report"
)

// probeFlags are the flags of probe as they were given.
type probeFlags struct {
	subject         subjectFlags
	road            string
	budget, workers count
	frame, plot     text
	json, quiet     bool
}

// probeCommand finds the frame of a function.
func probeCommand() *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "probe --problem NAME",
		Short: "Find and certify the coordinates in which a function separates",
		Long: `Find the coordinates in which a built-in problem separates (untwist problems
lists them), from function values alone, and certify how well they fit. No search for the
minimum is made.

The verdict is "separable", "blocks" (the coordinates couple in groups),
"not-separable", or "unknown" if the budget was too small to tell. The certificate is the
size of mixed differences f(x+a+b) - f(x+a) - f(x+b) + f(x) relative to single differences
f(x+a) - f(x). It is measured for random splits of the coordinates into a and b, and for
each coordinate or block against all others, and is 0 if the function separates. The true
coordinates of built-in problems are known, so the errors are printed, too.

` + exitStatuses,
		Example: `  untwist probe --problem rastrigin --dim 100
  untwist probe --problem rosenbrock-pairs --dim 30 --frame frame.json --plot .`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.subject.register(flags)
	flags.StringVar(&f.road, "road", identify.Survey{}.Name(), "how to look: one of "+strings.Join(identify.Names(), ", ")+"; paper is Algorithm 1 of the paper, with its settings, for 3·dim²·(dim+1) queries")
	flags.Var(&f.budget, "budget", "the most queries to spend, 20000 or 2e4 for example (default 500·dim²)")
	flags.Var(&f.workers, "workers", "evaluate this many points at the same time (default 1; built-in problems use several cores by themselves)")
	flags.Var(&f.frame, "frame", "write the coordinates to `FILE` as JSON")
	flags.Var(&f.plot, "plot", "draw spectrum.svg and couplings.svg into `DIR`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// run probes the subject that the flags describe.
func (f *probeFlags) run(cmd *cobra.Command) error {
	s, err := f.subject.subject()
	if err != nil {
		return asUsage(err)
	}
	return f.probe(cmd, s)
}

// probe probes a subject, prints what was found, writes the frame and draws.
func (f *probeFlags) probe(cmd *cobra.Command, s subject) error {
	by, err := road(f.road)
	if err != nil {
		return asUsage(err)
	}
	if err := f.writable(); err != nil {
		return err
	}
	line := newProgressLine(cmd.ErrOrStderr(), f.quiet)
	ctx, stop := untilSignal()
	defer stop()
	began := time.Now()
	findings, err := untwist.Probe(ctx, s.objective, untwist.Options{
		Identifier: by, Start: s.start, Bounds: s.bounds, Budget: int(f.budget), Seed: s.seed,
		Workers: int(f.workers), Progress: line.show,
	})
	line.clear()
	found := report.Probe{Subject: s.words, Known: s.known, Findings: findings, Took: time.Since(began)}
	if err == nil || findings.Queries > 0 {
		err = cmp.Or(err, tell(cmd, found, f.json), f.keep(cmd, found), draw(cmd, found, f.plot)) // in this order
	}
	if err != nil {
		return asUsage(err)
	}
	if findings.Status == objective.Cancelled || ctx.Err() != nil { // while it was drawn, too
		return context.Cause(ctx)
	}
	return nil
}

// writable finds out, before the first query, whether what was asked for can be
// written.
func (f *probeFlags) writable() error {
	if err := folder("--plot", f.plot); err != nil || f.frame == "" {
		return err
	}
	if err := atomicfile.Check(string(f.frame)); err != nil {
		return fmt.Errorf("--frame: %w", err)
	}
	return nil
}

// keep writes the frame to the file of the flag --frame, if that was given. Where there is
// no frame, or f may not separate in it, it says so.
func (f *probeFlags) keep(cmd *cobra.Command, found report.Probe) error {
	if f.frame == "" {
		return nil
	}
	if found.Findings.Frame == nil {
		note(cmd, "--frame: no coordinates were found, so %s was not written", f.frame)
		return nil
	}
	if err := writeFrame(string(f.frame), found.Findings.Structure); err != nil {
		return fmt.Errorf("--frame: %w", err)
	}
	switch found.Verdict() {
	case certify.NotSeparable:
		note(cmd, "--frame: %s holds the best coordinates that were found, but f does not separate in them: the verdict is %s", f.frame, found.Verdict())
	case certify.Unknown:
		note(cmd, "--frame: %s holds coordinates that were not certified: the verdict is %s", f.frame, found.Verdict())
	}
	return nil
}
