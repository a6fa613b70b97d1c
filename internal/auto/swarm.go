package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/cbo"
	"github.com/untwist/untwist/internal/asktell"
	"github.com/untwist/untwist/internal/line"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
)

// Swarm explores lines by consensus-based optimisation in one dimension, as the paper
// does (section 3.3): a swarm on each line, all of which take their steps together.
// It is another choice for Auto.Lines.
type Swarm struct {
	// Config is how each swarm moves. Zero values are those of the paper's experiment
	// in one dimension: τ = 0.01, σ = 1.1, α from 1.
	Config cbo.Config
	// Steps is how many steps each takes. Default 60.
	Steps int
}

// swarmSteps is the default of Swarm.Steps. With 50 particles that is 3,000 queries a line.
// It is enough for the three problems of TestAutoWithSwarms, whose wells Brent's method
// then refines.
const swarmSteps = 60

// Explore runs a swarm from each range.
func (s Swarm) Explore(ctx context.Context, ranges []line.Range, ask func([]line.Query) ([]float64, error)) error {
	talks := make([]*asktell.Talk, len(ranges))
	for j, r := range ranges {
		cfg := s.config(r, j)
		talks[j] = asktell.New(1, func(f objective.Objective) error {
			_, err := cbo.Run(ctx, f, cfg)
			return err
		})
		defer talks[j].Stop()
	}
	for {
		wants, err := asktell.Wanted(talks)
		if len(wants) == 0 || err != nil {
			return err
		}
		queries := make([]line.Query, len(wants))
		for i, w := range wants {
			queries[i] = line.Query{Line: w.Talk, T: w.Point[0]}
		}
		values, err := ask(queries)
		if err != nil {
			return err
		}
		asktell.TellAll(talks, values)
	}
}

// config returns the settings of the swarm on a line.
func (s Swarm) config(r line.Range, j int) cbo.Config {
	cfg := strategy.PapersLine(s.Config)
	cfg.Box = objective.Cube(1, r.Lo, r.Hi)
	switch {
	case r.Least == 0 && r.Most == 0: // never widened
		cfg.Domain = cbo.Reflect{Box: cfg.Box}
	case !math.IsInf(r.Least, -1) || !math.IsInf(r.Most, 1):
		cfg.Domain = cbo.Reflect{Box: objective.Cube(1, r.Least, r.Most)}
	}
	if cfg.Stop.Steps = s.Steps; s.Steps == 0 {
		cfg.Stop.Steps = swarmSteps
	}
	cfg.Seed += uint64(j) << 32
	return cfg
}
