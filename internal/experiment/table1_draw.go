package experiment

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"

	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/objective"
)

// Draw draws pictures for each problem, NAME-convergence-PROBLEM.svg, and with
// queries on a linear scale NAME-convergence-PROBLEM-linear.svg, where NAME is that of the
// grid. It returns the paths of the files. The pictures show how the least gap fell with the
// queries: the median and the quartiles over the seeds, with a line for each method. A run
// that has reached the gap keeps its last value. Problems
// without a run are left out.
func (t Table) Draw(dir string) (files []string, err error) {
	for k, problem := range t.Grid.Problems {
		var courses []chart.Series
		for i, method := range t.Grid.Methods {
			courses = append(courses, course(method, t.Cells[i*len(t.Grid.Problems)+k].runs))
		}
		base := filepath.Join(dir, t.Grid.name()+"-convergence-"+problem)
		drawn, err := races(base, fmt.Sprintf("%s, d = %d", problem, t.Grid.Dim), courses, t.Grid.Gap, t.Grid.Budget, chart.Logarithmic, chart.Linear)
		if files = append(files, drawn...); err != nil {
			return files, err
		}
	}
	return files, nil
}

// course says how runs went. A run keeps its last value after it has ended.
func course(name string, runs []store.Run) chart.Series {
	var curves [][]objective.Sample
	var queries []int
	for _, r := range runs {
		if len(r.Curve) == 0 {
			continue
		}
		curves = append(curves, r.Curve)
		for _, s := range r.Curve {
			queries = append(queries, s.Queries)
		}
	}
	slices.Sort(queries)
	c := chart.Series{Name: name}
	for _, q := range slices.Compact(queries) {
		var gaps []float64
		for _, curve := range curves {
			gaps = append(gaps, gapAt(curve, q))
		}
		lower, median, upper := quartiles(gaps)
		c.X = append(c.X, float64(q))
		c.Lower, c.Median, c.Upper = append(c.Lower, lower), append(c.Median, median), append(c.Upper, upper)
	}
	return c
}

// gapAt returns the least gap within the given number of queries.
func gapAt(curve []objective.Sample, queries int) float64 {
	if curve = upTo(curve, queries); len(curve) == 0 {
		return math.Inf(1)
	}
	return curve[len(curve)-1].Value
}

// upTo returns the part of a curve within the given number of queries.
func upTo(curve []objective.Sample, queries int) []objective.Sample {
	n := sort.Search(len(curve), func(i int) bool { return curve[i].Queries > queries })
	return curve[:n:n]
}
