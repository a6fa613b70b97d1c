package problem

import (
	"context"

	"gonum.org/v1/gonum/mat"
)

// inSingle: f as code for a graphics card computes it. Points, W, the products and sums of y = Wx,
// the terms f_j(y_j) and their sum are all rounded to float32, from left to right. A function that
// is no sum of terms is computed in double precision of such a y, and rounded once.
func (p *Problem) inSingle() spoiler {
	return func(_ context.Context, points *mat.Dense, values []float64) {
		s := newScratch(p.spec.Components, p.g.work)
		x := make([]float64, p.Dim())
		for i := range values {
			for k, v := range points.RawRowView(i) {
				x[k] = float64(float32(v))
			}
			y := rows(s.y, 0, 1)
			if p.w == nil {
				y.Data = x
			} else {
				p.w.single(y.Data, x)
			}
			if p.g.terms == nil {
				p.g.values(values[i:i+1], y, s)
				values[i] = float64(float32(values[i]))
				continue
			}
			t, sum := rows(s.t, 0, 1).Data, float32(0)
			p.g.terms(t, y.Data)
			for _, v := range t {
				sum += float32(v)
			}
			values[i] = float64(sum)
		}
	}
}
