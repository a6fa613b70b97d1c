package several

import (
	"cmp"
	"context"
	"math"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// ranked searches by CMA-ES from the best point, which needs nothing but the order of points: feasible
// ones by f, and behind them others by how far they exceed their limits.
func (l *limits) ranked() error {
	l.task.Stage(byRanking)
	r := &ranking{limits: l, worst: math.Inf(-1)}
	s := cmaes.Series{Box: objective.Cube(l.f.Dim(), -1, 1), Seed: l.task.Seed}
	s.Run.Bounds, s.Run.Sigma = l.task.Bounds, strategy.FirstSigma
	if l.best.y != nil {
		s.Run.Mean = l.space.outer(l.best.y)
	}
	_, err := s.Minimize(l.ctx, r)
	return cmp.Or(err, r.ended) // a series takes the end of a budget for its own
}

// A ranking is an objective whose values have the order of the points.
type ranking struct {
	*limits
	worst float64 // the largest f of a feasible point so far
	ended error   // what f has ended the search with
}

// Dim returns the dimension.
func (r *ranking) Dim() int { return r.f.Dim() }

// Evaluate evaluates f at the points of the polytope nearest to these.
func (r *ranking) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	ys := make([][]float64, len(values))
	for i := range ys {
		ys[i] = r.space.inside(r.space.inner(points.RawRowView(i)))
	}
	places, err := r.evaluate(ys)
	if err != nil {
		r.ended = err
		return err
	}
	for _, p := range places {
		if r.over(p) <= 1 {
			r.worst = max(r.worst, p.f)
		}
	}
	for i, p := range places {
		switch e := r.over(p); {
		case e <= 1:
			values[i] = p.f
		case math.IsInf(r.worst, -1):
			values[i] = e
		default:
			values[i] = r.worst + e
		}
	}
	return nil
}
