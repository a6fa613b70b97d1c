package main

import (
	"context"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

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
	box := s.start
	if box.IsZero() {
		box = s.bounds
	}
	test := certify.Test{Box: box, Bounds: s.bounds, Most: trueSplits, Seed: s.seed}
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
