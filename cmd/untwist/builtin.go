package main

import (
	"context"
	"fmt"
	"strings"
	"time"

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

// Evaluate evaluates the clean problem.
func (c clean) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return c.Clean(ctx, points, values)
}

var _ objective.Objective = clean{}

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
