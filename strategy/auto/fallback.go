package auto

import (
	"context"
	"math"
	"slices"

	"github.com/untwist/untwist/asktell"
	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/objective"
	"github.com/untwist/untwist/strategy"
	"gonum.org/v1/gonum/mat"
)

// A fallback is BIPOP-CMA-ES, for functions that do not separate. It can be paused: the
// series goes on where it stood.
type fallback struct {
	f      *watched
	bounds objective.Box
	seed   uint64

	metric *mat.SymDense // the first covariance; nil: I. It counts until the series begins.
	series *asktell.Talk // nil: not begun
	end    objective.Status
}

// throughout is as many queries as it takes.
const throughout = math.MaxInt

// search goes on with the series, which begins at the best point known, for at least so
// many queries. It returns the status with which the series has ended, or Running if it
// was paused.
func (s *fallback) search(ctx context.Context, queries int) (objective.Status, error) {
	s.f.stage(byCMAES)
	if s.series == nil {
		s.series = asktell.New(s.f.Dim(), s.bipop(ctx))
	}
	for queries > 0 {
		points := s.series.Ask()
		if points == nil {
			return s.end, s.series.Err()
		}
		n, _ := points.Dims()
		values := make([]float64, n)
		err := s.f.Evaluate(ctx, points, values)
		s.series.Tell(values, err)
		if err != nil {
			return objective.Running, err
		}
		queries -= n
	}
	return objective.Running, nil
}

// begun reports whether the series has begun.
func (s *fallback) begun() bool { return s.series != nil }

// bipop returns the series of runs as an algorithm.
func (s *fallback) bipop(ctx context.Context) func(objective.Objective) error {
	series := cmaes.Series{
		Run: cmaes.Config{Sigma: strategy.FirstSigma, Bounds: s.bounds, Mean: slices.Clone(s.f.best.Point)},
		Box: objective.Cube(s.f.Dim(), -1, 1), Seed: s.seed,
	}
	if s.metric != nil {
		series.Run.Covariance = cmaes.Cholesky{First: s.metric}
	}
	return func(f objective.Objective) error {
		r, err := series.Minimize(ctx, f)
		s.end = r.Status
		return err
	}
}

// stop ends a series that is not at its end.
func (s *fallback) stop() {
	if s.series != nil {
		s.series.Stop()
	}
}
