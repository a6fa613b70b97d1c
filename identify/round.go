package identify

import (
	"math"
	"slices"

	"github.com/untwist/untwist/hessian"
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// roundFrom is the eigenvalue from which on minima count as round in a frame. Of functions that
// nearly separate it was 0.2 and more, and of Rosenbrock's 0.06 and less.
const roundFrom = 0.15

// round reports whether f is round in the coordinates of a frame where a descent ends, one
// of some: whether the smallest eigenvalue of
//
//	H_ij/√(H_ii H_jj),
//
// H the Hessian there, is not small. In a frame that separates f it is 1. A search along
// components gains about so much of what is to be gained with each round. In a curved valley
// it is nearly 0, however small couplings are beside the differences over the whole box.
// Components along which f does not curve upwards are left out. A descent that does not end
// is slow, as it is in such a valley.
func round(g *sampler, steps *mat.Dense) (bool, error) {
	for range descents {
		from, err := g.point()
		if err != nil {
			return false, err
		}
		x, ended, err := downhill(g, steps, from)
		if err != nil {
			return false, err
		}
		if !ended {
			continue
		}
		e, err := hessian.Symmetric.At(g.ctx, g.f, x, steps, 1)
		if err != nil {
			return false, err
		}
		if e.Missing == 0 && roundness(e.Hessian) >= roundFrom {
			return true, nil
		}
	}
	return false, nil
}

// descents is from how many points one goes down.
const descents = 3

// A descent along all components takes so many steps at most, each of a part of a Newton step
// of every component. If the minimum of one is not near then, in spreads, it has not ended.
const (
	mostDown   = 20
	endsWithin = 0.25
)

var partsDown = []float64{1, 0.5, 0.25, 0.1, 0.03}

// downhill goes down from x by Newton steps along all components at once, as if f separated:
//
//	−f_i'/|f_i″|, and no further than y_i varies in the inner box.
//
// It needs to come near a local minimum only, and takes 2m + 6 queries a step. It reports whether
// that was its end.
func downhill(g *sampler, steps *mat.Dense, x []float64) (end []float64, ended bool, err error) {
	m, _ := steps.Dims()
	part := g.shortStep()
	var history []float64
	var far float64 // from the minimum of some component, in spreads
	for range mostDown {
		values, err := g.ask(1+2*m, func(k int, row []float64) {
			if copy(row, x); k > 0 {
				kernel.AddScaled(row, [2]float64{-1, 1}[k%2], steps.RawRowView((k-1)/2))
			}
		})
		if err != nil {
			return nil, false, err
		}
		if history = append(history, values[0]); stalled(history) {
			return x, true, nil
		}
		way := make([]float64, len(x))
		far = 0
		for i := range m {
			beside := values[1+2*i:] // the upper one first; in steps
			slope, bend := (beside[0]-beside[1])/2, (beside[0]-values[0])+(beside[1]-values[0])
			t := -slope / max(math.Abs(bend), math.Abs(slope)*part)
			kernel.AddScaled(way, min(max(orZero(t), -1/part), 1/part), steps.RawRowView(i))
			if bend > 0 {
				far = max(far, math.Abs(slope)/bend*part)
			}
		}
		trial := func(k int) float64 { return partsDown[k] * min(1, g.room(x, way)) }
		tried, err := g.ask(len(partsDown), func(k int, row []float64) {
			copy(row, x)
			kernel.AddScaled(row, trial(k), way)
		})
		if err != nil {
			return nil, false, err
		}
		best, least := -1, values[0]
		for k, v := range tried {
			if v < least {
				best, least = k, v
			}
		}
		if best < 0 {
			return x, true, nil
		}
		x = slices.Clone(x)
		kernel.AddScaled(x, trial(best), way)
	}
	return x, far <= endsWithin, nil
}

// orZero returns x, 0 if it is not finite.
func orZero(x float64) float64 {
	if !kernel.Finite(x) {
		return 0
	}
	return x
}

// A few steps that gain less than little of the whole descent count as none.
const (
	little = 1e-3
	fewOf  = 3
)

// stalled reports whether the last few steps have gained little of all.
func stalled(history []float64) bool {
	n := len(history) - 1
	return n >= fewOf && history[n-fewOf]-history[n] <= little*(history[0]-history[n])
}

// roundness returns the smallest eigenvalue of a Hessian scaled to a diagonal of ones,
// without the rows and columns whose diagonal is not above 0.
func roundness(hessian *mat.Dense) float64 {
	var up []int
	m, _ := hessian.Dims()
	for i := range m {
		if hessian.At(i, i) > 0 {
			up = append(up, i)
		}
	}
	if len(up) == 0 {
		return 0
	}
	scaled := mat.NewSymDense(len(up), nil)
	for a, i := range up {
		for b, j := range up[:a+1] {
			scaled.SetSym(a, b, hessian.At(i, j)/math.Sqrt(hessian.At(i, i)*hessian.At(j, j)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, false) {
		return 0
	}
	return floats.Min(eigen.Values(nil))
}
