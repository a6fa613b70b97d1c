package experiment

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
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
func (g Grid) Run(ctx context.Context, s *store.Store, jobs int, notice func(Progress)) error {
	if err := g.check(); err != nil {
		return incomplete(err)
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
	r := &runner{grid: g, targets: g.targets(s), store: s, watch: newWatch(g, known, jobs, notice)}
	groups := len(g.Cases) * g.Runs
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, min(jobs, groups))
	for job := range errs {
		all.Go(func() {
			for k := next.Add(1) - 1; k < int64(groups) && errs[job] == nil; k = next.Add(1) - 1 {
				errs[job] = r.group(ctx, g.Cases[k%int64(len(g.Cases))], g.Seed+uint64(k)/uint64(len(g.Cases)))
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
	grid    Grid
	targets []float64 // those of the grid, and those that the store knows besides
	store   *store.Store
	watch   *watch
}

// group makes the runs of all methods on a case at a seed.
func (r *runner) group(ctx context.Context, c Case, seed uint64) error {
	for _, m := range r.grid.Methods {
		if !r.grid.has(m, seed) {
			continue
		}
		if _, err := r.do(ctx, task{c, m, seed}); err != nil {
			return err
		}
	}
	return nil
}

// A task is a run to be made.
type task struct {
	of   Case
	by   Method
	seed uint64
}

func (t task) key() store.Key {
	return store.Key{Problem: t.of.Key(), Method: t.by.Key(), Seed: t.seed}
}

// do returns a run from the store. If it is not there, do makes and stores it first.
func (r *runner) do(ctx context.Context, t task) (store.Run, error) {
	k := t.key()
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
	if t.by.Shared {
		if before, err = r.do(ctx, task{t.of, t.by.finder(), t.seed}); err != nil {
			return before, err
		}
	}
	r.watch.begin(k)
	run, own, err := r.compute(ctx, t, before)
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

// Take copies those runs of a complete grid that s lacks from another store, in the file at
// path, of which it changes nothing. It returns how many it has copied. Frames are not copied:
// they are found again if a run needs one. Of curves it leaves out what says nothing.
func (g Grid) Take(ctx context.Context, s *store.Store, path string) (int, error) {
	from, err := g.openStore(ctx, path, store.Read)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	theirs, err := from.All(ctx)
	if err != nil {
		return 0, err
	}
	ours, err := s.All(ctx)
	if err != nil {
		return 0, err
	}
	wanted := map[store.Key]bool{}
	for _, c := range g.Cases {
		for _, m := range g.Methods {
			for k := range uint64(g.runs(m)) {
				wanted[store.Key{Problem: c.Key(), Method: m.Key(), Seed: g.Seed + k}] = true
			}
		}
	}
	for _, r := range ours {
		delete(wanted, r.Key)
	}
	n := 0
	for _, r := range theirs {
		if !wanted[r.Key] {
			continue
		}
		r.Curve = corners(r.Curve)
		if err := s.Put(ctx, r); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// corners returns a curve without samples that have the value of both neighbours. The gap
// after any number of queries, and when a gap was reached, stay the same.
func corners(curve []objective.Sample) []objective.Sample {
	out := slices.Clone(curve[:0])
	for i, s := range curve {
		if i == 0 || i == len(curve)-1 || s.Value != curve[i-1].Value || s.Value != curve[i+1].Value {
			out = append(out, s)
		}
	}
	return out
}
