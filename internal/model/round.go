package model

import (
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// roundFrom is the eigenvalue from which on minima count as round in a frame. Of functions that
	// nearly separate it was 0.2 and more, and of Rosenbrock's 0.06 and less.
	roundFrom = 0.15
	// endsWithin is how near the minimum of each component is at the end of a descent that has not come to rest by then, in parts
	// of how far it goes.
	endsWithin = 0.25
	// stepPart is the part of how far a component goes in the box that is a short step, at least.
	stepPart = 1e-3
	// little is what the last fewOf steps gain, as a part of the whole descent, that counts as nothing.
	little, fewOf = 1e-3, 3
)

// partsDown are the parts of a step that are tried.
var partsDown = []float64{1, 0.5, 0.25, 0.1, 0.03}

// A valley is f along a frame, from where descents look for round minima: second differences over t have an error of t² + σ/t²
// or so, where t is the part of how far a component goes in the box.
type valley struct {
	s     *sampler
	frame *Frame
	part  float64
	steps []float64
}

func newValley(s *sampler, f *Frame) *valley {
	v := &valley{s, f, max(stepPart, math.Sqrt(math.Sqrt(s.sigma))), s.widths(f.W)}
	floats.Scale(v.part/4, v.steps)
	return v
}

// round reports whether f is round in the coordinates of a frame where a descent ends, one of some: whether the smallest
// eigenvalue of
//
//	H_ij/√(H_ii H_jj),
//
// H the Hessian there, is not small. In a frame that separates f it is 1. A search along components gains about so much of
// what is to be gained with each round. In a curved valley it is nearly 0, however small couplings are beside the differences
// over the whole box. Components along which f does not curve upwards are left out. A descent that does not end is slow, as it
// is in such a valley.
func (v *valley) round() (bool, error) {
	from, _, err := v.s.finite(rulerPlaces)
	if err != nil {
		return false, err
	}
	n, _ := from.Dims()
	for k := range n {
		x, ended, err := v.downhill(from.RawRowView(k))
		if err != nil {
			return false, err
		}
		if !ended {
			continue
		}
		l := v.s.bare(symmetric, v.frame.U, v.steps, x)
		l.pairs = nil
		if err := v.s.look(l); err != nil {
			return false, err
		}
		if q := l.measure(v.s, Theta{}); count(q.without) <= len(q.without)/2 && roundness(q.m) >= roundFrom {
			return true, nil
		}
	}
	return false, nil
}

// downhill goes down from x by Newton steps along all components at once, as if f separated:
//
//	−f_i'/|f_i″|, and no further than y_i goes in the middle of the box.
//
// It needs to come near a local minimum only, and takes 2m + 6 queries a step. It reports whether that was its end.
func (v *valley) downhill(x []float64) (end []float64, ended bool, err error) {
	var history []float64
	var far float64 // from the minimum of some component, in parts of how far it goes
	for range mostSweeps / 2 {
		l := v.s.bare(symmetric, v.frame.U, v.steps, x)
		if err := v.s.look(l); err != nil {
			return nil, false, err
		}
		least := l.z[0][0]
		if history = append(history, least); stalled(history) {
			return x, true, nil
		}
		q, way := l.measure(v.s, Theta{}), make([]float64, len(x))
		far = 0
		for i, slope := range q.g {
			bend := q.m.At(i, i) // in steps, as the slope is
			t := -slope / max(math.Abs(bend), math.Abs(slope)*v.part, tiny)
			kernel.AddScaled(way, t, l.steps.RawRowView(i))
			if bend > 0 {
				far = max(far, math.Abs(slope)/bend*v.part)
			}
		}
		var points [][]float64
		for _, part := range partsDown {
			points = append(points, beside(x, part*v.s.reach(x, way, 1), way))
		}
		tried, err := v.s.at(points)
		if err != nil {
			return nil, false, err
		}
		k := floats.MinIdx(tried)
		if !(tried[k] < least) {
			return x, true, nil
		}
		x = slices.Clone(points[k])
	}
	return x, far <= endsWithin, nil
}

// count returns how many are true.
func count(all []bool) (n int) {
	for _, yes := range all {
		if yes {
			n++
		}
	}
	return n
}

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
	values, _ := eigen(each(len(up), func(a, b int) float64 {
		i, j := up[a], up[b]
		return hessian.At(i, j) / math.Sqrt(hessian.At(i, i)*hessian.At(j, j))
	}))
	return slices.Min(append(values, 1))
}
