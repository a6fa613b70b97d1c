package experiment

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
)

// Draw draws the empirical runtime distributions of each dimension, NAME-ecdf-dDIM.svg, and of
// all dimensions together if there are several, NAME-ecdf.svg. It returns the files that it
// wrote.
func (c Comparison) Draw(dir string) (files []string, err error) {
	for _, r := range c.Runtimes {
		name, title := c.Name+"-ecdf", "all dimensions"
		if r.Dim > 0 {
			name, title = fmt.Sprintf("%s-d%d", name, r.Dim), fmt.Sprintf("d = %d", r.Dim)
		}
		title += ": " + words.Count(r.Pairs, "pair of case and target", "pairs of case and target")
		var all []chart.Series
		for _, m := range r.Methods {
			all = append(all, chart.Series{Name: m.Method, X: m.Queries, Median: m.Share, End: m.cross()})
		}
		path := filepath.Join(dir, name+".svg")
		if err := runtimes(title, all).Draw().Save(path); err != nil {
			return files, err
		}
		files = append(files, path)
	}
	return files, nil
}

// DrawConvergence draws a picture for each case, NAME-convergence-CASE.svg. It shows
// how the least gap fell with the queries: the median and the quartiles over the runs, with a
// line for each method. Cases without a run, or whose minimum nobody knows, are left out. It
// returns the files that it wrote.
func (c Comparison) DrawConvergence(dir string) (files []string, err error) {
	if c.runs == nil {
		return nil, errNoRuns
	}
	least := c.Targets[len(c.Targets)-1]
	taken := map[string]int{}
	for i, setup := range c.Cases {
		var courses []chart.Series
		for j, m := range c.Methods {
			_, runs := c.cell(i, j)
			courses = append(courses, course(m.Name, runs))
		}
		if !setup.Known || !slices.ContainsFunc(courses, func(s chart.Series) bool { return len(s.X) > 0 }) {
			continue
		}
		name := fileName(setup.Key())
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, taken[name])
		}
		base := filepath.Join(dir, c.Name+"-convergence-"+name)
		drawn, err := races(base, setup.Problem+", "+block{setup: setup}.title(), courses, least, setup.Budget, chart.Logarithmic)
		if files = append(files, drawn...); err != nil {
			return files, err
		}
	}
	return files, nil
}

// fileName returns a key with a dash for everything that has a meaning in paths or shells.
func fileName(key string) string { return meaningful.ReplaceAllString(key, "-") }

var meaningful = regexp.MustCompile(`[^a-zA-Z0-9._+-]`)
