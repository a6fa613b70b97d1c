package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// makeProblem makes a built-in problem. This takes d³ steps if it has a matrix: minutes in
// 10,000 dimensions. So it is left unfinished at a signal, or if it takes longer than within; 0:
// it may take as long as it likes.
func makeProblem(spec problem.Spec, within time.Duration) (*problem.Problem, error) {
	ctx, stop := untilSignal()
	defer stop()
	var late <-chan time.Time
	if within > 0 {
		late = time.After(within)
	}
	var p *problem.Problem
	var err error
	done := make(chan struct{})
	go func() {
		p, err = problem.New(spec)
		close(done)
	}()
	select {
	case <-done:
		return p, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-late:
		return nil, fmt.Errorf("the time is spent, and %s in %s is not made yet: its matrix takes dim³ steps; give it more time, or choose --mix none",
			spec.Name, words.Count(spec.Dim, "dimension", "dimensions"))
	}
}

// trueSplits is over how many splits the true coupling is measured.
const trueSplits = 400

// measureCoupling measures the coupling of a built-in problem in its true frame, at the same
// kind of points as that of the frame found, if that is one of the findings. These are no
// queries.
func (s subject) measureCoupling(found *untwist.Structure) {
	p, ok := s.objective.(*problem.Problem)
	if !ok || s.known == nil || !report.Couples(found) || p.Dim() < 2 {
		return
	}
	test := certify.Test{Box: s.box(), Bounds: s.bounds, Most: trueSplits, Seed: s.seed}
	if c, err := test.Splits(context.Background(), clean{p}, p.Frame(), nil); err == nil && c.Splits > 0 {
		s.known.Coupling = &c.Coupling
	}
}

// clean is a problem without its blemishes, but with its couplings.
type clean struct{ *problem.Problem }

func (c clean) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return c.Clean(ctx, points, values)
}

// optionsOf returns what else a Spec says, in words.
func optionsOf(s problem.Spec) string {
	return strings.TrimSpace(s.Layout() + " " + s.Blemishes.String())
}

// builtIn is a built-in problem as a subject: everything is known about it.
func builtIn(p *problem.Problem, start, bounds objective.Box) subject {
	s := p.Spec()
	return subject{
		objective: p,
		words:     report.Subject{Name: s.Name, Dim: s.Dim, Components: s.Components, Mix: s.Mix, Options: optionsOf(s)},
		start:     start,
		bounds:    bounds,
		seed:      s.Seed,
		known: &report.Known{
			Minimum:    p.Minimum(),
			Attainable: s.Bounds == nil || s.Bounds.Contains(p.Minimiser()),
			Blocks:     p.Blocks(),
		},
	}
}

// builtIn makes a subject of a built-in problem.
func (f *subjectFlags) builtIn() (subject, error) {
	spec := f.spec
	bounds, err := parseBox(f.bounds, spec.Dim)
	if err != nil {
		return subject{}, objective.BadOption("Bounds", "%v", err)
	}
	if f.bounds != "" {
		spec.Bounds = &bounds
	}
	p, err := makeProblem(spec, f.time)
	if err != nil {
		return subject{}, err
	}
	start, err := parseBox(f.start, spec.Dim)
	if err != nil {
		return subject{}, objective.BadOption("Start", "%v", err)
	}
	if f.start == "" && f.bounds == "" {
		start = p.Domain()
	}
	s := builtIn(p, start, bounds)
	if f.mixint {
		box := start
		if f.bounds != "" {
			box = bounds
		}
		s.space, s.start, s.bounds, s.known = parameter.Mixint(box), objective.Box{}, objective.Box{}, nil
		s.words.Parameters = s.space
	}
	s.several.Limits, s.several.Maximize = f.several.Limits, f.several.Maximize
	if s.points, err = parsePoints(f.x0, parameter.Plain(spec.Dim)); err != nil {
		return subject{}, objective.BadOption("Points", "%v", err)
	}
	return s, nil
}

// blemishes are the names of the flags, in the order in which they are applied.
var blemishes = []string{
	"single", "coupling", "coupling-kind", "map", "noise", "noise-relative", "scale-value", "offset", "digits", "failing", "failing-beyond",
}

// registerBlemishes declares the flags that make a built-in problem less clean, with these values for
// three that may be lists.
func registerBlemishes(flags *pflag.FlagSet, b *problem.Blemishes, coupling, outer, noise pflag.Value) {
	flags.BoolVar(&b.Single, "single", false, "compute a built-in problem in single precision")
	flags.Var(coupling, "coupling", "add a coupling between components to a built-in problem, of `D` standard deviations of it; the minimum is then not known")
	flags.Var(text(&b.CouplingKind), "coupling-kind", "one of "+strings.Join(problem.CouplingKinds(), ", ")+" (default "+problem.CouplingKinds()[0]+")")
	flags.Var(outer, "map", "put a map around a built-in problem: one of "+strings.Join(problem.Maps(), ", "))
	flags.Var(noise, "noise", "add Gaussian noise of `S` standard deviations of a built-in problem over its domain")
	flags.Var(atLeast0.flag(&b.NoiseRelative), "noise-relative", "multiply the values of a built-in problem by 1 + `S`·ξ, ξ Gaussian")
	flags.Var(above0.flag(&b.ScaleValue), "scale-value", "multiply the values of a built-in problem by `A`")
	flags.Var(anyNumber.flag(&b.Offset), "offset", "add `B` to the values of a built-in problem, after the scale")
	flags.Var(count(&b.Digits), "digits", "round the values of a built-in problem to `N` significant digits")
	flags.Var(below1.flag(&b.Failing), "failing", "let a built-in problem fail at a share `P` of all points")
	flags.Var(atLeast0.optional(&b.FailingBeyond), "failing-beyond", "let a built-in problem fail beyond a random plane, `T` widths of its domain from its minimiser")
}

// blemishLists are the flags for what is not clean. Those that are lists are multiplied.
type blemishLists struct {
	problem.Blemishes
	couplings, noises []float64
	maps              []string
}

func (f *blemishLists) register(flags *pflag.FlagSet) {
	registerBlemishes(flags, &f.Blemishes, numberList(&f.couplings), nameList(&f.maps), numberList(&f.noises))
}

// unknown reports whether the minimum of some case is not known.
func (f *blemishLists) unknown() bool {
	return slices.ContainsFunc(f.couplings, func(v float64) bool { return v != 0 })
}

// all returns every combination.
func (f *blemishLists) all() (all []problem.Blemishes) {
	for _, outer := range orElse(f.maps, "none") {
		for _, noise := range orElse(f.noises, 0) {
			for _, coupling := range orElse(f.couplings, 0) {
				b := f.Blemishes
				b.Noise, b.Coupling = noise, coupling
				if outer != "none" {
					b.Map = outer
				}
				if coupling == 0 && f.unknown() { // the kind is for the others
					b.CouplingKind = ""
				}
				all = append(all, b)
			}
		}
	}
	return all
}

// problemsCommand lists the built-in problems.
func problemsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "problems",
		Short: "List the built-in problems",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(out).Encode(problem.Catalogue())
			}
			table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "NAME\tSTRUCTURE\tMIX\tg(y)")
			for _, e := range problem.Catalogue() {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", e.Name, e.Structure, cmp.Or(e.Mix, "own"), e.Formula)
			}
			return table.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
