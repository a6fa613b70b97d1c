package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
)

// probeFlags are the flags of probe as they were given.
type probeFlags struct {
	problem         problemFlags
	road            string
	start           text
	budget, workers count
	frame, plot     text
	json, quiet     bool
}

// probeCommand finds the frame of a built-in problem.
func probeCommand() *cobra.Command {
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "probe --problem NAME",
		Short: "Find and certify the coordinates in which a function separates",
		Long: `Find the coordinates in which a built-in problem separates (untwist problems
lists them), from function values alone, and certify how well they fit. No search
is made.

The verdict is "separable", "blocks" (the coordinates couple in groups),
"not-separable", or "unknown" where the budget ended it. The certificate is the
size of mixed differences f(x+a+b) - f(x+a) - f(x+b) + f(x) beside single ones
f(x+a) - f(x), over random splits of the coordinates into a and b, and for each
coordinate or block against all others: 0 if they separate the function. For
built-in problems the true coordinates are known, and the errors are printed too.`,
		Example: `  untwist probe --problem rastrigin --dim 100
  untwist probe --problem rosenbrock-pairs --dim 30 --frame frame.json --plot .`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.problem.register(flags)
	flags.StringVar(&f.road, "road", identify.Survey{}.Name(), "how to look: one of "+strings.Join(identify.Names(), ", ")+"; paper is Algorithm 1 of the paper, with its settings, for 3·dim²·(dim+1) queries")
	flags.Var(&f.start, "start", "`LO:HI` or FILE: where to sample, no limit (default the bounds, else the problem's domain)")
	flags.Var(&f.problem.bounds, "bounds", "`LO:HI` or FILE with a \"LO HI\" line for each coordinate: nothing outside is ever queried")
	flags.Var(&f.budget, "budget", "the most queries to spend (default 500·dim²)")
	flags.Var(&f.workers, "workers", "evaluate so many points at the same time (default 1: what is built in uses several cores by itself)")
	flags.Var(&f.frame, "frame", "write the coordinates to `FILE` as JSON")
	flags.Var(&f.plot, "plot", "draw spectrum.svg and couplings.svg into `DIR`")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

// run probes and prints what was found.
func (f *probeFlags) run(cmd *cobra.Command) error {
	p, err := f.problem.make()
	if err != nil {
		return asUsage(err)
	}
	start, bounds, err := boxes(string(f.start), p)
	if err != nil {
		return asUsage(err)
	}
	by, err := identify.Named(f.road)
	if err != nil {
		return asUsage(err)
	}
	if err := f.writable(); err != nil {
		return err
	}
	line := newProgressLine(cmd.ErrOrStderr(), f.quiet)
	ctx, stop := untilInterrupted()
	defer stop()
	began := time.Now()
	found, err := untwist.Probe(ctx, p, untwist.Options{
		Identifier: by, Start: start, Bounds: bounds, Budget: int(f.budget), Seed: p.Spec().Seed,
		Workers: int(f.workers), Progress: line.show,
	})
	line.clear()
	if found.Queries > 0 || err == nil {
		r := newProbeReport(p, found, time.Since(began))
		if err := r.print(cmd.OutOrStdout(), f.json); err != nil {
			return err
		}
		if found.Failed > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "untwist: %d queries failed (NaN or +Inf)\n", found.Failed)
		}
	}
	if kept := f.keep(found); err == nil {
		err = kept
	}
	if err != nil {
		return asUsage(err)
	}
	if found.Status == objective.Cancelled {
		return errInterrupted
	}
	return nil
}

// writable finds out, before the first query, whether what was asked for can be
// written.
func (f *probeFlags) writable() error {
	if err := folder(string(f.plot)); err != nil {
		return err
	}
	if f.frame != "" {
		file, err := os.OpenFile(string(f.frame), os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return fmt.Errorf("--frame: %w", err)
		}
		return file.Close()
	}
	return nil
}

// keep writes the frame and the pictures.
func (f *probeFlags) keep(found untwist.Findings) error {
	if found.Frame == nil {
		return nil
	}
	if f.frame != "" {
		if err := writeFrame(string(f.frame), found.Structure); err != nil {
			return fmt.Errorf("--frame: %w", err)
		}
	}
	if f.plot == "" {
		return nil
	}
	if found.Spectrum.Values == nil {
		return errors.New("--plot: no Hessian was needed, so there is nothing to draw")
	}
	return drawStructure(string(f.plot), found.Structure)
}

// A probeReport is what probe prints.
type probeReport struct {
	Problem       string           `json:"problem"`
	Dim           int              `json:"dim"`
	Components    int              `json:"components"`
	Mix           string           `json:"mix"`
	Seed          uint64           `json:"seed"`
	Status        objective.Status `json:"status"`
	Frame         *frameReport     `json:"frame"` // null: none was found
	RecoveryError finite           `json:"recovery_error"`
	CouplingError finite           `json:"coupling_error"`
	Recovered     int              `json:"recovered"` // rows found to 1e-4
	BlocksRight   bool             `json:"blocks_right"`
	Queries       int              `json:"queries"`
	Budget        int              `json:"budget"`
	FailedQueries int              `json:"failed_queries"`
	Seconds       float64          `json:"seconds"`
	Stages        []untwist.Stage  `json:"stages"`
	Spectrum      []float64        `json:"spectrum"`

	summary string
}

func newProbeReport(p *problem.Problem, found untwist.Findings, took time.Duration) probeReport {
	s := p.Spec()
	r := probeReport{
		Problem: s.Name, Dim: s.Dim, Components: s.Components, Mix: s.Mix, Seed: s.Seed,
		Status: found.Status, Frame: newFrameReport(&found.Structure, found.Queries),
		RecoveryError: finite(infinite), CouplingError: finite(infinite),
		Queries: found.Queries, Budget: found.Budget, FailedQueries: found.Failed,
		Seconds: took.Seconds(), Stages: found.Stages, Spectrum: found.Spectrum.Values,
		summary: found.String(),
	}
	if found.Frame == nil {
		return r
	}
	recovery, coupling, right := frame.CompareBlocks(p.Frame(), p.Blocks(), found.Frame, found.Blocks)
	if len(p.Blocks()) == p.Frame().Components() {
		c := frame.Compare(p.Frame(), found.Frame)
		recovery, coupling = c.Error(), c.Coupling
		r.Recovered = c.Recovered(1e-4)
	}
	r.RecoveryError, r.CouplingError, r.BlocksRight = finite(recovery), finite(coupling), right
	return r
}

// print writes the report for a program or for a person.
func (r probeReport) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(r)
	}
	verdict, certificate := certify.Unknown, "none"
	if r.Frame != nil {
		verdict = r.Frame.Verdict
		if r.Frame.Splits > 0 {
			alone := ""
			if float64(r.Frame.Alone) != infinite {
				alone = fmt.Sprintf(", %.1e for the worst alone", float64(r.Frame.Alone))
			}
			certificate = fmt.Sprintf("%.1e over %d random splits%s (rounding %.0e)",
				float64(r.Frame.Certificate), r.Frame.Splits, alone, float64(r.Frame.Rounding))
		}
	}
	fmt.Fprintf(out, `problem         %s, %d dimensions, %d components, mix %s, seed %d
found           %s
verdict         %s
certificate     %s
status          %s
`, r.Problem, r.Dim, r.Components, r.Mix, r.Seed, r.summary, verdict, certificate, r.Status)
	if r.Frame != nil {
		fmt.Fprintf(out, "recovery error  %.1e%s\ncoupling error  %.1e\n",
			float64(r.RecoveryError), anyBasis(r.Frame.Quadratic), float64(r.CouplingError))
	}
	_, err := fmt.Fprintf(out, "queries         %s of %s%s\nseconds         %.1f\n",
		words.Thousands(r.Queries), words.Thousands(r.Budget), where(r.Stages), r.Seconds)
	return err
}

// anyBasis explains the recovery error of a quadratic.
func anyBasis(quadratic bool) string {
	if quadratic {
		return " (of no importance: any conjugate basis separates a quadratic)"
	}
	return ""
}

// where says where the queries went.
func where(stages []untwist.Stage) string {
	total := map[string]int{}
	var order []string
	for _, s := range stages {
		if _, known := total[s.Name]; !known {
			order = append(order, s.Name)
		}
		total[s.Name] += s.Queries
	}
	text := ""
	for i, name := range order {
		text += [2]string{": ", ", "}[min(i, 1)] + words.Thousands(total[name]) + " " + name
	}
	return text
}
