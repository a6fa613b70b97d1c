package several

import (
	"cmp"
	"context"

	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// ranked searches by CMA-ES from the best point, which needs nothing but the order of points: feasible
// ones by f, and behind them others by how far they exceed their limits.
func (l *limits) ranked() error {
	l.task.Stage(byRanking)
	r := &ranking{limits: l}
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
	query.Ranking
	ended error // what f has ended the search with
}

func (r *ranking) Dim() int { return r.f.Dim() }

// Evaluate evaluates f at the points of the polytope nearest to these.
func (r *ranking) Evaluate(_ context.Context, points *mat.Dense, values []float64) error {
	ys, over := make([][]float64, len(values)), make([]float64, len(values))
	for i := range ys {
		ys[i] = r.space.inside(r.space.inner(points.RawRowView(i)))
	}
	places, err := r.evaluate(ys)
	if r.ended = err; err != nil {
		return err
	}
	for i, p := range places {
		values[i], over[i] = p.f, r.over(p)
	}
	r.Rank(values, over)
	return nil
}
