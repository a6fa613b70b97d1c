package strategy

import (
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/asktell"
	"github.com/untwist/untwist/cmaes"
	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/rng"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// errSearched says that a search has ended the run, with auto.status.
var errSearched = errors.New("searched")

// race gives CMA-ES a chance before a dear part of a survey, since that may well be in
// vain: at once where the Hessians seen are well-conditioned, so that it was not for
// want of accuracy that they did not tell f's coordinates, otherwise only when better
// ones have not told them either.
func (a *auto) race(inverse *mat.SymDense) error {
	metric, condition := limited(inverse)
	easy, again := condition <= easy, a.paused
	a.paused = true
	if !easy && !a.task.bounded() {
		a.metric = metric // worth knowing
	}
	if a.series != nil || !easy && !again {
		return nil
	}
	err := a.search(min(600*a.f.Dim(), 24_000, a.task.Budget/4))
	if errors.Is(err, errSearched) { // the series has come to its end
		return nil
	}
	return err
}

// limited returns a covariance with axes from 1/100 to 100 of the usual one's, nil if
// there is none: what is beyond may be rounding. And it returns the condition number.
func limited(c *mat.SymDense) (*mat.SymDense, float64) {
	var eigen mat.EigenSym
	if !eigen.Factorize(c, true) {
		return nil, math.Inf(1)
	}
	lambda := eigen.Values(nil) // ascending
	n := len(lambda)
	usual, condition := lambda[n/2], lambda[n-1]/lambda[0]
	if !(lambda[0] > 0) {
		condition = math.Inf(1)
	}
	if !(usual > 0) || math.IsInf(usual, 1) {
		return nil, condition
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	for i, l := range lambda {
		axis := math.Sqrt(min(max(l/usual, 1e-4), 1e4))
		for k := range n {
			v.Set(k, i, v.At(k, i)*axis)
		}
	}
	square := mat.NewDense(n, n, nil)
	kernel.MulT(square.RawMatrix(), 1, v.RawMatrix(), v.RawMatrix(), 0)
	metric := mat.NewSymDense(n, nil)
	for i := range n {
		for k := i; k < n; k++ {
			metric.SetSym(i, k, square.At(i, k))
		}
	}
	return metric, condition
}

// easy is the condition number up to which Hessians are well-conditioned.
const easy = 1e3

// search goes on with BIPOP-CMA-ES from the best point known, for at least so many
// queries. It returns errSearched when the series has come to its end.
func (a *auto) search(queries int) error {
	a.task.Stage(objective.Stage{Name: "cmaes", Purpose: objective.ToSearch})
	if a.series == nil {
		a.series = asktell.New(a.f.Dim(), a.bipop())
	}
	for queries > 0 {
		points := a.series.Ask()
		if points == nil {
			if err := a.series.Err(); err != nil {
				return err
			}
			return errSearched
		}
		n, _ := points.Dims()
		values := make([]float64, n)
		err := a.f.Evaluate(a.ctx, points, values)
		a.series.Tell(values, err)
		if err != nil {
			return err
		}
		queries -= n
	}
	return nil
}

// bipop returns the series of runs.
func (a *auto) bipop() func(objective.Objective) error {
	s := cmaes.Series{
		Run: cmaes.Config{Sigma: 0.6, Bounds: a.task.Bounds, Mean: slices.Clone(a.f.best.Point)},
		Box: objective.Cube(a.f.Dim(), -1, 1), Seed: a.task.Seed,
	}
	if a.metric != nil {
		s.Run.Covariance = cmaes.Cholesky{First: a.metric}
	}
	return func(f objective.Objective) error {
		r, err := s.Minimize(a.ctx, f)
		a.status = r.Status
		return err
	}
}

// stop ends what is not at its end.
func (a *auto) stop() {
	if a.series != nil {
		a.series.Stop()
	}
}

// onFaces searches by CMA-ES near the best point, which is on a face or in a corner
// of the bounds.
func (a *auto) onFaces() error {
	a.task.Stage(objective.Stage{Name: "cmaes", Purpose: objective.ToSearch})
	r, err := cmaes.Run(a.ctx, a.f, cmaes.Config{
		Mean: slices.Clone(a.f.best.Point), Sigma: 0.02, Bounds: a.task.Bounds,
		Normal: rng.Seed(a.task.Seed).Stream("auto", "finish").Norm,
	})
	if err == nil {
		a.status, err = r.Status, errSearched
	}
	return err
}
