package acceptance

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/descent"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A shift is f evaluated by workers on a clock of its own: a point takes exp(N(0, 1)), whoever is free takes the next one, and a batch
// ends with its last point.
type shift struct {
	objective.Objective
	workers      int
	random       *rng.Stream
	worked, past float64 // by all workers; on the clock
}

func (s *shift) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	free := make([]float64, s.workers)
	for range values {
		k, takes := 0, math.Exp(s.random.NormFloat64())
		for i, at := range free {
			if at < free[k] {
				k = i
			}
		}
		free[k] += takes
		s.worked += takes
	}
	s.past += slices.Max(free)
	return s.Objective.Evaluate(ctx, points, values)
}

// busy is the part of the time in which workers work.
func (s *shift) busy() float64 { return s.worked / s.past / float64(s.workers) }

// Sixteen workers whose times are log-normal wait for the slowest point of each batch. So CMA-ES in 30 dimensions keeps them busy for 85 %
// of the time only if it is told that 640 evaluations cost no more than one, and lines, which ask for 31 points in a round, do not.
// With -v it prints how busy they are.
func TestBusyWorkers(t *testing.T) {
	const d, workers = 30, 16
	sphere := objective.Func(d, func(x []float64) (sum float64) {
		for _, v := range x {
			sum += (v - 0.3) * (v - 0.3)
		}
		return sum
	})
	on := func() *shift {
		return &shift{Objective: sphere, workers: workers, random: rng.Seed(1).Stream("workers")}
	}
	for _, parallel := range []int{1, 16, 128, 640} {
		s := on()
		cma, err := untwist.StrategyNamed("cmaes", untwist.Knobs{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := untwist.Minimize(ctx, s, untwist.Options{
			Strategy: cma, Parallel: parallel, Budget: 1_000_000, Target: new(1e-3), Start: objective.Cube(d, -1, 1),
		}); err != nil {
			t.Fatal(err)
		}
		t.Logf("CMA-ES, --parallel %d: busy %.0f %%", parallel, 100*s.busy())
		if parallel == 640 && s.busy() < 0.85 {
			t.Errorf("busy for %.0f %% of the time", 100*s.busy())
		}
	}
	s, x := on(), make([]float64, d)
	a := descent.NewAxes(s, x, 0.09*d, objective.Cube(d, -1, 1))
	for range flags.Usually(3, 1) {
		if err := a.Search(ctx, objective.Cube(d, -1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("lines: busy %.0f %%", 100*s.busy())
}
