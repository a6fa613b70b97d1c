package page

import (
	"math"
	"slices"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/words"
	"gonum.org/v1/gonum/mat"
)

// faint is the part of the largest change below which a parameter is not named in a trade-off.
const faint = 1e-3

// tradeOffs returns directions in which f does not change, where the frame leaves some out: the
// parameters on which f does not depend at all, and for each further direction how much the
// parameters change together. They are a basis of W̃v = 0, v in parts of the start box, found by
// elimination with the largest pivots: each has one parameter that no other has.
func (c coordinates) tradeOffs(s *untwist.Structure) (alone []string, together []string) {
	if !report.Certified(s) || s.Certificate.LeavesOut() || c.start.IsZero() || s.Frame.Components() >= s.Frame.Dim() {
		return nil, nil
	}
	m, d := s.Frame.Components(), s.Frame.Dim()
	a := mat.NewDense(m, d, nil)
	for j := range m {
		for i := range d {
			a.Set(j, i, s.Frame.Matrix().At(j, i)*(c.start.Hi[i]-c.start.Lo[i]))
		}
	}
	pivots := eliminate(a)
	free := c.space.Free()
	for i := range d {
		if pivots[i] >= 0 {
			continue
		}
		v := make([]float64, d)
		v[i] = 1
		most := 1.0
		for k, row := range pivots {
			if row >= 0 {
				v[k] = -a.At(row, i)
				most = max(most, math.Abs(v[k]))
			}
		}
		var parts []string
		for k := range v {
			if k == i || math.Abs(v[k]) >= faint*most {
				parts = append(parts, c.move(k, v[k]/most/5))
			}
		}
		if len(parts) == 1 {
			alone = append(alone, c.space[free[i]].Name)
			continue
		}
		together = append(together, list(parts))
	}
	return alone, together
}

// move says by how much a parameter changes that moves by a part of its range.
func (c coordinates) move(k int, part float64) string {
	p := c.space[c.space.Free()[k]]
	by := float64(part * (c.start.Hi[k] - c.start.Lo[k]))
	if p.Log {
		return p.Name + " × " + words.Number(math.Exp(by), fewer)
	}
	sign := " + "
	if by < 0 {
		sign = " − "
	}
	return p.Name + sign + words.Number(math.Abs(by), fewer) + report.Unit(p.Unit)
}

// eliminate brings a to reduced row echelon form, by rows and with the largest pivot of each. It
// returns for each column the row whose pivot it is, or -1.
func eliminate(a *mat.Dense) (pivots []int) {
	m, d := a.Dims()
	pivots = slices.Repeat([]int{-1}, d)
	used := make([]bool, m)
	for range m {
		row, column := -1, -1
		for j := range m {
			for i := range d {
				if !used[j] && pivots[i] < 0 && (row < 0 || math.Abs(a.At(j, i)) > math.Abs(a.At(row, column))) {
					row, column = j, i
				}
			}
		}
		if row < 0 || a.At(row, column) == 0 {
			break
		}
		used[row], pivots[column] = true, row
		pivot := a.At(row, column)
		for i := range d {
			a.Set(row, i, a.At(row, i)/pivot)
		}
		for j := range m {
			by := a.At(j, column)
			if j == row || by == 0 {
				continue
			}
			for i := range d {
				a.Set(j, i, a.At(j, i)-float64(by*a.At(row, i)))
			}
		}
	}
	return pivots
}
