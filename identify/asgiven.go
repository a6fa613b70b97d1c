package identify

import (
	"github.com/untwist/untwist/frame"
	"gonum.org/v1/gonum/mat"
)

// asGiven looks whether f separates in the coordinates as they are, to rounding
// or nearly so, and leaves out those on which it does not depend.
func (r *road) asGiven() (bool, error) {
	d := r.f.Dim()
	c, err := r.certify(frame.Identity(d), singles(d))
	if c.Verdict != Separable || c.Coupling > max(1e-12, 10*c.Rounding) || err != nil {
		return false, err
	}
	used := make([]bool, d)
	for range 2 {
		x, err := r.point()
		if err != nil {
			return false, err
		}
		other := r.draw()
		values, err := r.ask(d+1, func(k int, row []float64) {
			copy(row, x)
			if k < d {
				row[k] = other[k]
			}
		})
		if err != nil {
			return false, err
		}
		for i := range used {
			used[i] = used[i] || values[i] != values[d]
		}
	}
	var rows []float64
	for i, yes := range used {
		if yes {
			e := make([]float64, d)
			e[i] = 1
			rows = append(rows, e...)
		}
	}
	if rows == nil {
		return false, ErrConstant
	}
	m := len(rows) / d
	f, err := frame.New(mat.NewDense(m, d, rows))
	r.finding.Frame, r.finding.Blocks, r.finding.Certificate = f, singles(m), c
	return true, err
}
