package experiment

import (
	"context"
	"errors"
	"math"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// minimizeOther runs an optimiser that is not one of our strategies. It never gets more
// queries than the budget, and none after the batch with which the target was reached.
func minimizeOther(ctx context.Context, t task, o *observer, budget int) (ending, error) {
	var f objective.Objective = o
	if b, ok := o.f.(bounded); ok {
		f = &fence{o, b.Bounds()}
	}
	meter := query.NewMeter(query.NewGuard(f), budget)
	line := &finishLine{meter, o}
	chunk := query.NewChunk(line, query.ChunkRows, 0)
	err := t.by.Other.Minimize(ctx, chunk, o.f.Domain(), budget, t.seed)
	out := ending{rounds: chunk.Rounds()}
	switch {
	case ctx.Err() != nil && err != nil && !errors.Is(err, objective.ErrBudget) && !errors.Is(err, objective.ErrTarget):
		out.status = objective.Cancelled // maybe in the middle of a batch
	case o.reached > 0:
		out.status = objective.TargetReached
	case ctx.Err() != nil && meter.Queries() < budget:
		out.status = objective.Cancelled
	case err != nil && !errors.Is(err, objective.ErrBudget):
		return out, err
	case meter.Queries() == budget:
		out.status = objective.BudgetSpent
	default:
		out.status = objective.Converged
	}
	return out, nil
}

// A finishLine ends a run whose target is reached.
type finishLine struct {
	*query.Meter
	observer *observer
}

// Evaluate evaluates a batch unless the target was reached before it.
func (g *finishLine) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	if g.observer.reached > 0 {
		return objective.ErrTarget
	}
	err := g.Meter.Evaluate(ctx, points, values)
	if g.observer.reached > 0 && (err == nil || errors.Is(err, objective.ErrBudget)) {
		done := query.Evaluated(values, err)
		return &objective.PartialError{Done: done, Spent: done, Err: objective.ErrTarget}
	}
	return err
}

// A fence fails points outside the bounds. They are queries, but the function never sees
// them.
type fence struct {
	*observer
	bounds objective.Box
}

// Each evaluates the points that are inside, one after another.
func (f *fence) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	for i := range values {
		x := points.RawRowView(i)
		if f.bounds.Contains(x) {
			continue
		}
		return f.oneByOne(ctx, points, values, tell)
	}
	return f.observer.Each(ctx, points, values, tell)
}

// Evaluate evaluates the points that are inside.
func (f *fence) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return f.Each(ctx, points, values, func(int, objective.Answer) {})
}

// oneByOne evaluates a batch of which some points are outside.
func (f *fence) oneByOne(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	for i := range values {
		if !f.bounds.Contains(points.RawRowView(i)) {
			values[i] = math.Inf(1)
			f.note(values[i], values[i])
			tell(i, objective.Answer{Value: values[i]})
			continue
		}
		_, d := points.Dims()
		numbers := query.WithNumbers(ctx, func(int) int { return query.NumberOf(ctx, i) })
		row := points.Slice(i, i+1, 0, d).(*mat.Dense)
		if err := f.observer.Each(numbers, row, values[i:i+1], func(_ int, a objective.Answer) { tell(i, a) }); err != nil {
			done := i + query.Evaluated(values[i:i+1], err)
			return &objective.PartialError{Done: done, Spent: done, Err: objective.Cause(err)}
		}
	}
	return nil
}
