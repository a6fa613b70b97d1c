package hessian

import (
	"context"
	"errors"
	"math"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// scales are the steps that Step tries: four to a decade, from 1e-5 to 1.
var scales = func() []float64 {
	var all []float64
	for k := -20; k <= 0; k++ {
		all = append(all, math.Pow(10, float64(k)/4))
	}
	return all
}()

// Step chooses the step for a stencil by looking at f. Along each row v of
// directions (n×d) it forms the stencil's own second difference at x over a
// range of scales t,
//
//	D(t) = t⁻² Σ_k w_k f(x + a_k t v)   over its Diagonal,
//
// which for small t drowns in the rounding or the noise of f and for large t
// misses the curvature at x, and takes the t at which D agrees best with its
// neighbours: the sum of the two differences and of the rounding of f(x)/t², in
// the geometric mean over the directions, is least. Three directions or more
// keep chance out of it. No step above most is tried (0: none above 1).
//
// It asks one batch: f(x), and for each direction up to 21 times the other
// points of a diagonal entry. Where no three neighbouring differences are
// finite the error is ErrNoStep.
func (s Stencil) Step(ctx context.Context, f objective.Objective, x []float64, directions *mat.Dense, most float64) (float64, error) {
	var tried []float64
	for _, t := range scales {
		if most == 0 || t <= most {
			tried = append(tried, t)
		}
	}
	f0, lines, err := s.seconds(ctx, f, x, directions, tried)
	if err != nil {
		return 0, err
	}
	best, least := 0.0, math.Inf(1)
	for k, t := range tried {
		rounding := 0x1p-52 * math.Abs(f0) / (t * t)
		unrest := 0.0 // Σ log, over directions
		for _, d := range lines {
			unrest += math.Log(gap(d, k) + rounding)
		}
		if unrest < least {
			best, least = t, unrest
		}
	}
	if best == 0 {
		return 0, ErrNoStep
	}
	return best, nil
}

// seconds returns f(x) and, for each direction, D at all scales.
func (s Stencil) seconds(ctx context.Context, f objective.Objective, x []float64, directions *mat.Dense, scales []float64) (f0 float64, lines [][]float64, err error) {
	n, _ := directions.Dims()
	plan := []offset{{}} // f(x) is asked for once
	for i := range n {
		for _, t := range scales {
			for _, term := range s.Diagonal {
				if term.A != 0 {
					plan = append(plan, offset{i: i, a: float64(term.A * t)})
				}
			}
		}
	}
	values := make([]float64, len(plan))
	if err := ask(ctx, f, x, directions, 1, plan, values); err != nil {
		return 0, nil, err
	}
	f0, values = values[0], values[1:]
	for range n {
		d := make([]float64, len(scales))
		for k, t := range scales {
			for _, term := range s.Diagonal {
				if term.A != 0 { // as the weights sum to 0, f(x) may be subtracted
					d[k] += float64(term.Weight * (values[0] - f0))
					values = values[1:]
				}
			}
			d[k] /= t * t
		}
		lines = append(lines, d)
	}
	return f0, lines, nil
}

// gap returns |d_k − d_{k−1}| + |d_{k+1} − d_k|, +Inf if there is no such
// number.
func gap(d []float64, k int) float64 {
	if k == 0 || k == len(d)-1 {
		return math.Inf(1)
	}
	g := math.Abs(d[k]-d[k-1]) + math.Abs(d[k+1]-d[k])
	if math.IsNaN(g) {
		return math.Inf(1)
	}
	return g
}

// ErrNoStep says that f could not be evaluated often enough along a line to
// choose a step.
var ErrNoStep = errors.New("hessian: f has no finite values at neighbouring steps")
