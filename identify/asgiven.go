package identify

import (
	"github.com/untwist/untwist/frame"
)

// asGiven looks whether f separates in the coordinates as they are, to rounding
// or nearly so, and leaves out those on which it does not depend.
func (r *road) asGiven() (bool, error) {
	d := r.f.Dim()
	c, err := r.splitting(d, d, func() (x, a, b []float64) {
		x = r.draw()
		steps := [2][]float64{make([]float64, d), make([]float64, d)}
		to := r.draw()
		for k, side := range r.sides(d) {
			steps[side][k] = to[k] - x[k]
		}
		return x, steps[0], steps[1]
	})
	if c.Verdict != Separable || c.Coupling > max(1e-12, 10*c.Rounding) || err != nil {
		return false, err
	}
	used, err := r.used()
	if err != nil {
		return false, err
	}
	if used == nil {
		return false, ErrConstant
	}
	r.finding.Frame, r.finding.Blocks, r.finding.Certificate = frame.Axes(d, used), singles(len(used)), c
	return true, nil
}

// used returns the coordinates on which f depends, by moving each alone at two
// points.
func (r *road) used() ([]int, error) {
	d := r.f.Dim()
	depends := make([]bool, d)
	for range 2 {
		x, err := r.point()
		if err != nil {
			return nil, err
		}
		other := r.draw()
		values, err := r.ask(d+1, func(k int, row []float64) {
			copy(row, x)
			if k < d {
				row[k] = other[k]
			}
		})
		if err != nil {
			return nil, err
		}
		for i := range depends {
			depends[i] = depends[i] || values[i] != values[d]
		}
	}
	var used []int
	for i, yes := range depends {
		if yes {
			used = append(used, i)
		}
	}
	return used, nil
}
