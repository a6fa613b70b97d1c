package experiment

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/lists"
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
	to = cmp.Or(to, 10)
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

// Draw draws for each picture NAME-PICTURE-success.svg, with the rates of success and Wilson's
// intervals, NAME-PICTURE-queries.svg, with the medians of the queries and their intervals, and,
// where gaps are asked for, NAME-PICTURE-gap.svg, with the medians and quartiles of the final
// gaps. NAME is that of the grid. Each has a panel for each problem. Frames that were found are
// points without lines, since there are hardly any between the good and the useless. It returns
// the files.
func (s Swept) Draw(dir string) (files []string, err error) {
	for _, picture := range s.Pictures {
		for _, v := range s.views(picture) {
			panels := lists.Map(s.problems(), func(problem string) chart.Panel { return s.panel(picture, problem, v) })
			if !slices.ContainsFunc(panels, drawable) {
				continue // no run has succeeded yet, for example
			}
			path := filepath.Join(dir, fmt.Sprintf("%s-%s-%s.svg", s.Name, picture.Name, v.name))
			all := chart.Lines{
				Title: fmt.Sprintf("%s, d = %s", picture.Title, s.dims()), X: chart.Axis{Label: picture.X, Scale: chart.Logarithmic}, Y: v.y,
				Panels: panels, None: "nowhere do half of the runs succeed", Bars: true, Loose: picture.Measured, Pen: pen,
			}
			if err := all.Draw().Save(path); err != nil {
				return files, err
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// drawnMethods are the methods as figures name them. Each has its colour in all sweeps, that of
// its place here.
var drawnMethods = []string{"reparametrised", "transformed", "componentwise", "auto", "CBO on g", "online", "CBO on f"}

// noises are the methods of Scaling, in the same colours.
var noises = []string{"isotropic on g", "transformed on f", "", "", "anisotropic on g"}

// inFigures is a line's name in figures.
func inFigures(line string) string {
	if line == "cbo" {
		return "CBO on f"
	}
	return line
}

// pen is how a line is drawn: the method has the colour, and the survey is dashed, where there
// are two roads.
func pen(line string) chart.Pen {
	method, road, _ := strings.Cut(line, ", ")
	hue := max(slices.Index(drawnMethods, method), slices.Index(noises, method))
	if hue < 0 {
		panic(fmt.Sprintf("experiment: no colour for %q", line))
	}
	if road == "survey" {
		return chart.Pen{Hue: hue, Dash: 1}
	}
	return chart.Pen{Hue: hue}
}

// unit is that of the x axis. The numbers whose best is looked for are shares, in percent.
func (p Picture) unit() float64 {
	if p.Best {
		return 0.01
	}
	return 1
}

// drawable reports whether a panel has a finite value in it.
func drawable(p chart.Panel) bool {
	return slices.ContainsFunc(p.Series, func(s chart.Series) bool {
		return slices.ContainsFunc(s.Median, func(v float64) bool { return Number(v).finite() })
	})
}

// A view is what of a point is drawn: a number between two others.
type view struct {
	name string
	y    chart.Axis
	of   func(Point) (low, value, high float64)
}

// views returns the views of a picture.
func (s Swept) views(picture Picture) []view {
	all := []view{
		{"success", chart.Axis{Label: "runs that succeed, %", Hi: 100}, func(p Point) (low, value, high float64) {
			return 100 * p.Low, 100 * float64(p.Successes) / float64(p.Runs), 100 * p.High
		}},
		{"queries", chart.Axis{Label: "queries up to success, in thousands"}, func(p Point) (low, value, high float64) {
			const unit = 1000
			if math.IsNaN(p.QueriesLow) { // too few runs for an interval
				return p.Queries / unit, p.Queries / unit, p.Queries / unit
			}
			return p.QueriesLow / unit, p.Queries / unit, p.QueriesHigh / unit
		}},
	}
	if picture.Power {
		all[1].y.Scale = chart.Logarithmic
	}
	if picture.Gaps {
		all = append(all, view{"gap", chart.Axis{Label: "final gap", Scale: chart.Logarithmic, Floor: s.least()}, func(p Point) (low, value, high float64) {
			return p.GapLow, p.Gap, p.GapHigh
		}})
	}
	return all
}

// panel is a problem in a picture.
func (s Swept) panel(picture Picture, problem string, v view) chart.Panel {
	points := s.at(picture, problem)
	panel := chart.Panel{Title: problem}
	unit := picture.unit()
	for _, line := range unique(points, func(p Point) string { return p.Line }) {
		var here []Point
		for _, p := range points {
			if p.Line != line || p.Runs == 0 {
				continue
			}
			if math.IsNaN(p.X) {
				_, value, _ := v.of(p)
				panel.Levels = append(panel.Levels, chart.Level{Name: inFigures(line), Value: value})
				continue
			}
			here = append(here, p)
		}
		if picture.Measured {
			here = decades(here, s.Runs/4)
		}
		slices.SortStableFunc(here, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		series := chart.Series{Name: inFigures(line)}
		for _, p := range here {
			low, value, high := v.of(p)
			series.X = append(series.X, p.X/unit)
			series.Lower, series.Median, series.Upper = append(series.Lower, low), append(series.Median, value), append(series.Upper, high)
		}
		if len(here) > 0 {
			panel.Series = append(panel.Series, series)
		}
	}
	return panel
}
