package auto

import (
	"context"
	"math"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// A race gives CMA-ES a chance before an expensive part of a survey, since that may well
// be in vain.
type race struct {
	fallback *fallback
	bounded  bool // f has bounds
	budget   int  // of the whole run
	again    bool // the survey was paused before
}

// How long the race is: for a dimension, in all, and as a part of the budget (1/racePart).
// In that time CMA-ES solves Ackley's and Griewank's functions with orthogonal mixing
// matrices in 10 and 40 dimensions (docs/auto.md). Without it, finding out that f does not
// separate costs about 10d² queries more. Where f separates the race is in vain, which
// raceMost limits.
const (
	raceEach = 600
	raceMost = 24_000
	racePart = 4
)

// pause is called by a survey before a part that costs several times as much as all
// before, with the inverse of the Hessians' mean size. Well-conditioned Hessians are exact:
// if they have not shown f's coordinates, CMA-ES runs at once. Otherwise it runs only when
// more exact Hessians have not shown them either.
func (r *race) pause(ctx context.Context, inverse *mat.SymDense) error {
	metric, condition := limited(inverse)
	easy, again := condition <= identify.WellConditioned, r.again
	r.again = true
	if !easy && !r.bounded {
		r.fallback.metric = metric // worth knowing
	}
	if r.fallback.begun() || !easy && !again {
		return nil
	}
	_, err := r.fallback.search(ctx, min(raceEach*r.fallback.f.Dim(), raceMost, r.budget/racePart))
	return err
}

// longestAxis is how much longer or shorter than the usual one an axis of the first
// covariance may be, as a square. What is beyond a factor of 100 may be rounding.
const longestAxis = 1e4

// limited returns a covariance with axes from 1/100 to 100 of the usual one's, nil if
// there is none. And it returns the condition number.
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
		axis := math.Sqrt(min(max(l/usual, 1/longestAxis), longestAxis))
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
