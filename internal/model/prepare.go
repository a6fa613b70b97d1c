package model

import (
	"github.com/untwist/untwist/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// prepare measures steps, and begins with a look that was made before, or looks for few components.
func (e *search) prepare() (err error) {
	e.white = kernel.Identity(e.m)
	if err = e.climb(e.frame, 0, false); err != nil {
		return err
	}
	if e.request.First != nil {
		return e.adopt(*e.request.First)
	}
	if e.s.span != nil {
		return nil
	}
	span, err := reduce(e.s, e.steps)
	if err != nil {
		return err
	}
	if span != nil {
		e.s.span = span
		e.belief = newBelief(e.s)
		e.white = kernel.Identity(e.m)
		err = e.climb(e.frame, 0, false)
	}
	e.say("σ %.1e, %d components", e.s.sigma, e.m)
	return err
}

// adopt begins with a look that was made before.
func (e *search) adopt(f First) error {
	inBox := func(v []float64, centre []float64) []float64 {
		x := mat.NewDense(1, len(v), nil)
		for k := range v {
			x.Set(0, k, (v[k]-centre[k])/e.s.half[k])
		}
		if e.s.span != nil {
			x = kernel.Times(x, e.s.span)
		}
		return x.RawRowView(0)
	}
	l := &Look{kind: forward, x: inBox(f.X, e.s.centre), steps: mat.NewDense(e.m, e.m, nil)}
	longest := 0.0
	for i := range e.m {
		l.steps.SetRow(i, inBox(f.Steps.RawRowView(i), make([]float64, len(f.X))))
		longest = max(longest, length(l.steps.RawRowView(i)))
	}
	l.tau = e.steps.tau(forward, longest)
	z := make([]float64, len(f.Values))
	for k, v := range f.Values {
		z[k] = (v - e.s.mid) / e.s.unit
	}
	l.z = [][]float64{z[:1], z[1+e.m : 1+2*e.m], z[1 : 1+e.m], z[1+2*e.m:]}
	e.looks = append(e.looks, l)
	if !e.learn() {
		e.forget()
	}
	return e.prepareNext()
}
