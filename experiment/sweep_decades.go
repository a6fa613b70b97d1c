package experiment

import (
	"math"
	"slices"
)

// decades puts the runs of points together by the errors of their frames, those with errors
// from 10^k to 10^(k+1) into one point in the middle of that decade on a logarithmic scale.
// Frames without an error, frames of which none is known, and decades with fewer runs than the
// least are left out.
func decades(points []Point, least int) (all []Point) {
	at := map[int]int{} // k → where it is in all
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
				all[i].X = math.Pow(10, float64(k)+0.5)
			}
			all[i].runs = append(all[i].runs, r)
		}
	}
	for i := range all {
		all[i].measure()
	}
	return slices.DeleteFunc(all, func(p Point) bool { return p.Runs < least })
}
