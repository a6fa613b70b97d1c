package experiment

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strconv"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// Write writes the table to a folder, as NAME.csv, NAME.json, NAME.md and NAME.tex, every run as
// NAME-runs.csv, and how each went as NAME-curves.csv, where NAME is that of the grid. It returns
// the paths of the files. Times are in the last columns. Everything else is the same, no matter
// when or how often the grid was stopped.
func (t Table) Write(dir string) (files []string, err error) {
	d := t.document(func(m Method) string { return m.Title })
	tex := t.document(func(m Method) string { return asTeX + m.TeX })
	return writeFiles(filepath.Join(dir, t.Grid.name()), append([]file{
		{".csv", inCSV(t.csv)}, {".json", inJSON(t)}, {".md", d.markdown}, {".tex", tex.latex},
	}, runFiles(t.listed)...)...)
}

// Text returns the table for a terminal, with a line for each cell.
func (t Table) Text() string { return document{t.legend(), []sheet{t.details()}}.text() }

// document is the table in the paper's layout, below it a line for each cell, and last the gaps
// of runs that failed.
func (t Table) document(title func(Method) string) document {
	return document{t.legend(), []sheet{t.overview(title), t.details(), t.failures()}}
}

// legend says what the figures mean.
func (t Table) legend() string {
	g := t.Grid
	text := fmt.Sprintf(`Success is a gap of at most %g within %s queries; d = %d, mix %s, %s; %s of %s runs.
95%%: Wilson's interval for the rate of success, in percent. Recovered: percent of the rows of W found to within %g.
Queries: those up to the first success, including those that find the coordinates; the median over the successful
runs (of the middle two the lower). Seconds: the mean time of a run, including the time to find the coordinates.`,
		g.Gap, words.Thousands(g.Budget), g.Dim, g.Mix, seeds(g.Seed, g.Runs), words.Thousands(t.Done), words.Thousands(t.Total), recovery)
	if slices.ContainsFunc(t.Cells, func(c Cell) bool { return c.Paper != nil }) {
		text += "\nPaper: the paper's figures, in percent of 100 runs at d = 100 with 5,000,000 queries. p: Fisher's exact test"
		text += "\nagainst them, where the settings are the same. Holm: p with Holm's correction over the paper's 24 cells."
		if t.Rest > 0 {
			text += fmt.Sprintf("\nWithin %s: successes if every CBO has only the queries that the search for W leaves, B − B_H.", words.Thousands(t.Rest))
		}
	}
	return text
}

// overview has a line for each method. For each problem the line has the rate of success,
// with the percentage of recovered rows in brackets, the successes within the rest of the
// budget, and the paper's rate.
func (t Table) overview(title func(Method) string) sheet {
	lines := [][]string{{"method"}}
	for _, p := range t.Grid.Problems {
		if lines[0] = append(lines[0], p); t.Rest > 0 {
			lines[0] = append(lines[0], t.restName())
		}
		lines[0] = append(lines[0], "paper")
	}
	for i := range t.Grid.Methods {
		line := []string{title(t.Grid.method(i))}
		for k := range t.Grid.Problems {
			c := t.Cells[i*len(t.Grid.Problems)+k]
			success := fmt.Sprintf("%d/%d%s", c.Successes, c.Runs, brackets(c.Recovered))
			if c.Runs == 0 {
				success = ""
			}
			if line = append(line, success); t.Rest > 0 {
				line = append(line, c.withinRest())
			}
			line = append(line, whole(c.Paper)+brackets(c.PapersRecovered))
		}
		lines = append(lines, line)
	}
	s := sheet{lines: lines, names: 1}
	for k := 1; k < len(t.Grid.Problems); k++ {
		s.folds = append(s.folds, 1+k*(len(lines[0])-1)/len(t.Grid.Problems))
	}
	return s
}

// restName is the head of the column of successes within the rest of the budget.
func (t Table) restName() string { return "within " + words.Thousands(t.Rest) }

// withinRest returns the successes within the rest of the budget, or a dash.
func (c Cell) withinRest() string {
	if c.Runs == 0 {
		return ""
	}
	return orDash(c.Within, func(n int) string { return fmt.Sprintf("%d/%d", n, c.Runs) })
}

// brackets returns a number in brackets, or nothing if there is none.
func brackets[T int | float64](v *T) string {
	return orElse(v, "", func(v T) string { return " (" + percent(float64(v)) + ")" })
}

// percent returns a number with up to two decimals.
func percent(v float64) string { return strconv.FormatFloat(math.Round(100*v)/100, 'f', -1, 64) }

// orElse writes a number, or something else if there is none, and orDash a dash then.
func orElse[T any](v *T, none string, write func(T) string) string {
	if v == nil {
		return none
	}
	return write(*v)
}

func orDash[T any](v *T, write func(T) string) string { return orElse(v, "–", write) }

// whole returns a whole number, or a dash, and short2 two digits.
func whole(v *int) string { return orDash(v, words.Thousands) }
func short2(v *float64) string {
	return orDash(v, func(v float64) string { return fmt.Sprintf("%.2g", v) })
}

// details has a line for each cell.
func (t Table) details() sheet {
	lines := [][]string{{"method", "problem", "success", "95%", "paper", "p", "Holm", "recovered", "queries", "seconds"}}
	const tests = 7 // columns up to the tests, of which those of the rest stand beside
	if t.Rest > 0 {
		lines[0] = slices.Insert(lines[0], tests, t.restName(), "p", "Holm")
	}
	for _, c := range t.Cells {
		line := []string{
			c.Method, c.Problem, fmt.Sprintf("%d/%d", c.Successes, c.Runs), fmt.Sprintf("%.0f–%.0f", 100*c.Low, 100*c.High),
			whole(c.Paper) + brackets(c.PapersRecovered), short2(c.P), short2(c.Holm), orDash(c.Recovered, percent), whole(c.Queries), fmt.Sprintf("%.2f", c.Seconds),
		}
		if t.Rest > 0 {
			line = slices.Insert(line, tests, c.withinRest(), short2(c.WithinP), short2(c.WithinHolm))
		}
		if c.Runs == 0 { // nothing is known of it
			clear(line[2:4])
			clear(line[5:])
		}
		lines = append(lines, line)
	}
	s := sheet{lines: lines, names: 2, folds: []int{tests}}
	if t.Rest > 0 {
		s.folds = append(s.folds, tests+3)
	}
	return s
}

func (t Table) failures() sheet {
	lines := [][]string{{"method", "problem", "failed", "least gap", "median", "largest"}}
	for _, c := range t.Cells {
		if c.Failed != nil {
			lines = append(lines, []string{
				c.Method, c.Problem, fmt.Sprintf("%d/%d", c.Runs-c.Successes, c.Runs), c.Failed.Least.String(), c.Failed.Median.String(), c.Failed.Most.String(),
			})
		}
	}
	return sheet{lines: lines}
}

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
		lower, median, upper := quartiles(lists.Map(curves, func(curve []objective.Sample) float64 { return gapAt(curve, q) }))
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
