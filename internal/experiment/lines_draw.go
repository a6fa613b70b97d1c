package experiment

import (
	"cmp"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/report/chart"
)

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
