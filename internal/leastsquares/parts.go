package leastsquares

import (
	"math"

	"github.com/untwist/untwist/jointdiag"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Parts are groups of residuals that depend on coordinates of their own, B_p·x for part p, the rows of all
// B_p being independent. Then ‖r(x)‖² is a sum over the parts, and each query tells all its summands.
//
// The gradients of a residual, wherever they are taken, lie in the span of the rows of its part. So parts are
// the finest division of residuals such that the spans of their gradients are independent: the components of
// the matroid of the rows of Jacobians. With a basis among these rows, they are the components of the graph in
// which each row is joined to those of the basis that it is made of (S. Krogdahl, "The dependence graph for
// bases in matroids", 1977).
type Parts struct {
	Count int
	// Known says that the rows of the last Jacobian are made of those of the others, so that it has tested
	// what they have shown.
	Known bool
	of    []int      // the part of each residual
	rows  *mat.Dense // B, the rows of a basis
	dual  *mat.Dense // and its right inverse
	parts []int      // the part of each row
}

// apart is how much of a row counts as nothing, where the longest of its residual has length 1. Forward
// differences are right to 1e-6 or so, and the rows of a basis may be nearly parallel.
const apart = 1e-3

// FindParts returns the parts that Jacobians at several points show.
func FindParts(jacobians []*mat.Dense) *Parts {
	m, d := jacobians[0].Dims()
	scaled := make([]*mat.Dense, len(jacobians))
	for k := range m {
		most := 0.
		for _, j := range jacobians {
			most = max(most, floats.Norm(j.RawRowView(k), 2))
		}
		for n, j := range jacobians {
			if k == 0 {
				scaled[n] = mat.NewDense(m, d, nil)
			}
			if most > 0 {
				floats.ScaleTo(scaled[n].RawRowView(k), 1/most, j.RawRowView(k))
			}
		}
	}
	p := &Parts{Count: 1, of: make([]int, m)}
	var basis [][]float64
	basis, p.Known = basisOf(scaled)
	if len(basis) == 0 {
		return p
	}
	p.rows, p.dual = mat.NewDense(len(basis), d, nil), mat.NewDense(d, len(basis), nil)
	one := mat.NewDense(len(basis), len(basis), nil)
	for i, row := range basis {
		p.rows.SetRow(i, row)
		one.Set(i, i, 1)
	}
	if p.dual.Solve(p.rows, one) == nil { // they are not nearly dependent
		p.divide(scaled)
	}
	return p
}

// basisOf returns a basis of the rows of matrices, the farthest row from the span of those before it first (by the method
// of Gram and Schmidt), and whether the last matrix has added nothing to it.
func basisOf(all []*mat.Dense) (basis [][]float64, confirmed bool) {
	var directions [][]float64
	for _, j := range all {
		confirmed = true
		rest := mat.DenseCopyOf(j)
		m, d := rest.Dims()
		without := func(q []float64) {
			for k := range m {
				row := rest.RawRowView(k)
				floats.AddScaled(row, -floats.Dot(q, row), q)
			}
		}
		for _, q := range directions {
			without(q)
		}
		for len(basis) < d {
			far, most := 0, 0.
			for k := range m {
				if n := floats.Norm(rest.RawRowView(k), 2); n > most {
					far, most = k, n
				}
			}
			if !(most > apart) {
				break
			}
			q := make([]float64, d)
			floats.ScaleTo(q, 1/most, rest.RawRowView(far))
			basis, directions, confirmed = append(basis, j.RawRowView(far)), append(directions, q), false
			without(q)
		}
	}
	return basis, confirmed
}

// divide finds the parts of the basis, and of the residuals.
func (p *Parts) divide(all []*mat.Dense) {
	n, _ := p.rows.Dims()
	made := make([][]float64, len(p.of)) // how much of each row of the basis there is in a residual's rows, at most
	joined := mat.NewDense(n, n, nil)
	for k := range made {
		made[k] = make([]float64, n)
		for _, j := range all {
			c := mat.NewVecDense(n, nil)
			c.MulVec(p.dual.T(), j.RowView(k))
			for i := range n {
				made[k][i] = max(made[k][i], math.Abs(c.AtVec(i)))
			}
		}
		for i, a := range made[k] {
			for j, b := range made[k] {
				joined.Set(i, j, max(joined.At(i, j), min(a, b)))
			}
		}
	}
	p.parts = make([]int, n)
	blocks := jointdiag.Blocks(joined, apart)
	for part, rows := range blocks {
		for _, i := range rows {
			p.parts[i] = part
		}
	}
	p.Count = len(blocks)
	for k := range made {
		p.of[k] = p.parts[floats.MaxIdx(made[k])]
	}
}

// Sums returns the sum of squares of each part; nil: the residuals are not known.
func (p *Parts) Sums(r []float64) []float64 {
	if r == nil {
		return nil
	}
	sums := make([]float64, p.Count)
	for k, v := range r {
		sums[p.of[k]] += float64(v * v)
	}
	return sums
}

// Move returns x with the coordinates of one part as they are at y: x + D_p·B_p·(y − x), where D_p are the columns of the
// right inverse of B.
func (p *Parts) Move(x, y []float64, part int) []float64 {
	step := make([]float64, len(x))
	floats.SubTo(step, y, x)
	to := append([]float64(nil), x...)
	for i, of := range p.parts {
		if of == part {
			floats.AddScaled(to, floats.Dot(p.rows.RawRowView(i), step), mat.Col(nil, i, p.dual))
		}
	}
	return to
}
