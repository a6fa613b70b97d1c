package cbo

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

// A Result is what a Run has found.
type Result struct {
	// Point is the best point ever evaluated, or nil if none was. Value is the
	// value there.
	Point []float64
	Value float64
	// Status says why the run stopped; with restarts, why the last run stopped.
	Status objective.Status
	// Steps counts the steps of all runs, and Runs counts the runs.
	Steps, Runs int
	// Minimisers are those that the particles of the last run have come to, the best first.
	// There are several only where Sight is Polarised; else this is nil.
	Minimisers []Minimiser
}

// Run minimises f by consensus-based optimisation.
//
// It evaluates all particles of a step in one batch. That takes Particles queries
// at the start and Batch queries per step, plus one with a Correction that asks
// for f(c). Run goes on until f says that the budget is spent or the target is
// reached, ctx ends, or a rule of Stop applies. A NaN counts as +Inf. If f
// returns an error, Run returns it together with the best point so far. A panic
// in f passes through Run; query.Guard would catch it.
//
// One step takes O(nd) time besides the queries, or O(nmd) with Transformed
// noise, and allocates nothing.
//
// It fails where particles cannot explore. With Anisotropic noise on a function
// that does not separate in these coordinates, the particles collapse into a
// subspace. With Isotropic noise, the number of particles needed is exponential
// in d.
func Run(ctx context.Context, f objective.Objective, cfg Config) (Result, error) {
	result := Result{Value: math.Inf(1)}
	if err := cfg.complete(f.Dim()); err != nil {
		result.Status = objective.Failed
		return result, err
	}
	var best query.Best
	for run := 0; ; run++ {
		s := newSwarm(f, cfg, run)
		steps, status, err := s.run(ctx, run)
		if s.best.Point != nil {
			best.Offer(s.best.Point, s.best.Value)
			result.Point, result.Value = best.Point, best.Value
		}
		result.Status = status
		result.Steps += steps
		result.Runs++
		if s.own != nil {
			result.Minimisers = s.cfg.Sight.minimisers(s.x, s.energies)
		}
		if err != nil || run == cfg.Restarts || !ended(status) {
			return result, err
		}
	}
}

// ended reports whether a run ended by its own rules, so that another may follow.
func ended(status objective.Status) bool {
	return status == objective.Converged || status == objective.Stalled || status == objective.StepLimit
}

// run steps until a stop rule holds and returns the number of steps.
func (s *swarm) run(ctx context.Context, run int) (steps int, status objective.Status, err error) {
	if err := s.begin(ctx, run); err != nil {
		status, err = objective.StatusOf(ctx, err)
		return 0, status, err
	}
	idle := 0 // steps since the best value improved
	for k := 0; ; k++ {
		s.gather(k)
		if s.cfg.Observe != nil {
			s.cfg.Observe(State{run, k, s.x, s.energies, s.c, s.alpha, effectiveSize(s.weights)})
		}
		if status := s.stop(k, idle); status != objective.Running {
			return k, status, nil
		}
		before := s.best.Value
		wait := s.cfg.Resample.Wait
		err := s.step(ctx, k, wait > 0 && idle > 0 && idle%wait == 0)
		if err != nil {
			status, err = objective.StatusOf(ctx, err)
			return k, status, err
		}
		idle++
		if s.best.Value < before {
			idle = 0
		}
	}
}

// stop applies the rules of Config.Stop before step k.
func (s *swarm) stop(k, idle int) objective.Status {
	rule := s.cfg.Stop
	switch {
	case math.IsInf(s.best.Value, -1):
		return objective.Converged // no value is lower
	case rule.Steps > 0 && k >= rule.Steps:
		return objective.StepLimit
	case rule.Stall > 0 && idle >= rule.Stall:
		return objective.Stalled
	case s.cfg.Resample.Wait == 0 && !s.apart(rule.Spread):
		// Particles that will be shaken apart again are not done.
		return objective.Converged
	}
	return objective.Running
}
