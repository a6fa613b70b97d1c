package hessian

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/grains"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// scales are the steps that Step tries: powers of two from 1e-5 to 1.
var scales = func() []float64 {
	var all []float64
	for k := -17; k <= 0; k++ {
		all = append(all, math.Ldexp(1, k))
	}
	return all
}()

// StepQueries returns how many queries Step asks at most along n lines.
func (s Stencil) StepQueries(n int) int { return n * (1 + (len(s.Diagonal)-1)*len(scales)) }

// Step chooses the step for a stencil by looking at f. At each row x of points
// (n×d), along the row v of directions (n×d) that stands beside it, it forms
// the stencil's own second difference over a range of scales t,
//
//	D(t) = t⁻² Σ_k w_k f(x + a_k t v)   over its Diagonal,
//
// which for small t drowns in the rounding or the noise of f and for large t
// misses the curvature at x. It takes the t at which D agrees best with its
// neighbours: the sum of the two differences and of twice the grain of f(x)/t², in
// the geometric mean over the lines, is least. Three lines or more keep chance
// out of it. Lines on which f is not finite at t are left out, and a t with less than
// half of the lines is not chosen. No step above most is tried (0: none above 1).
//
// It asks one batch: for each line f(x) and up to 18 times the other points of
// a diagonal entry. Where no t can be chosen the error is ErrNoStep.
func (s Stencil) Step(ctx context.Context, f objective.Objective, points, directions *mat.Dense, most float64, grain objective.Grain) (float64, error) {
	var tried []float64
	for _, t := range scales {
		if most == 0 || t <= most {
			tried = append(tried, t)
		}
	}
	lines, err := s.seconds(ctx, f, points, directions, tried)
	if err != nil {
		return 0, err
	}
	best, least := 0.0, math.Inf(1)
	for k, t := range tried {
		unrest, n := 0.0, 0 // Σ log, over the lines on which f is finite here
		for _, l := range lines {
			if g := gap(l.second, k); !math.IsInf(g, 1) {
				unrest += math.Log(g + grains.OfSecond*grain.Of(l.f0)/(t*t))
				n++
			}
		}
		if unrest /= float64(n); 2*n >= len(lines) && unrest < least {
			best, least = t, unrest
		}
	}
	if best == 0 {
		return 0, ErrNoStep
	}
	return best, nil
}

// A line is what f looks like from a point in one direction.
type line struct {
	f0     float64   // f(x)
	second []float64 // D(t) at all scales
}

// seconds returns what f looks like along all lines.
func (s Stencil) seconds(ctx context.Context, f objective.Objective, points, directions *mat.Dense, scales []float64) (lines []line, err error) {
	multiples := []float64{0} // f(x) is asked for once
	for _, t := range scales {
		for _, term := range s.Diagonal {
			if term.A != 0 {
				multiples = append(multiples, float64(term.A*t))
			}
		}
	}
	n, _ := directions.Dims()
	values, err := query.Ask(ctx, f, n*len(multiples), func(k int, row []float64) {
		i := k / len(multiples)
		copy(row, points.RawRowView(i))
		walk(row, directions, i, multiples[k%len(multiples)])
	})
	if err != nil {
		return nil, err
	}
	for there := range slices.Chunk(values, len(multiples)) {
		l, beside := line{f0: there[0], second: make([]float64, len(scales))}, there[1:]
		for k, t := range scales {
			for _, term := range s.Diagonal { // as the weights sum to 0, f(x) may be subtracted
				if term.A != 0 {
					l.second[k] += float64(term.Weight * (beside[0] - l.f0))
					beside = beside[1:]
				}
			}
			l.second[k] /= t * t
		}
		lines = append(lines, l)
	}
	return lines, nil
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
