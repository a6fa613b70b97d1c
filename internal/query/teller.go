package query

import (
	"context"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A wrapped objective has the dimension of what it wraps.
type wrapped struct{ f objective.Objective }

func (w wrapped) Dim() int { return w.f.Dim() }

// A Teller is an Objective that can tell each answer as soon as it is known, so that
// nothing is lost if a run ends within a batch.
type Teller interface {
	objective.Objective

	// Each does what Evaluate does. Besides, it calls tell(i, answer) once for every
	// value that it sets, as soon as the value is known. It may do so in any order and
	// from several goroutines at once, but tell is not called any more after Each has
	// returned. If Each returns a *PartialError, tell was called for every i < Done, and
	// may have been called for others. tell is not nil.
	Each(ctx context.Context, points *mat.Dense, values []float64, tell func(i int, a objective.Answer)) error
}

// Each evaluates f and calls tell for every value that is known: as soon as it is known
// if f is a Teller, and otherwise at the end of the batch.
func Each(ctx context.Context, f objective.Objective, points *mat.Dense, values []float64, tell func(i int, a objective.Answer)) error {
	if t, ok := f.(Teller); ok {
		return t.Each(ctx, points, values, tell)
	}
	err := f.Evaluate(ctx, points, values)
	for i, v := range values[:Evaluated(values, err)] {
		tell(i, objective.Answer{Value: v})
	}
	return err
}

// nobody listens.
func nobody(int, objective.Answer) {}

// later tells answers for the points of a batch from row lo on.
func later(lo int, tell func(int, objective.Answer)) func(int, objective.Answer) {
	return func(i int, a objective.Answer) { tell(lo+i, a) }
}

// A Cleaner is a benchmark's objective that knows what its values would be without noise,
// rounding and the like. If it is Blemished, a run's target is compared with clean values.
// Only a benchmark can know them.
type Cleaner interface {
	objective.Objective
	Blemished() bool // whether Clean differs from Evaluate
	Clean(ctx context.Context, points *mat.Dense, values []float64) error
}

// CleanOf returns the clean function of f; nil: f has none, or is clean itself.
func CleanOf(f objective.Objective) objective.Objective {
	if c, ok := f.(Cleaner); ok && c.Blemished() {
		return clean{c}
	}
	return nil
}

type clean struct{ Cleaner }

// Evaluate sets the clean values.
func (c clean) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return c.Clean(ctx, points, values)
}

// A Voucher is an Objective that can find out, when nothing more will be asked, whether the
// answers that it told can be trusted.
type Voucher interface {
	objective.Objective
	// Vouch returns a *VoidError if they cannot.
	Vouch() error
}
