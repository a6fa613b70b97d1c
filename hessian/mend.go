package hessian

import (
	"context"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// shorter are the parts of the step with which a spoilt entry is asked for again: so
// different that other points are asked, and so long that rounding grows eightfold
// at most.
var shorter = []float64{0.7, 0.5, 0.35}

// mend asks again for entries that values that were not finite have spoilt:
// each by itself, with a shorter step, so that a simulator that fails here and
// there does not cost a whole Hessian. It counts what stays missing. Where f(x)
// itself or most of the rest failed it asks for nothing.
func (s Stencil) mend(ctx context.Context, f objective.Objective, e *Estimate, directions *mat.Dense, step float64, pairs [][2]int) error {
	spoilt := e.spoilt(pairs)
	if entries := len(e.Gradient) + len(pairs); kernel.Finite(e.Value) && len(spoilt) <= entries/2 {
		for _, part := range shorter {
			if len(spoilt) == 0 {
				break
			}
			if err := s.again(ctx, f, e, directions, float64(part*step), spoilt); err != nil {
				return err
			}
			spoilt = e.spoilt(pairs)
		}
	}
	e.Missing = len(spoilt)
	return nil
}

// spoilt returns the entries that are not finite, (i, i) for a diagonal one or
// its slope.
func (e *Estimate) spoilt(pairs [][2]int) [][2]int {
	var all [][2]int
	for i, g := range e.Gradient {
		if !kernel.Finite(g) || !kernel.Finite(e.Hessian.At(i, i)) {
			all = append(all, [2]int{i, i})
		}
	}
	for _, p := range pairs {
		if !kernel.Finite(e.Hessian.At(p[0], p[1])) {
			all = append(all, p)
		}
	}
	return all
}

// again asks for some entries, each by itself.
func (s Stencil) again(ctx context.Context, f objective.Objective, e *Estimate, directions *mat.Dense, step float64, entries [][2]int) error {
	terms := func(p [2]int) []Term {
		if p[0] == p[1] {
			return s.Diagonal
		}
		return s.Pair
	}
	var plan []offset
	for _, p := range entries {
		for _, t := range terms(p) {
			plan = append(plan, offset{p[0], p[1], t.A, t.B})
		}
	}
	values, err := ask(ctx, f, e.Point, directions, step, plan)
	if err != nil {
		return err
	}
	for _, p := range entries {
		all := terms(p)
		sum := 0.0
		for n, t := range all {
			if !kernel.Finite(values[n]) {
				e.Failed++
			}
			sum += float64(t.Weight * (values[n] - e.Value))
		}
		if p[0] == p[1] {
			e.Gradient[p[0]] = slope(s.Slope, all, values) / step
		}
		e.Hessian.Set(p[0], p[1], sum/(step*step))
		e.Hessian.Set(p[1], p[0], sum/(step*step))
		values = values[len(all):]
	}
	return nil
}
