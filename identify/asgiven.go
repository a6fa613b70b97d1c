package identify

import (
	"slices"

	"github.com/untwist/untwist/frame"
)

// asGiven looks whether f separates in the coordinates as they are, to rounding
// or nearly so, and leaves out those on which it does not depend.
func (r *road) asGiven() (bool, error) {
	d := r.f.Dim()
	c, err := r.splitting(d, func() (x, a, b []float64) {
		x, a, b = r.anywhere(), make([]float64, d), make([]float64, d)
		to := r.anywhere()
		for k, side := range r.sides(d) {
			[2][]float64{a, b}[side][k] = to[k] - x[k]
		}
		return x, a, b
	})
	if err != nil {
		return false, err
	}
	if c.decide(d, d, 0); c.Verdict != Separable || c.Rounding > 1e-10 || c.Coupling > max(1e-12, 10*c.Rounding) {
		return false, nil
	}
	used, err := r.used()
	if err != nil {
		return false, err
	}
	if used == nil {
		return false, ErrConstant
	}
	r.finding.Frame, r.finding.Blocks, r.finding.Certificate = frame.Axes(d, used), singles(len(used)), c
	return true, r.scaleAsGiven()
}

// scaleAsGiven measures the scale of every coordinate, if that was asked for.
func (r *road) scaleAsGiven() error {
	if r.measures == 0 {
		return nil
	}
	c := r.newChart(r.finding.Frame)
	r.finding.Scale = c.h
	if err := r.look(c); err != nil {
		return err
	}
	r.measures = min(r.measures, 2) // after three looks
	return r.measure(c)
}

// used returns the coordinates on which f depends: those that move it, each
// alone, at some point; points are added until f is constant in all others.
func (r *road) used() ([]int, error) {
	d := r.f.Dim()
	depends := make([]bool, d)
	for rounds := 1; ; rounds++ {
		x, other := r.anywhere(), r.anywhere()
		values, err := r.ask(d+1, func(k int, row []float64) {
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
		if constant, err := r.constant(depends); constant || err != nil {
			return used, err
		}
		if rounds == attempts {
			return all(d), nil
		}
	}
}

// constant reports whether f is the same at pairs of points that differ in all
// coordinates on which it does not depend.
func (r *road) constant(depends []bool) (bool, error) {
	if !slices.Contains(depends, false) {
		return true, nil
	}
	var x, other []float64
	values, err := r.ask(2*attempts, func(k int, row []float64) {
		if k%2 == 0 {
			x, other = r.anywhere(), r.anywhere()
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
