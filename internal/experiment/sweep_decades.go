package experiment

import (
	"math"
	"slices"
)

// decades puts the runs of points together by the errors of their frames, those with errors
// from 10^k to 10^(k+1) into one point at the median of these errors. Frames without an error,
// frames of which none is known, and decades with fewer runs than the least are left out.
func decades(points []Point, least int) (all []Point) {
	at := map[int]int{}   // k → where it is in all
	var found [][]float64 // the errors of each
	for _, p := range points {
		for _, r := range p.runs {
			e, known := p.errors[r.Seed]
			if !known || !(e > 0) || math.IsInf(e, 1) {
				continue
			}
			k := int(math.Floor(math.Log10(e)))
			i, there := at[k]
			if !there {
				i, at[k] = len(all), len(all)
				all = append(all, Point{Place: p.Place, Problem: p.Problem, Budget: p.Budget, Error: math.NaN()})
				found = append(found, nil)
			}
			all[i].runs, found[i] = append(all[i].runs, r), append(found[i], e)
		}
	}
	for i := range all {
		all[i].measure()
		_, all[i].X, _ = quartiles(found[i])
	}
	return slices.DeleteFunc(all, func(p Point) bool { return p.Runs < least })
}
