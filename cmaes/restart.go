package cmaes

import (
	"context"
	"math"

	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// A Plan says how a run of a series is made.
type Plan struct {
	Regime     string  // "first", "large" or "small"
	Population int     // λ
	Sigma      float64 // σ₀, as a part of the first run's
	Queries    int     // the most queries of the run; 0: no limit
}

// A Past is a run that has ended.
type Past struct {
	Plan
	Result
}

// A Schedule plans the next run of a series. It reports false when the series is
// at its end. Numbers uniform on [0, 1) come from u.
type Schedule interface {
	Next(past []Past, population int, u func() float64) (Plan, bool)
}

// IPOP doubles the population with each restart (A. Auger, N. Hansen, "A restart
// CMA evolution strategy with increasing population size", 2005).
type IPOP struct {
	Restarts int // 0: 9
}

// Next doubles the population.
func (s IPOP) Next(past []Past, population int, _ func() float64) (Plan, bool) {
	if len(past) == 0 {
		return Plan{"first", population, 1, 0}, true
	}
	if len(past) > usual(s.Restarts) {
		return Plan{}, false
	}
	return Plan{"large", 2 * past[len(past)-1].Population, 1, 0}, true
}

// BIPOP restarts in two regimes, and gives each the same number of queries (N.
// Hansen, "Benchmarking a BI-population CMA-ES on the BBOB-2009 function
// testbed", 2009): a large one, whose population λ_l doubles with each run, and a
// small one with
//
//	λ_s = ⌊λ (½λ_l/λ)^(u²)⌋,   σ = σ₀·10^(−2u'),
//
// u and u' uniform on [0, 1), and at most half of the queries of the last large
// run.
type BIPOP struct {
	Restarts int // of the large regime; 0: 9
}

// Next plans a run of the regime that has spent less.
func (s BIPOP) Next(past []Past, population int, u func() float64) (Plan, bool) {
	if len(past) == 0 {
		return Plan{"first", population, 1, 0}, true
	}
	large, small, restarts := 0, 0, 0 // queries, and restarts of the large regime
	var last Past                     // of the large regime
	for _, p := range past {
		if p.Regime == "small" {
			small += p.Result.Queries
			continue
		}
		large += p.Result.Queries
		if last = p; p.Regime == "large" {
			restarts++
		}
	}
	if small < large && restarts > 0 {
		a, b := u(), u()
		ratio := float64(last.Population) / float64(2*population)
		return Plan{
			Regime:     "small",
			Population: max(2, int(float64(population)*math.Pow(ratio, a*a))),
			Sigma:      math.Pow(10, -2*b),
			Queries:    max(1, last.Result.Queries/2),
		}, true
	}
	if restarts >= usual(s.Restarts) {
		return Plan{}, false
	}
	return Plan{"large", 2 * last.Population, 1, 0}, true
}

// Once is one run.
type Once struct{}

// Next plans the first run.
func (Once) Next(past []Past, population int, _ func() float64) (Plan, bool) {
	return Plan{"first", population, 1, 0}, len(past) == 0
}

// Confirmed ends a schedule once two runs have come to the best value, to the
// tolerance.
type Confirmed struct {
	Schedule
	Tolerance float64
}

// Next plans as the schedule does.
func (s Confirmed) Next(past []Past, population int, u func() float64) (Plan, bool) {
	least, times := math.Inf(1), 0
	for _, p := range past {
		least = min(least, p.Value)
	}
	for _, p := range past {
		if p.Value <= least+s.Tolerance {
			times++
		}
	}
	if times > 1 {
		return Plan{}, false
	}
	return s.Schedule.Next(past, population, u)
}

func usual(restarts int) int {
	if restarts == 0 {
		return 9
	}
	return restarts
}

// Series is a series of runs.
type Series struct {
	// Run is how each is run. Its Mean is where the first starts, nil: drawn as
	// the others are; its Sigma and Population are those of the first; its
	// Stream and the limit of its queries are set for each.
	Run Config
	// Box is where means are drawn, uniformly. It must be finite.
	Box objective.Box
	// Schedule plans the runs; nil: BIPOP.
	Schedule Schedule
	Seed     uint64

	// Began, if not nil, is told of each run before it begins.
	Began func(Plan)
}

// Minimize runs the series until the schedule ends, or f does. The Result is that
// of all runs together, its Status and Reason those of the last. Random numbers
// come from the streams ("cmaes", "restarts") and ("cmaes", "run", k).
func (s Series) Minimize(ctx context.Context, f objective.Objective) (Result, error) {
	total := Result{Value: math.Inf(1)}
	first := s.Run
	if err := first.complete(f.Dim()); err != nil {
		return total, err
	}
	if s.Schedule == nil {
		s.Schedule = BIPOP{}
	}
	seed := rng.Seed(s.Seed)
	stream := seed.Stream("cmaes", "restarts")
	var best objective.Best
	var past []Past
	for {
		plan, more := s.Schedule.Next(past, first.Population, stream.Float64)
		if !more {
			return total, nil
		}
		cfg := first
		cfg.Covariance = first.Covariance.fresh()
		cfg.Population, cfg.Sigma, cfg.Stop.Queries = plan.Population, first.Sigma*plan.Sigma, plan.Queries
		cfg.Stream = seed.Stream("cmaes", "run", len(past))
		if s.Run.Mean == nil || len(past) > 0 {
			cfg.Mean = make([]float64, f.Dim())
			stream.Uniform(cfg.Mean, s.Box.Lo, s.Box.Hi)
		}
		if s.Began != nil {
			s.Began(plan)
		}
		r, err := Run(ctx, f, cfg)
		past = append(past, Past{plan, r})
		total.Queries += r.Queries
		total.Generations += r.Generations
		total.Status, total.Reason, total.Sigma = r.Status, r.Reason, r.Sigma
		if r.Point != nil {
			best.Offer(r.Point, r.Value)
			total.Point, total.Value = best.Point, best.Value
		}
		if err != nil || !ended(r.Status) || math.IsInf(total.Value, -1) {
			return total, err
		}
	}
}

// ended reports whether a run ended of itself, so that another may follow.
func ended(status objective.Status) bool {
	return status == objective.Converged || status == objective.Stalled || status == objective.StepLimit
}
