package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/strategy"
)

// minimizeFlags are the flags of minimize as they were given.
type minimizeFlags struct {
	problem           problemFlags
	start             text
	x0                []string
	budget, workers   count
	target            number
	strategy, road    string
	particles         count
	sigma, tau, alpha number
	frame, plot       text
	json, quiet       bool
}

// minimizeCommand minimises a built-in problem.
func minimizeCommand() *cobra.Command {
	f := minimizeFlags{target: atLeast0(), sigma: atLeast0(), tau: above0(), alpha: atLeast0()}
	cmd := &cobra.Command{
		Use:   "minimize --problem NAME",
		Short: "Minimise a function",
		Long: `Minimise a built-in problem (untwist problems lists them).

The strategy auto looks for coordinates in which the function separates, searches
along them, and says what it has learnt; where there are none it is CMA-ES. --frame
takes coordinates that probe has found, and --plot draws the run.

The best point ever evaluated is printed, with what it cost. --target stops at
that gap above the problem's known minimum; otherwise the search goes on until
its strategy is done or the budget is spent. Ctrl-C stops it, and the best so
far is printed. The same seed gives the same result, for any --workers.`,
		Example: `  untwist minimize --problem rastrigin --dim 100 --plot pictures
  untwist minimize --problem rosenbrock --dim 20 --strategy cmaes --target 1e-8
  untwist minimize --problem levy --dim 5 --bounds -10:10 --seed 7 --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.problem.register(flags)
	flags.Var(&f.start, "start", "`LO:HI` or FILE: where to look first, no limit (default the bounds, else the problem's domain)")
	flags.Var(&f.problem.bounds, "bounds", "`LO:HI` or FILE with a \"LO HI\" line for each coordinate: nothing outside is ever queried")
	flags.StringArrayVar(&f.x0, "x0", nil, "`V,V,…` or FILE with a point on each line: known points to start from; may be repeated")
	flags.Var(&f.budget, "budget", "the most queries to spend (default 500·dim²)")
	flags.Var(&f.target, "target", "stop at this gap above the known minimum")
	flags.StringVar(&f.strategy, "strategy", strategy.Default().Name(), "one of "+strings.Join(strategy.Names(), ", "))
	flags.StringVar(&f.road, "road", "", "how reparametrised, transformed and componentwise look for coordinates: one of "+strings.Join(identify.Names(), ", ")+" (default "+identify.Survey{}.Name()+")")
	flags.Var(&f.frame, "frame", "take the coordinates from `FILE`, as probe --frame writes it, and look for no others")
	flags.Var(&f.plot, "plot", "draw convergence, spectrum, couplings and profiles as SVG into `DIR`, as far as there are any")
	flags.Var(&f.particles, "particles", "number of particles of cbo (default 50), or the population λ of cmaes (default 4 + ⌊3 ln dim⌋)")
	flags.Var(&f.sigma, "sigma", "strength σ of the noise of cbo (default 7.1; cbo-isotropic: √(2/dim)), or the first step of cmaes in half-widths of the start box (default 0.6)")
	flags.Var(&f.tau, "tau", "step size τ of cbo (default 0.03)")
	flags.Var(&f.alpha, "alpha", "exponent α of the weights of cbo at the start (default 100); grows by 0.5 % a step to 1e5")
	flags.Var(&f.workers, "workers", "evaluate so many points at the same time (default 1: what is built in uses several cores by itself)")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// run minimises and prints what was found.
func (f *minimizeFlags) run(cmd *cobra.Command) error {
	p, err := f.problem.make()
	if err != nil {
		return asUsage(err)
	}
	options, err := f.options(p)
	if err != nil {
		return asUsage(err)
	}
	if err := folder(string(f.plot)); err != nil {
		return err
	}
	line := newProgressLine(cmd.ErrOrStderr(), f.quiet)
	options.Progress = line.show
	ctx, stop := untilInterrupted()
	defer stop()
	began := time.Now()
	result, err := untwist.Minimize(ctx, p, options)
	line.clear()
	if result.Queries > 0 {
		r := newMinimizeReport(p, result, time.Since(began))
		if err := r.print(cmd.OutOrStdout(), f.json); err != nil {
			return err
		}
		r.warn(cmd.ErrOrStderr())
	}
	if f.plot != "" && result.Queries > 0 {
		if drawn := drawRun(string(f.plot), result, p.Minimum()); drawn != nil && err == nil {
			err = fmt.Errorf("--plot: %w", drawn)
		}
	}
	if err != nil {
		return asUsage(err)
	}
	if result.Status == objective.Cancelled {
		return errInterrupted
	}
	return nil
}

// options translates the flags.
func (f *minimizeFlags) options(p *problem.Problem) (untwist.Options, error) {
	o := untwist.Options{
		Budget:  int(f.budget),
		Seed:    p.Spec().Seed,
		Workers: int(f.workers),
	}
	var err error
	if f.road != "" {
		if o.Identifier, err = identify.Named(f.road); err != nil {
			return o, err
		}
	}
	if o.Strategy, err = strategy.Named(f.strategy, strategy.Knobs{
		Particles: int(f.particles), Sigma: f.sigma.value, Tau: f.tau.value, Alpha: f.alpha.value,
	}); err != nil {
		return o, err
	}
	if f.frame != "" {
		if o.Frame, o.Blocks, err = readFrame(string(f.frame)); err != nil {
			return o, err
		}
	}
	if o.Start, o.Bounds, err = boxes(string(f.start), p); err != nil {
		return o, err
	}
	if o.Points, err = parsePoints(f.x0, p.Dim()); err != nil {
		return o, objective.BadOption("Points", "%v", err)
	}
	if f.target.value != nil {
		o.Target = new(p.Minimum() + *f.target.value)
	}
	return o, nil
}

// warn says on standard error what the user should know about the figures.
func (r minimizeReport) warn(stderr io.Writer) {
	if !r.Attainable {
		fmt.Fprintln(stderr, "untwist: the minimiser that is known lies outside the bounds; the gap is to the minimum without them")
	}
	if r.FailedQueries > 0 {
		fmt.Fprintf(stderr, "untwist: %d queries failed (NaN or +Inf)\n", r.FailedQueries)
	}
}
