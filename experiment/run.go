package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/problem"
	"github.com/untwist/untwist/store"
)

// Run makes the runs of a complete grid that are not in the store yet. It makes jobs of
// them at a time and stores each as it finishes. It goes seed by seed, so that a grid that
// is stopped has about the same number of runs in every cell. If notice is not nil, Run
// calls it before and after each run, from one goroutine at a time.
//
// Frames that methods share are runs of the method "identification". They are stored with
// the others but appear in no table.
//
// The results are the same for any number of jobs, however often Run is stopped. Two
// programs may work on one store, but they mostly make the same runs, and only one of two
// equal runs is kept.
func (g Table1) Run(ctx context.Context, s *store.Store, jobs int, notice func(Progress)) error {
	if err := g.check(); err != nil {
		return fmt.Errorf("experiment: the grid is not complete: %w", err)
	}
	jobs = max(1, jobs)
	stopped := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	known, err := s.All(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	r := &runner{grid: g, store: s, watch: newWatch(g, known, jobs, notice)}
	groups := len(g.Problems) * g.Runs
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, min(jobs, groups))
	for job := range errs {
		all.Go(func() {
			for k := next.Add(1) - 1; k < int64(groups) && errs[job] == nil; k = next.Add(1) - 1 {
				errs[job] = r.group(ctx, g.Problems[k%int64(len(g.Problems))], g.Seed+uint64(k)/uint64(len(g.Problems)))
			}
			if errs[job] != nil {
				cancel(errs[job])
			}
		})
	}
	all.Wait()
	for _, err := range errs { // a failure takes precedence over being stopped
		if err != nil && err != context.Cause(stopped) {
			return err
		}
	}
	return context.Cause(stopped)
}

// A runner makes runs.
type runner struct {
	grid  Table1
	store *store.Store
	watch *watch
}

// group makes the runs of all methods on a problem at a seed.
func (r *runner) group(ctx context.Context, name string, seed uint64) error {
	for i := range r.grid.Methods {
		if _, err := r.do(ctx, store.Key{Problem: name, Method: r.grid.Methods[i], Seed: seed}, r.grid.method(i)); err != nil {
			return err
		}
	}
	return nil
}

// do returns a run from the store. If it is not there, do makes and stores it first.
func (r *runner) do(ctx context.Context, k store.Key, m method) (store.Run, error) {
	run, there, err := r.store.Get(ctx, k)
	if ctx.Err() != nil {
		return run, context.Cause(ctx)
	}
	if err != nil {
		return run, err
	}
	if there {
		r.watch.found(run)
		return run, nil
	}
	var before store.Run
	if m.Shared {
		if before, err = r.do(ctx, store.Key{Problem: k.Problem, Method: identification.Name, Seed: k.Seed}, identification); err != nil {
			return before, err
		}
	}
	r.watch.begin(k)
	run, own, err := r.compute(ctx, k, m, before)
	if err == nil {
		err = r.store.Put(context.WithoutCancel(ctx), run)
	}
	if err != nil {
		return run, err
	}
	r.watch.end(k, own)
	// Read it back, so that later runs start from what another program would read.
	run, there, err = r.store.Get(context.WithoutCancel(ctx), k)
	if err == nil && !there {
		err = fmt.Errorf("%s on %s, seed %d, has disappeared from the store", k.Method, k.Problem, k.Seed)
	}
	return run, err
}

// compute makes a run that starts from the result of identification. It also returns the
// seconds that this run took without identification.
func (r *runner) compute(ctx context.Context, k store.Key, m method, before store.Run) (store.Run, float64, error) {
	spent := before.Queries == r.grid.Budget
	if m.Shared && (before.Reached > 0 || before.Frame == nil || spent) { // there is nothing left to run
		before.Key, before.Frame = k, nil
		if before.Reached == 0 && spent {
			before.Status = objective.BudgetSpent.String()
		}
		return before, 0, nil
	}
	spec := problem.Spec{Name: k.Problem, Dim: r.grid.Dim, Mix: r.grid.Mix, Seed: k.Seed}
	if m.Unmixed {
		spec.Mix = "none"
	}
	p, err := problem.New(spec)
	if err != nil {
		return before, 0, err
	}
	o, err := r.options(k, m, before, p)
	if err != nil {
		return before, 0, err
	}
	began := time.Now()
	result, err := untwist.Minimize(ctx, p, o)
	seconds := time.Since(began).Seconds()
	// In a nearly singular frame all queries may fail. That is a failed run, not an error.
	if err != nil && !errors.Is(err, untwist.ErrAllFailed) {
		return before, 0, fmt.Errorf("%s on %s, seed %d: %w", k.Method, k.Problem, k.Seed, err)
	}
	if result.Status == objective.Cancelled {
		return before, 0, context.Cause(ctx)
	}
	run, err := kept(k, p, result, seconds)
	if m.Shared {
		run = after(before, run)
	}
	return run, seconds, err
}

// options returns the options for a method, with what is left of the budget.
func (r *runner) options(k store.Key, m method, before store.Run, p *problem.Problem) (untwist.Options, error) {
	o := untwist.Options{
		KeepGoing: true, // built-in problems do not fail
		Strategy:  m.Strategy, Start: p.Domain(), Seed: k.Seed,
		Budget: r.grid.Budget - before.Queries, Target: new(p.Minimum() + r.grid.Gap),
	}
	if m.Name == identification.Name {
		o.Identifier = identify.Paper{}
	}
	if m.Shared {
		o.Frame = new(frame.Frame)
		if err := json.Unmarshal(before.Frame, o.Frame); err != nil {
			return o, fmt.Errorf("the frame of %s, seed %d: %w", k.Problem, k.Seed, err)
		}
	}
	return o, nil
}

// kept returns the part of a result that is stored.
func kept(k store.Key, p *problem.Problem, result untwist.Result, seconds float64) (store.Run, error) {
	run := store.Run{
		Key: k, Status: result.Status.String(), Gap: result.Value - p.Minimum(),
		Queries: result.Queries, Reached: result.TargetQuery, Seconds: seconds, Recovered: -1,
	}
	for _, c := range result.Curve {
		run.Curve = append(run.Curve, objective.Sample{Queries: c.Queries, Value: c.Value - p.Minimum()})
	}
	if k.Method != identification.Name || result.Structure == nil || result.Structure.Frame == nil {
		return run, nil
	}
	found := result.Structure.Frame
	run.Recovered = frame.Compare(p.Frame(), found).Recovered(recovery)
	var err error
	run.Frame, err = json.Marshal(found)
	return run, err
}

// recovery is the largest distance from the true row at which a row counts as recovered.
const recovery = 1e-4

// after returns run with the queries, time and results of before added to it.
func after(before, run store.Run) store.Run {
	curve := before.Curve
	for _, c := range run.Curve {
		curve = append(curve, objective.Sample{Queries: before.Queries + c.Queries, Value: min(before.Gap, c.Value)})
	}
	run.Curve = curve
	run.Gap = min(before.Gap, run.Gap)
	run.Queries += before.Queries
	if run.Reached > 0 {
		run.Reached += before.Queries
	}
	run.Seconds += before.Seconds
	run.Recovered = before.Recovered
	return run
}
