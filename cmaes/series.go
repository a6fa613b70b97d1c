package cmaes

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
)

// Series is a series of runs, each of which starts at a random mean. Its zero value is
// BIPOP from means in [-1, 1]^n.
type Series struct {
	// Run has the settings of each run. Its Mean is where the first run starts; nil:
	// drawn like the others. Its Sigma and Population are those of the first run. The
	// series sets Seed, Normal and the limit of queries for each run itself.
	Run Config
	// Box is where means are drawn uniformly. It must be finite. Zero: [-1, 1]^n.
	Box objective.Box
	// Schedule plans the runs; nil: BIPOP{}.
	Schedule Schedule
	// Seed determines all randomness.
	Seed uint64

	// Began, if not nil, is called with the plan of each run before it begins.
	Began func(Plan) `fingerprint:"-"`
}

// Minimize runs the series until the schedule ends or f ends it. A run that will not come
// below the best value of those before it is given up (see hopeless). The Result is that of all
// runs together, with the Status and Reason of the last. Random numbers come from the
// streams ("cmaes", "restarts") and ("cmaes", "run", k).
func (s Series) Minimize(ctx context.Context, f objective.Objective) (Result, error) {
	total := Result{Value: math.Inf(1)}
	first := s.Run
	if err := cmp.Or(first.complete(f.Dim()), s.complete(f.Dim())); err != nil {
		total.Status = objective.Failed
		return total, err
	}
	seed := rng.Seed(s.Seed)
	stream := seed.Stream("cmaes", "restarts")
	var best query.Best
	var past []Past
	for {
		plan, more := s.Schedule.Next(past, first.Population, stream.Float64)
		if !more {
			return total, nil
		}
		cfg, rounds := plan.of(first)
		cfg.Normal = seed.Stream("cmaes", "run", len(past)).Norm
		if s.Run.Mean == nil || len(past) > 0 {
			cfg.Mean = make([]float64, f.Dim())
			s.Box.Draw(cfg.Mean, stream)
		}
		if s.Began != nil {
			s.Began(plan)
		}
		r, err := cfg.run(ctx, f, total.Value, rounds)
		past = append(past, Past{Plan: plan, Result: r})
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

// of returns the settings of a planned run. On lattices, where a short step changes nothing, a run with a shorter one
// than the first has that of the first, and rounds without a margin: it comes to other points.
func (p Plan) of(first Config) (cfg Config, rounds bool) {
	cfg = first
	cfg.Population = cmp.Or(p.Population, first.Population)
	cfg.Sigma = first.Sigma * cmp.Or(p.Sigma, 1)
	cfg.Stop.Queries = p.Queries
	if rounds = first.Lattices != nil && cfg.Sigma < first.Sigma; rounds {
		cfg.Sigma, cfg.Stop.Queries = first.Sigma, 0
	}
	return cfg, rounds
}

// complete fills in the defaults and returns an *objective.OptionError if a field is bad.
func (s *Series) complete(n int) error {
	if s.Schedule == nil {
		s.Schedule = BIPOP{}
	}
	if s.Box.Lo == nil && s.Box.Hi == nil {
		s.Box = objective.Cube(n, -1, 1)
	}
	if err := checkStarts(s.Box, n); err != nil {
		return objective.BadOption("Box", "%v", err)
	}
	return nil
}

// checkStarts returns an error unless points can be drawn from the box. Its sides
// may have length 0, which fixes a coordinate.
func checkStarts(box objective.Box, n int) error {
	if len(box.Lo) != n || len(box.Hi) != n {
		return fmt.Errorf("%d lower and %d upper limits for %d coordinates", len(box.Lo), len(box.Hi), n)
	}
	for i := range n {
		if width := box.Hi[i] - box.Lo[i]; !(width >= 0) || math.IsInf(width, 0) {
			return fmt.Errorf("x[%d]: %v:%v, need finite numbers with LO at most HI", i, box.Lo[i], box.Hi[i])
		}
	}
	return nil
}

// ended reports whether a run ended by its own rules, so that another may follow.
func ended(status objective.Status) bool {
	return status == objective.Converged || status == objective.Stalled || status == objective.StepLimit
}
