package model

import "math"

// squares returns the (R/s)² that a solution leaves.
func (out solution) squares() (all []float64) {
	for k, weights := range out.weight {
		for p, w := range weights {
			if w > 0 {
				all = append(all, float64(square(out.residual[k][p])*w))
			}
		}
	}
	return all
}

// meanSquare returns the mean of (R/s)² that a solution leaves.
func meanSquare(out solution) float64 {
	sum, all := 0.0, out.squares()
	for _, v := range all {
		sum += v
	}
	return sum / float64(max(len(all), 1))
}

// pair returns the largest κ that a single pair shows: what its residuals are as a part of its curvature,
// where they are not chance. costs are what E costs by what was known of pairs.
func (out solution) pair(costs []float64, freedom float64) float64 {
	most := 0.0
	for p := range out.own {
		chi, info := costs[p], 0.0
		for k := range out.residual {
			w := out.weight[k][p]
			chi += float64(square(out.residual[k][p]) * w)
			info = max(info, w*out.scale[k][p])
		}
		if chi *= freedom; chi > notChance && info > 0 {
			most = max(most, math.Sqrt(chi/info))
		}
	}
	return most
}

// notChance is χ² of a pair that chance does not make of many.
const notChance = 50

// excess returns κ of a look: what its residuals have beyond their variance, if that is
// significant. Pairs of little curvature say little.
func excess(out solution, eq []equation, k int, freedom float64) float64 {
	least := 0.05 * median(out.scale[k])
	var square2, variance, chi, n float64
	eachPair(dimOf(eq[k]), func(i, j, p int) {
		if scale := out.scale[k][p]; scale > least && out.weight[k][p] > 0 {
			r2, v := square(out.residual[k][p])*freedom, eq[k].s2.At(i, j)
			square2, variance, chi, n = square2+r2/scale, variance+v/scale, chi+r2/v, n+1
		}
	})
	rows := float64(dimOf(eq[k])) // values at the ends of single steps are shared by the pairs of a row
	if n == 0 || chi/n <= 1+float64(5*math.Sqrt(2/min(n, rows))) || square2 <= variance {
		return 0
	}
	return math.Sqrt((square2 - variance) / n)
}

// dimOf returns how many components an equation is about.
func dimOf(q equation) int {
	m, _ := q.r.Dims()
	return m
}
