package strategy

import (
	"cmp"
	"context"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// CMAES is covariance matrix adaptation with BIPOP restarts, from uniform points
// of the start box: the method of choice where f does not separate.
//
// Series' zero values are the defaults of the literature, with σ₀ = 0.3 of the
// box's width as in the paper. Its Box, Seed and Bounds are set from the task; of
// known points all are evaluated, and the first run starts from the best. If the task says
// that evaluations at the same time are free, the population is larger (cmaes.Abreast),
// unless it is given.
type CMAES struct{ Series cmaes.Series }

// Name returns "cmaes".
func (CMAES) Name() string { return "cmaes" }

// FirstSigma is σ₀ of CMA-ES, 0.3 of the width of the start box [-1, 1]^d, as in the
// paper.
const FirstSigma = 0.6

// diagonalNote says which form CMA-ES has in many dimensions.
const diagonalNote = "CMA-ES has a diagonal covariance: a full one does not fit so many dimensions"

// Minimize runs the series until it ends or the budget is spent.
func (c CMAES) Minimize(ctx context.Context, f objective.Objective, task Task) (Outcome, error) {
	task, err := task.asGiven(c, f.Dim())
	if err != nil {
		return Outcome{Status: objective.Failed}, err
	}
	task.Stage(byCMAES)
	s := c.Series
	s.Box, s.Seed, s.Run.Bounds = objective.Cube(f.Dim(), -1, 1), task.Seed, task.Bounds
	s.Run.Lattices = task.values()
	if s.Run.Population == 0 {
		abreast := cmaes.Abreast(f.Dim(), task.Parallel, task.Budget)
		s.Run.Population, s.Run.Rate = abreast.Run.Population, cmp.Or(s.Run.Rate, abreast.Run.Rate)
		if s.Schedule == nil {
			s.Schedule = abreast.Schedule
		}
	}
	s.Run.Sigma = cmp.Or(s.Run.Sigma, FirstSigma)
	if task.Points != nil {
		best, err := evaluateAll(ctx, f, task.Points)
		if err != nil {
			status, err := objective.StatusOf(ctx, err)
			return Outcome{Status: status}, err
		}
		s.Run.Mean = best
	}
	r, err := s.Minimize(ctx, f)
	out := Outcome{Status: r.Status}
	if s.Run.Covariance == nil && f.Dim() >= cmaes.LargeFrom {
		out.Learnt = &Learnt{Notes: []string{diagonalNote}}
	}
	return out, err
}

func evaluateAll(ctx context.Context, f objective.Objective, points *mat.Dense) ([]float64, error) {
	n, _ := points.Dims()
	values := make([]float64, n)
	if err := f.Evaluate(ctx, points, values); err != nil {
		return nil, err
	}
	var best query.Best
	best.OfferAll(points, values)
	return best.Point, nil
}
