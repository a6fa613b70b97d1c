// Package untwist minimises black-box functions globally.
//
//	f := untwist.Func(10, func(x []float64) float64 { … })
//	result, err := untwist.Minimize(ctx, f, untwist.Options{Bounds: untwist.Cube(10, -5, 5), Budget: 20_000})
//
// Many objectives are a sum of one-dimensional functions in coordinates that nobody told you,
// f(x) = Σ_j f_j(⟨w_j, x⟩). Minimize finds them from function values alone (after C. Fiedler and
// T. Roith, "Consensus-based optimization for linearly separable functions"), and minimises along
// them; where there are none, descents race CMA-ES. The Result says what was learnt. Probe finds
// and certifies coordinates without a search, Ask is for loops of one's own, Method for gonum.
//
// A function that can fail is a Fallible, several numbers are a Vector. Options have bounds, names
// and scales of parameters, a journal to resume from, and one of package strategy's ways to search.
package untwist

import (
	"cmp"
	"context"
	"math"

	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
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
// When ctx ends it returns within a second, unless f takes longer. A strategy that is
// factorising a large matrix then is not waited for: it ends when that is done, and asks for
// nothing more.
//
// The same f, Options and Seed give the same bits, for any number of Workers.
func Minimize(ctx context.Context, f objective.Objective, o Options) (Result, error) {
	r, err := begin(f, o)
	if err != nil {
		return nothing(), err
	}
	return r.minimize(ctx)
}

// Func makes an objective of f, a function of one point of dim coordinates, as objective.Func
// does.
func Func(dim int, f func(x []float64) float64) objective.Objective { return objective.Func(dim, f) }

// Fallible makes an objective of f, a function that can fail at a point, as objective.Fallible
// does.
func Fallible(dim int, f func(ctx context.Context, x []float64) (float64, error)) objective.Objective {
	return objective.Fallible(dim, f)
}

// Cube returns the box [lo, hi]^dim.
func Cube(dim int, lo, hi float64) Box { return objective.Cube(dim, lo, hi) }

// nothing is the result of a run that has not begun.
func nothing() Result {
	return Result{Account: Account{Value: math.Inf(1), Status: objective.Failed}}
}

// begin begins to minimise f.
func begin(f objective.Objective, o Options) (*run, error) {
	if f == nil || f.Dim() < 1 {
		return nil, errNoObjective
	}
	return newRun(f, "minimize", o)
}

// minimize minimises, and ends the run.
func (r *run) minimize(ctx context.Context) (Result, error) {
	defer r.finish()
	o := r.options
	ctx, cancel := o.timed(ctx)
	defer cancel()
	task := strategy.Task{
		Start:      o.Start,
		Bounds:     r.scale.Bounds(),
		Points:     r.points(),
		Lattices:   r.lattices(),
		Blocks:     o.Blocks,
		Identifier: o.Identifier,
		Budget:     r.plan,
		Limit:      o.Budget,
		Parallel:   o.Parallel,
		NoiseLevel: o.NoiseLevel,
		Seed:       o.Seed,
	}
	if o.Frame != nil {
		var err error
		if task.Frame, err = scaled(o.Frame, o.Start); err != nil {
			return nothing(), objective.BadOption("Frame", "%v", err)
		}
	}
	outcome, err := r.search(ctx, task)
	if err != nil { // a reason to stop that the strategy has passed on is no failure
		outcome.Status, err = objective.StatusOf(ctx, err)
	} else if outcome.Status == objective.Running { // it has returned: it is done
		outcome.Status = objective.Converged
	}
	if outcome.Status == objective.ToleranceReached && r.memory.Ended() { // nobody has given a tolerance
		outcome.Status = objective.Converged
	}
	if void := r.vouched(err); void != nil {
		return Result{Account: r.voided()}, void
	}
	result := r.result()
	result.Status = outcome.Status
	r.noise(&result, outcome)
	r.minimisers(&result, outcome)
	r.costs(&result, outcome.Multipliers)
	r.fit(&result, outcome.Fit)
	if err = cmp.Or(err, r.cleaned(ctx, &result), r.learnt(&result, outcome.Learnt), r.finish()); err != nil {
		result.Status = objective.Failed
		return result, err
	}
	if result.Failed > 0 && result.Failed == result.Queries && result.Status != objective.Cancelled && result.Status != objective.TimeSpent {
		result.Status = objective.Failed
		return result, &FailuresError{
			Failed: result.Failed, Of: result.Queries, Point: result.FailedPoint, Reason: result.FailedReason, All: true,
			At: o.space().Told(result.FailedPoint),
		}
	}
	return result, nil
}

// search runs the strategy. If it does not return, the outcome is what it has told before.
func (r *run) search(ctx context.Context, task strategy.Task) (strategy.Outcome, error) {
	outcome, returned, err := attend(ctx, func(d *desk) (strategy.Outcome, error) {
		a := attended{d, r}
		task.Stage, task.Found = a.enter, a.found
		task.Several = r.several(a)
		return r.strategy().Minimize(ctx, a, task)
	})
	if !returned {
		outcome = strategy.Outcome{Learnt: &strategy.Learnt{Finding: r.found, Notes: []string{abandoned}}}
	}
	return outcome, err
}

// ErrAllFailed says that f failed at every point, and ErrManyFailed that it failed too
// often. A *FailuresError says more.
var (
	ErrAllFailed  = objective.ErrAllFailed
	ErrManyFailed = objective.ErrManyFailed
)

// enter begins a stage.
func (r *run) enter(stage objective.Stage) {
	r.close()
	r.stages, r.began = append(r.stages, Stage{Stage: stage}), r.least()
	r.record.Searching(stage.Purpose == objective.AlongThem || stage.Purpose == objective.ToSearch)
}

// close records what the current stage has cost and gained.
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
	if math.IsInf(r.began, 1) && len(r.record.Improvements()) > 0 {
		r.began = r.record.Improvements()[0].Value
	}
	if least := r.least(); least < r.began {
		r.stages[last].Gain = r.began - least
	}
}

// least is the best value so far; +Inf: there is none.
func (r *run) least() float64 {
	if all := r.record.Improvements(); len(all) > 0 {
		return all[len(all)-1].Value
	}
	return math.Inf(1)
}
