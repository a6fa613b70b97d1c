package identify

import (
	"slices"

	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/frame"
)

// What f must pass to separate in the coordinates as given: it does so to rounding, or
// nearly so, and rounding is small enough to see it.
const (
	axesRounding = 1e-10
	axesCoupling = 1e-12
	axesHidden   = 10 // times rounding
)

// asGiven looks whether f separates in the coordinates as they are, and leaves out
// those on which it does not depend. It returns nil if it does not.
func asGiven(g *ground) (*Finding, error) {
	c, err := g.test(0, false).Splits(g.ctx, g.f, nil, nil)
	if err != nil {
		return nil, err
	}
	if c.Verdict != certify.Separable || c.Rounding > axesRounding || c.Coupling > max(axesCoupling, axesHidden*c.Rounding) {
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

// used returns the coordinates on which f depends: those that move it, each
// alone, at some point; points are added until f is constant in all others.
func used(g *ground) ([]int, error) {
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
			return all(d), nil
		}
	}
}

// constant reports whether f is the same at pairs of points that differ in all
// coordinates on which it does not depend.
func constant(g *ground, depends []bool) (bool, error) {
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

// all returns the coordinates 0 to d-1.
func all(d int) []int {
	every := make([]int, d)
	for i := range every {
		every[i] = i
	}
	return every
}

// scaled measures the scale of every component of a finding, at so many points, 0: it
// does not.
func scaled(g *ground, found *Finding, measures int) error {
	if measures == 0 {
		return nil
	}
	c := newCandidate(g, found.Frame, certify.Singles(found.Frame.Components()))
	found.Scale = c.h
	c, err := c.looked(g)
	if err != nil {
		return err
	}
	if c, err = c.withSteps(g, min(measures, 2)); err != nil { // after three looks
		return err
	}
	found.Scale = c.h
	return nil
}
