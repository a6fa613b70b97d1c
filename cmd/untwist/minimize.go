package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/report"
)

// minimizeFlags are the flags of minimize as they were given.
type minimizeFlags struct {
	subject           subjectFlags
	x0                []string
	budget, workers   count
	target            number
	strategy, road    string
	particles         count
	sigma, tau, alpha number
	frame, plot       text
	json, quiet       bool
}

// minimizeCommand minimises a function.
func minimizeCommand() *cobra.Command {
	f := minimizeFlags{target: atLeast0(), sigma: atLeast0(), tau: above0(), alpha: atLeast0()}
	cmd := &cobra.Command{
		Use:     "minimize --problem NAME",
		Aliases: []string{"minimise"},
		Short:   "Minimise a function",
		Long: `Minimise a built-in problem (untwist problems lists them).

The strategy auto looks for coordinates in which the function separates, searches along
them, and says what it has learnt. Where there are no such coordinates, it searches with
CMA-ES. --frame takes coordinates that probe has found, and --plot draws the run.

The best point ever evaluated is printed, with what it cost. With --target the search
stops at that gap above the problem's known minimum. Otherwise it goes on until its
strategy is done or the budget is spent. The same seed gives the same result, for any
number of --workers.

` + exitStatuses,
		Example: `  untwist minimize --problem rastrigin --dim 100 --plot pictures
  untwist minimize --problem rosenbrock --dim 20 --strategy cmaes --target 1e-8
  untwist minimize --problem levy --dim 5 --bounds -10:10 --seed 7 --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.subject.register(flags)
	flags.StringArrayVar(&f.x0, "x0", nil, "`V,V,…` or FILE with a point on each line: known points to start from; may be given several times")
	flags.Var(&f.budget, "budget", "the most queries to spend, 20000 or 2e4 for example (default 500·dim²)")
	flags.Var(&f.target, "target", "stop at this gap above the known minimum")
	flags.StringVar(&f.strategy, "strategy", untwist.DefaultStrategy().Name(), "one of "+strings.Join(untwist.Strategies(), ", "))
	flags.StringVar(&f.road, "road", "", "how to find the coordinates, for strategies that search in others than those given: one of "+strings.Join(identify.Names(), ", ")+" (default: the strategy's own way)")
	flags.Var(&f.frame, "frame", "take the coordinates from `FILE`, as probe --frame writes it, and look for no others")
	flags.Var(&f.plot, "plot", "draw convergence, spectrum, couplings and profiles, as far as there are any, as SVG into `DIR`")
	flags.Var(&f.particles, "particles", "number of particles of cbo (default 50), or the population λ of cmaes (default 4 + ⌊3 ln dim⌋)")
	flags.Var(&f.sigma, "sigma", "strength σ of the noise of cbo (default 7.1; cbo-isotropic: √(2/dim)), or the first step of cmaes in half-widths of the start box (default 0.6)")
	flags.Var(&f.tau, "tau", "step size τ of cbo (default 0.03)")
	flags.Var(&f.alpha, "alpha", "exponent α of the weights of cbo at the start (default 100); grows by 0.5 % a step to 1e5")
	flags.Var(&f.workers, "workers", "evaluate this many points at the same time (default 1; built-in problems use several cores by themselves)")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// run minimises the subject that the flags describe.
func (f *minimizeFlags) run(cmd *cobra.Command) error {
	s, err := f.subject.subject()
	if err != nil {
		return asUsage(err)
	}
	return f.minimize(cmd, s)
}

// minimize minimises a subject, prints what was found, and draws it.
func (f *minimizeFlags) minimize(cmd *cobra.Command, s subject) error {
	options, err := f.options(s)
	if err != nil {
		return asUsage(err)
	}
	if err := folder("--plot", f.plot); err != nil {
		return err
	}
	line := newProgressLine(cmd.ErrOrStderr(), f.quiet)
	options.Progress = line.show
	ctx, stop := untilSignal()
	defer stop()
	began := time.Now()
	result, err := untwist.Minimize(ctx, s.objective, options)
	line.clear()
	if result.Queries > 0 {
		found := report.Run{Subject: s.words, Known: s.known, Result: result, Took: time.Since(began)}
		err = cmp.Or(err, tell(cmd, found, f.json), draw(cmd, found, f.plot)) // in this order
	}
	if err != nil {
		return asUsage(err)
	}
	if result.Status == objective.Cancelled || ctx.Err() != nil { // while it was drawn, too
		return context.Cause(ctx)
	}
	return nil
}

// options translates the flags.
func (f *minimizeFlags) options(s subject) (untwist.Options, error) {
	o := untwist.Options{
		Start: s.start, Bounds: s.bounds, Seed: s.seed, Target: s.target(f.target.value),
		Budget: int(f.budget), Workers: int(f.workers),
	}
	var err error
	if o.Identifier, err = road(f.road); err != nil {
		return o, err
	}
	if o.Strategy, err = untwist.StrategyNamed(f.strategy, untwist.Knobs{
		Particles: int(f.particles), Sigma: f.sigma.value, Tau: f.tau.value, Alpha: f.alpha.value,
	}); err != nil {
		return o, err
	}
	if f.frame != "" {
		if o.Frame, o.Blocks, err = readFrame(string(f.frame)); err != nil {
			return o, err
		}
	}
	if o.Points, err = parsePoints(f.x0, s.words.Dim); err != nil {
		return o, objective.BadOption("Points", "%v", err)
	}
	return o, nil
}
