package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/page"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// minimizeFlags are the flags of minimize as they were given.
type minimizeFlags struct {
	runFlags
	knobs                       untwist.Knobs
	strategy, road, from, frame string
	trace                       traceFlags
}

// minimizeCommand minimises a function.
func minimizeCommand() *cobra.Command {
	var f minimizeFlags
	cmd := &cobra.Command{
		Use:     "minimize [FILE.toml]",
		Aliases: []string{"minimise"},
		Short:   "Minimise a function",
		Args:    oneFile,
		RunE:    f.with(f.minimize),
	}
	f.register(cmd.Flags())
	f.crew.register(cmd.Flags())
	f.trace.register(cmd.Flags())
	f.registerOutput(cmd.Flags(), "draw convergence, spectrum, couplings, profiles and the trace, as far as there are any, as SVG into `DIR`")
	return cmd
}

// register declares the flags, but for those of the output.
func (f *minimizeFlags) register(flags *pflag.FlagSet) {
	f.runFlags.register(flags)
	flags.Var(anyNumber.optional(&f.chosen.Target), "target", "stop at this value of f; for a built-in problem, at this gap above its known minimum")
	flags.Var(above0.flag(&f.chosen.Tolerance), "tolerance", "stop a search of which the last tenth of the queries gained less than this, in the unit of f")
	flags.Var(text(&f.from), "from", "start from the ten best points of `FILE`: the journal of an earlier run, or old evaluations as CSV, with a column for each parameter and one called value")
	flags.StringVar(&f.strategy, "strategy", untwist.DefaultStrategy().Name(), "one of "+strings.Join(untwist.Strategies(), ", "))
	registerIdentifier(flags, &f.road, "", "how to find the coordinates, for strategies that search in others than those given: one of "+strings.Join(identify.Names(), ", ")+" (default: the strategy's own way)")
	flags.Var(text(&f.frame), "frame", "take the coordinates from `FILE`, as probe --frame writes it, and look for no others")
	registerKnobs(flags, &f.knobs)
	flags.Var(list[string]{&f.knobs.CBO, "KEY=V", func(given string) []string { return []string{given} }, present("key")}, "cbo",
		"a variant of cbo; may be given several times (docs/cbo.md). KEY=V is one of\n  "+strings.Join(cbo.Keys(), "\n  "))
}

// registerKnobs declares the flags of the settings that strategies have.
func registerKnobs(flags *pflag.FlagSet, k *untwist.Knobs) {
	flags.Var(count(&k.Particles), "particles", "number of particles of cbo (default 50), or the population λ of cmaes (default 4 + ⌊3 ln dim⌋)")
	flags.Var(atLeast0.optional(&k.Sigma), "sigma", "strength σ of the noise of cbo (default 7.1; cbo-isotropic: √(2/dim)), or the first step of cmaes in half-widths of the start box (default 0.6)")
	flags.Var(above0.optional(&k.Tau), "tau", "step size τ of cbo (default 0.03)")
	flags.Var(atLeast0.optional(&k.Share), "share", "share of the queries of a step from which strategy online learns the coordinates, below 1 (default 0.5; 0: as cbo)")
	flags.Var(atLeast0.optional(&k.Alpha), "alpha", "exponent α of the weights of cbo at the start (default 100); grows by 0.5 % a step to 1e5")
}

// minimize minimises a subject, prints what was found, and draws it.
func (f *minimizeFlags) minimize(cmd *cobra.Command, from *source, s subject, line *progressLine) error {
	if v := f.chosen.Target; s.hasMinimum() && v != nil && *v < 0 {
		return from.wrong("target", "%v, must be at least 0: it is a gap above the known minimum of %s", *v, s.words.Name)
	}
	trace, err := f.trace.begin()
	if err != nil {
		return err
	}
	if trace != nil {
		f.knobs.Observe = trace.see
	}
	options, err := f.options(s, line)
	if err != nil {
		return err
	}
	d := s.objective.Dim()
	if s.space != nil {
		d = s.space.Dim() // without those that are fixed
	}
	if err := cmp.Or(folder("--plot", f.plot), trace.open(d)); err != nil {
		return err
	}
	var result untwist.Result
	return f.conduct(cmd, s, line, &options, false, func(ctx context.Context, g objective.Objective) (_ untwist.Account, err error) {
		result, err = untwist.Minimize(ctx, g, options)
		return result.Account, err
	}, func(took time.Duration) finding {
		s.measureCoupling(result.Structure)
		if s.space == nil && !options.Bounds.IsZero() {
			s.words.Limited = searched(s, options)
		}
		found := report.Run{Subject: s.words, Known: s.known, Result: result, Took: took}
		return finding{found, page.Page{Run: found}, func() error { return trace.close(f.plot) }}
	})
}

// options translates the flags.
func (f *minimizeFlags) options(s subject, line *progressLine) (untwist.Options, error) {
	o := f.runFlags.options(s, line)
	o.Target, o.Points = s.target(o.Target), s.points
	var err error
	if o.Identifier, err = road(f.road); err != nil {
		return o, err
	}
	if o.Strategy, err = untwist.StrategyNamed(f.strategy, f.knobs); err != nil {
		return o, err
	}
	if o.Frame, o.Blocks, err = s.caller.frame(); err != nil {
		return o, err
	}
	if f.frame != "" {
		if o.Frame, o.Blocks, err = readFrame(f.frame); err != nil {
			return o, err
		}
	}
	if f.from != "" {
		earlier, err := earlierPoints(f.from, o.Journal.File, s)
		if err != nil {
			return o, usageError{fmt.Errorf("--from: %w", err)}
		}
		line.note(fmt.Sprintf("--from: the search starts from %s of %s", words.Count(len(earlier), "point", "points"), f.from))
		o.Points = slices.Concat(o.Points, earlier)
	}
	return o, nil
}
