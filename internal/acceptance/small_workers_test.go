package acceptance

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/untwist/untwist"
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
	least, there float64 // the least value, and when it was 1e-8 or less, the first time; 0: not yet

	queries, batches int // until then
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
	err := s.Objective.Evaluate(ctx, points, values)
	if s.there > 0 {
		return err
	}
	s.queries += len(values)
	s.batches++
	if s.least = min(s.least, slices.Min(values)); s.least <= 1e-8 {
		s.there = s.past
	}
	return err
}

// busy is the part of the time in which workers work.
func (s *shift) busy() float64 { return s.worked / s.past / float64(s.workers) }

// Sixteen workers whose times are log-normal wait for the slowest point of each batch. So they are busy for 85 % of the time only
// if CMA-ES, or lines in 30 dimensions, are told that 640 evaluations cost no more than one. With -v it prints how busy they are, and
// when the value was found: busy workers are not always the fastest.
func TestBusyWorkers(t *testing.T) {
	const d, workers = 30, 16
	sphere := objective.Func(d, func(x []float64) (sum float64) {
		for _, v := range x {
			sum += (v - 0.3) * (v - 0.3)
		}
		return sum
	})
	wells := objective.Func(d, func(x []float64) (sum float64) {
		for i, v := range x {
			v = 5 * (v - 0.3*math.Sin(float64(i)))
			sum += v*v + 10 - 10*math.Cos(2*math.Pi*v)
		}
		return sum
	})
	on := func(f objective.Objective) *shift {
		return &shift{Objective: f, workers: workers, random: rng.Seed(1).Stream("workers"), least: math.Inf(1)}
	}
	for _, parallel := range []int{1, 16, 128, 640} {
		s := on(sphere)
		cma, err := untwist.StrategyNamed("cmaes", untwist.Knobs{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := untwist.Minimize(ctx, s, untwist.Options{
			Strategy: cma, Parallel: parallel, Budget: 1_000_000, Target: new(1e-3), Start: objective.Cube(d, -1, 1),
		}); err != nil {
			t.Fatal(err)
		}
		t.Logf("CMA-ES, --parallel %d: busy %.0f %%, at the value after %.0f", parallel, 100*s.busy(), s.past)
		if parallel == 640 && s.busy() < 0.85 {
			t.Errorf("busy for %.0f %% of the time", 100*s.busy())
		}
	}
	alone := 0.0 // when lines with a point each were at the value
	for _, parallel := range []int{1, 31, 64, 128, 640} {
		s, x := on(wells), make([]float64, d)
		fx := make([]float64, 1)
		if err := wells.Evaluate(ctx, mat.NewDense(1, d, x), fx); err != nil {
			t.Fatal(err)
		}
		a := descent.NewAxes(s, x, fx[0], objective.Cube(d, -1, 1))
		a.Abreast = parallel
		for s.least > 1e-8 && s.past < 1e5 {
			if err := a.Search(ctx, objective.Cube(d, -1, 1)); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("lines, --parallel %d: busy %.0f %%, at the value after %.0f, %d queries and %d batches", parallel, 100*s.busy(), s.there, s.queries, s.batches)
		switch {
		case s.there == 0 || parallel == 128 && s.there > 0.75*alone:
			t.Errorf("at the value after %.0f, with --parallel 1 after %.0f", s.there, alone)
		case parallel == 640 && s.busy() < 0.85:
			t.Errorf("busy for %.0f %% of the time", 100*s.busy())
		case parallel == 1:
			alone = s.there
		}
	}
}
