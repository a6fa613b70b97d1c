// Package untwist minimises black-box functions globally.
//
// Give Minimize a function, and get the best point found:
//
//	f := objective.Func(10, func(x []float64) float64 { … })
//	result, err := untwist.Minimize(ctx, f, untwist.Options{Budget: 20_000})
//
// Many objectives are a sum of one-dimensional functions in coordinates that
// nobody told you, f(x) = Σ_j f_j(⟨w_j, x⟩). Minimize finds those coordinates from
// function values alone (after C. Fiedler and T. Roith, "Consensus-based
// optimization for linearly separable functions") and minimises along them. The
// Result says what it has learnt. Where there are no such coordinates, Minimize uses
// CMA-ES. Probe finds and certifies the coordinates without a search.
//
// Package objective has the contract that functions fulfil. Package strategy has the
// ways to minimise them, of which Options chooses one. Package identify has the ways
// to find the coordinates.
package untwist

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// Minimize searches for the minimum of f.
//
// It never asks for more points than the budget allows, or for a point outside
// the bounds. The Result has the best point ever evaluated, exactly as it was
// passed to f, and Result.Status says why the search stopped. It is not an error
// if the budget is spent, the target is reached or ctx is cancelled. When
// something goes wrong (f returns an error or panics, or every query fails),
// Minimize returns an error, and the best point so far in the Result. When an
// option is wrong, it returns an *OptionError before the first query.
//
// The same f, Options and Seed give the same bits, for any number of Workers.
func Minimize(ctx context.Context, f objective.Objective, o Options) (Result, error) {
	nothing := Result{Account: Account{Value: math.Inf(1), Status: objective.Failed}}
	if f == nil || f.Dim() < 1 {
		return nothing, errNoObjective
	}
	if err := o.complete(f.Dim()); err != nil {
		return nothing, err
	}
	r := newRun(f, o)
	task := strategy.Task{
		Bounds:     r.scale.Bounds(),
		Points:     r.points(),
		Blocks:     o.Blocks,
		Identifier: o.Identifier,
		Budget:     o.Budget,
		Seed:       o.Seed,
		Stage:      r.enter,
	}
	if o.Frame != nil {
		var err error
		if task.Frame, err = scaled(o.Frame, o.Start); err != nil {
			return nothing, objective.BadOption("Frame", "%v", err)
		}
	}
	outcome, err := o.Strategy.Minimize(ctx, r.scale, task)
	if err != nil { // a reason to stop that the strategy has passed on is no failure
		outcome.Status, err = objective.StatusOf(ctx, err)
	} else if outcome.Status == objective.Running { // it has returned: it is done
		outcome.Status = objective.Converged
	}
	result := r.result(outcome)
	if learnt := r.learnt(&result, outcome.Learnt); err == nil {
		err = learnt
	}
	if err != nil {
		result.Status = objective.Failed
		return result, err
	}
	if result.Failed > 0 && result.Failed == result.Queries && result.Status != objective.Cancelled {
		result.Status = objective.Failed
		return result, fmt.Errorf("%w: %s, the first at x = %v", ErrAllFailed, words.Count(result.Failed, "query", "queries"), result.FailedPoint)
	}
	return result, nil
}

// ErrAllFailed says that f was NaN or +Inf at every point.
var ErrAllFailed = errors.New("the objective was NaN or +Inf at every point")

// A run is one call of Minimize or Probe: the objective in its wrappers, and what is
// recorded on the way.
type run struct {
	options Options
	meter   *objective.Meter
	record  *objective.Record
	chunk   *objective.Chunk
	scale   *objective.Scale
	stages  []Stage
}

func newRun(f objective.Objective, o Options) *run {
	r := &run{options: o}
	guarded := objective.NewPool(objective.NewGuard(f), o.Workers)
	r.meter = objective.NewMeter(guarded, o.Budget)
	r.record = objective.NewRecord(r.meter, *o.Target, r.progress)
	r.chunk = objective.NewChunk(r.record, objective.ChunkRows)
	r.scale = objective.NewScale(r.chunk, o.Start, o.Bounds)
	return r
}

// points returns the known starting points in scaled coordinates.
func (r *run) points() *mat.Dense {
	if len(r.options.Points) == 0 {
		return nil
	}
	z := mat.NewDense(len(r.options.Points), r.scale.Dim(), nil)
	for i, x := range r.options.Points {
		z.SetRow(i, r.scale.Know(x))
	}
	return z
}

// enter begins a stage.
func (r *run) enter(stage objective.Stage) {
	r.close()
	r.stages = append(r.stages, Stage{Stage: stage})
}

// close records what the current stage has cost.
func (r *run) close() {
	if len(r.stages) == 0 {
		return
	}
	spent := 0
	last := len(r.stages) - 1
	for _, s := range r.stages[:last] {
		spent += s.Queries
	}
	r.stages[last].Queries = r.meter.Queries() - spent
}

// progress tells the user how the run is going.
func (r *run) progress() {
	if r.options.Progress == nil {
		return
	}
	p := Progress{Queries: r.meter.Queries(), Budget: r.meter.Budget(), Best: r.record.Best().Value}
	if len(r.stages) > 0 {
		p.Stage = r.stages[len(r.stages)-1].Name
	}
	r.options.Progress(p)
}

// account returns what the run has found and what it cost.
func (r *run) account() Account {
	r.close()
	best := r.record.Best()
	failed, failedPoint := r.record.Failed()
	return Account{
		Point:       best.Point,
		Value:       best.Value,
		BestQuery:   r.record.BestAt(),
		Seed:        r.options.Seed,
		Queries:     r.meter.Queries(),
		Budget:      r.meter.Budget(),
		Rounds:      r.chunk.Rounds(),
		Failed:      failed,
		FailedPoint: failedPoint,
		Stages:      r.stages,
		Curve:       r.record.Curve(),
	}
}

// result returns what the search has found.
func (r *run) result(outcome strategy.Outcome) Result {
	out := Result{Account: r.account(), Strategy: r.options.Strategy.Name(), TargetQuery: r.record.TargetAt()}
	out.Status = outcome.Status
	return out
}

// learnt fills in what was learnt about f.
func (r *run) learnt(result *Result, learnt *strategy.Learnt) error {
	if learnt == nil {
		return nil
	}
	result.Notes = learnt.Notes
	if learnt.Finding == nil {
		return nil
	}
	result.Notes = append(result.Notes, learnt.Finding.Notes...)
	s, err := r.structure(learnt.Finding)
	result.Structure = &s
	result.Profiles = r.profiles(learnt.Finding, learnt.Profiles)
	return err
}
