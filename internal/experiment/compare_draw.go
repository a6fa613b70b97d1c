package experiment

import (
	"cmp"
	"fmt"
	"math"
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
	if !c.Convergence {
		return files, nil
	}
	more, err := c.DrawConvergence(dir)
	return append(files, more...), err
}

// DrawConvergence draws a picture for each case, NAME-convergence-CASE.svg. It shows
// how the least gap fell with the queries: the median and the quartiles over the runs, with a
// line for each method. Cases without a run, or whose minimum nobody knows, are left out. It
// returns the files that it wrote.
func (c Comparison) DrawConvergence(dir string) (files []string, err error) {
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

// races draws how the least gaps of several methods fell with the queries, of which there are
// at most so many, to a file for each scale. Methods without a run are left out.
func races(base, title string, all []chart.Series, goal float64, most int, scales ...chart.Scale) (files []string, err error) {
	all = slices.DeleteFunc(all, func(s chart.Series) bool { return len(s.X) == 0 })
	if len(all) == 0 {
		return nil, nil
	}
	for _, scale := range scales {
		path := base + map[chart.Scale]string{chart.Logarithmic: ".svg", chart.Linear: "-linear.svg"}[scale]
		if err := race(title+": median and quartiles", all, goal, max(1, float64(most)/1e5), scale).Save(path); err != nil {
			return files, err
		}
		files = append(files, path)
	}
	return files, nil
}

// race draws how the least gaps of several methods fell with the queries, on a logarithmic
// scale. A dashed line is at the goal, at which runs may stop. Values below a fifth of it are
// drawn there. Queries are counted from a number on, or on a linear scale from 0.
func race(title string, all []chart.Series, goal, from float64, queries chart.Scale) chart.Picture {
	if queries == chart.Linear {
		from = 0
	}
	return chart.Lines{
		Title: title, X: chart.Axis{Label: "queries", Scale: queries, Lo: from},
		Y:      chart.Axis{Label: "least gap so far", Scale: chart.Logarithmic, Floor: max(goal/5, 1e-300)},
		Panels: []chart.Panel{{Series: all, Levels: []chart.Level{{Value: goal}}}}, Steps: true,
	}.Draw()
}

// runtimes draws empirical runtime distributions together, as COCO does: the share of pairs of
// problem and target that a method had solved, from X queries divided by the dimension on. The
// axis has six decades at most. At a cross the budget of a method ends, and what is beyond is
// simulated. In the legend those with the largest share come first.
func runtimes(title string, all []chart.Series) chart.Lines {
	from, to := math.Inf(1), 0.
	for _, s := range all {
		for _, q := range append(slices.Clone(s.X), s.End) {
			if q > 0 && q <= 1e300 {
				from, to = min(from, q), max(to, q)
			}
		}
	}
	if to == 0 {
		to = 10
	}
	from = max(min(from, to/10), to/1e6)
	final := func(s chart.Series) float64 { return append([]float64{0}, s.Median...)[len(s.Median)] }
	all = slices.Clone(all)
	for i, s := range all {
		whole := chart.Series{Name: s.Name, X: []float64{from}, Median: []float64{0}, End: s.End}
		for k, q := range s.X {
			if q <= from {
				whole.Median[0] = s.Median[k]
			} else {
				whole.X, whole.Median = append(whole.X, q), append(whole.Median, s.Median[k])
			}
		}
		whole.X, whole.Median = append(whole.X, to), append(whole.Median, final(whole))
		all[i] = whole
	}
	slices.SortStableFunc(all, func(a, b chart.Series) int { return cmp.Compare(final(b), final(a)) })
	return chart.Lines{
		Title: title, X: chart.Axis{Label: "queries / dimension", Scale: chart.Logarithmic, Lo: from, Hi: to},
		Y: chart.Axis{Label: "share of pairs solved", Hi: 1}, Panels: []chart.Panel{{Series: all}}, Steps: true,
	}
}
