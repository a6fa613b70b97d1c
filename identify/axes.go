package identify

import (
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/objective"
)

// What f must pass to separate in the coordinates as given. It has to do so to rounding,
// since all further evidence is left out then: functions that do stand at 4e-15 or less
// (the suite without W), and others at 0.2 or more.
const (
	axesCoupling = 1e-12 // the coupling up to which it does
	axesHidden   = 10    // or so many times the rounding of the couplings
	axesRounding = 1e-10 // the rounding from which on that says nothing; it was 1e-14 at most
	axesSingle   = 1e-4  // the same where f computes in single precision, which leaves 1e-6 or so
	axesFirst    = 2     // so many random splits are tested first
	axesBlatant  = 1e-3  // and if they couple by more than that, it does not
)

// asGiven returns the finding of the coordinates as they are, without those on which f
// does not depend; nil if f does not separate in them.
func asGiven(g *sampler) (*Finding, error) {
	test := g.test(0, false)
	test.Most = axesFirst
	c, err := test.Splits(g.ctx, g.f, nil, nil)
	if err != nil || c.Coupling > axesBlatant {
		return nil, err
	}
	if c, err = g.test(0, false).Splits(g.ctx, g.f, nil, nil); err != nil {
		return nil, err
	}
	most := axesRounding
	if g.grain.Kind == objective.SinglePrecision {
		most = axesSingle
	}
	if c.Verdict != certify.Separable || c.Rounding > most || c.Coupling > max(axesCoupling, axesHidden*c.Rounding) {
		return nil, nil
	}
	used, err := used(g)
	if err != nil {
		return nil, err
	}
	if used == nil {
		return nil, ErrConstant
	}
	found := Known(frame.Axes(g.f.Dim(), used), certify.Singles(len(used)))
	found.Certificate = c
	return found, nil
}

// used returns the coordinates on which f depends: those that change its value, each
// alone, at some point. Points are added until f is constant in all others.
func used(g *sampler) ([]int, error) {
	d := g.f.Dim()
	depends := make([]bool, d)
	for rounds := 1; ; rounds++ {
		x, other := g.anywhere(), g.anywhere()
		values, err := g.ask(d+1, func(k int, row []float64) {
			copy(row, x)
			if k < d {
				row[k] = other[k]
			}
		})
		if err != nil {
			return nil, err
		}
		var used []int
		for i := range depends {
			if depends[i] = depends[i] || values[i] != values[d]; depends[i] {
				used = append(used, i)
			}
		}
		if constant, err := constant(g, depends); constant || err != nil {
			return used, err
		}
		if rounds == attempts {
			return slices.Concat(certify.Singles(d)...), nil
		}
	}
}

// constant reports whether f is the same at pairs of points that differ in all
// coordinates on which it does not depend.
func constant(g *sampler, depends []bool) (bool, error) {
	if !slices.Contains(depends, false) {
		return true, nil
	}
	var x, other []float64
	values, err := g.ask(2*attempts, func(k int, row []float64) {
		if k%2 == 0 {
			x, other = g.anywhere(), g.anywhere()
		}
		copy(row, x)
		for i, yes := range depends {
			if k%2 == 1 && !yes {
				row[i] = other[i]
			}
		}
	})
	if err != nil {
		return false, err
	}
	for k := 0; k < len(values); k += 2 {
		if values[k] != values[k+1] {
			return false, nil
		}
	}
	return true, nil
}
