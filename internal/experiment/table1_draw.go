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
	for _, problem := range t.Grid.Problems {
		var courses []chart.Series
		for _, method := range t.Grid.Methods {
			if c := t.course(method, problem); len(c.X) > 0 {
				courses = append(courses, c)
			}
		}
		if len(courses) == 0 {
			continue
		}
		title := fmt.Sprintf("%s, d = %d: median and quartiles", problem, t.Grid.Dim)
		from := max(1, float64(t.Grid.Budget)/1e5)
		base := filepath.Join(dir, t.Grid.name()+"-convergence-"+problem)
		for _, scale := range []chart.Scale{chart.Logarithmic, chart.Linear} {
			path := base + map[chart.Scale]string{chart.Logarithmic: ".svg", chart.Linear: "-linear.svg"}[scale]
			if err := race(title, courses, t.Grid.Gap, from, scale).Save(path); err != nil {
				return files, err
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// course says how the runs of a cell went.
func (t Table) course(method, problem string) chart.Series {
	var runs []store.Run
	for _, r := range t.runs {
		if r.Method == method && r.Problem == problem {
			runs = append(runs, r)
		}
	}
	return course(method, runs)
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
	i := sort.Search(len(curve), func(i int) bool { return curve[i].Queries > queries })
	if i == 0 {
		return math.Inf(1)
	}
	return curve[i-1].Value
}
