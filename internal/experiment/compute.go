package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"gonum.org/v1/gonum/mat"
)

// compute makes a run that starts from the result of identification. It also returns the
// seconds that this run took without identification.
func (r *runner) compute(ctx context.Context, t task, before store.Run) (run store.Run, seconds float64, err error) {
	k := t.key()
	budget, err := r.grid.most(t.by, t.of.Dim)
	if err != nil {
		return before, 0, err
	}
	before = until(before, budget)
	spent := before.Queries == budget
	if t.by.Shared && (before.Reached > 0 || before.Frame == nil || spent) { // there is nothing left to run
		before.Key, before.Frame = k, nil
		if before.Reached == 0 && spent {
			before.Status = objective.BudgetSpent.String()
		}
		return before, 0, nil
	}
	p, err := t.problem()
	if err != nil {
		return before, 0, err
	}
	if c, ok := p.(io.Closer); ok {
		defer func() {
			if closed := c.Close(); err == nil && closed != nil {
				err = t.wrong(closed)
			}
		}()
	}
	o := observe(p, r.targets, before.Queries)
	o.answers = t.by.Answers
	began := time.Now()
	var found ending
	if t.by.Other != nil {
		found, err = minimizeOther(ctx, t, o, budget)
	} else {
		found, err = minimize(ctx, t, o, budget-before.Queries, before)
	}
	took := time.Since(began)
	if err != nil {
		return before, 0, t.wrong(err)
	}
	if found.status == objective.Cancelled {
		return before, 0, context.Cause(ctx)
	}
	run = store.Run{
		Key: k, Status: found.status.String(), Gap: o.gap, Queries: o.queries, Reached: o.reached, Rounds: found.rounds,
		Seconds: took.Seconds(), Own: (took - o.inside).Seconds(), Version: store.Version(), Recovered: -1, Curve: o.samples(),
	}
	if t.by.Name == identification.Name {
		if err := keepFrame(&run, p, found.frame); err != nil {
			return before, 0, t.wrong(err)
		}
	}
	if t.by.Shared {
		run = after(before, run)
	}
	return run, took.Seconds(), nil
}

// wrong says in which run something went wrong.
func (t task) wrong(err error) error {
	return fmt.Errorf("%s on %s, seed %d: %w", t.by.Name, t.of.Key(), t.seed, err)
}

// problem draws the function on which the method runs.
func (t task) problem() (Problem, error) {
	p, err := t.of.New(t.seed)
	if err != nil {
		return nil, t.wrong(err)
	}
	if p.Dim() != t.of.Dim {
		return nil, t.wrong(fmt.Errorf("the problem has %d dimensions, and its case says %d", p.Dim(), t.of.Dim))
	}
	if !t.by.Unmixed {
		return p, nil
	}
	mixed, ok := p.(*problem.Problem)
	if !ok {
		return nil, t.wrong(errors.New("this method runs on the unmixed function, which only a built-in problem has"))
	}
	spec := mixed.Spec()
	spec.Mix = "none"
	unmixed, err := problem.New(spec)
	if err != nil {
		return nil, t.wrong(err)
	}
	return unmixed, nil
}

// An ending is what a method says of its run; the rest is known to the observer.
type ending struct {
	status objective.Status
	rounds int
	frame  *frame.Frame // that was found; nil: none
}

// minimize runs a strategy.
func minimize(ctx context.Context, t task, f *observer, budget int, before store.Run) (ending, error) {
	o := untwist.Options{
		KeepGoing: true, // a run in which all queries fail is a run that failed
		Strategy:  t.by.Strategy, Start: f.f.Domain(), Seed: t.seed,
		Budget: budget,
	}
	if !t.by.Answers { // else a trial would end it
		o.Target = new(f.target())
	}
	if b, ok := f.f.(bounded); ok {
		o.Bounds = b.Bounds()
	}
	var err error
	switch {
	case t.by.Shared:
		o.Frame = new(frame.Frame)
		err = json.Unmarshal(before.Frame, o.Frame)
	case t.by.Frame != nil:
		o.Frame, err = t.by.Frame(f.f, t.seed)
	default:
		o.Identifier = t.by.Identifier
	}
	if err != nil {
		return ending{}, fmt.Errorf("the frame: %w", err)
	}
	result, err := untwist.Minimize(ctx, f, o)
	// In a nearly singular frame all queries may fail. That is a failed run, not an error.
	if err != nil && !errors.Is(err, untwist.ErrAllFailed) {
		return ending{}, err
	}
	out := ending{status: result.Status, rounds: result.Rounds}
	if result.Structure != nil {
		out.frame = result.Structure.Frame
	}
	return out, nil
}

// A bounded problem must not be queried outside its bounds.
type bounded interface{ Bounds() objective.Box }

// A framed problem knows its true frame, as a built-in one does.
type framed interface{ Frame() *frame.Frame }

// keepFrame keeps the frame that identification has found, and how many components of the
// true one are in it.
func keepFrame(run *store.Run, p Problem, found *frame.Frame) (err error) {
	if found == nil {
		return nil
	}
	if p, ok := p.(framed); ok {
		run.Recovered = frame.Compare(p.Frame(), found).Recovered(recovery)
	}
	run.Frame, err = json.Marshal(found)
	return err
}

// recovery is the largest distance from the true row at which a row counts as recovered.
const recovery = 1e-4

// until returns a run as it was when it had made so many queries.
func until(run store.Run, queries int) store.Run {
	if run.Queries <= queries {
		return run
	}
	run.Queries, run.Gap = queries, gapAt(run.Curve, queries)
	if run.Reached > queries {
		run.Reached = 0
	}
	run.Curve = upTo(run.Curve, queries)
	return run
}

// after returns run with the queries, time and results of before added to it.
func after(before, run store.Run) store.Run {
	curve := before.Curve
	for _, c := range run.Curve {
		curve = append(curve, objective.Sample{Queries: before.Queries + c.Queries, Value: min(before.Gap, c.Value)})
	}
	run.Curve = curve
	run.Gap = min(before.Gap, run.Gap)
	run.Queries += before.Queries
	run.Rounds += before.Rounds
	if run.Reached > 0 {
		run.Reached += before.Queries
	}
	run.Seconds += before.Seconds
	run.Own += before.Own
	run.Recovered = before.Recovered
	return run
}

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
