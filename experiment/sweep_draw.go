package experiment

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/untwist/untwist/report"
)

// Draw draws for each picture NAME-PICTURE-success.svg, with the rates of success and Wilson's
// intervals, NAME-PICTURE-queries.svg, with the medians of the queries and their intervals, and,
// where gaps are asked for, NAME-PICTURE-gap.svg, with the medians and quartiles of the final
// gaps. NAME is that of the grid. Each has a panel for each problem. It returns the files.
func (s Swept) Draw(dir string) (files []string, err error) {
	for _, picture := range s.Pictures {
		for _, v := range s.views(picture) {
			var panels []report.Panel
			for _, problem := range s.problems() {
				panels = append(panels, s.panel(picture, problem, v))
			}
			if !slices.ContainsFunc(panels, drawable) {
				continue // no run has succeeded yet, for example
			}
			path := filepath.Join(dir, fmt.Sprintf("%s-%s-%s.svg", s.Name, picture.Name, v.name))
			title := fmt.Sprintf("%s, d = %d", picture.Title, s.Cases[0].Dim)
			if err := report.Sweeps(path, title, picture.X, v.y, panels); err != nil {
				return files, err
			}
			files = append(files, path)
		}
	}
	return files, nil
}

// drawable reports whether a panel has a finite value in it.
func drawable(p report.Panel) bool {
	return slices.ContainsFunc(p.Series, func(s report.Series) bool {
		return slices.ContainsFunc(s.Median, func(v float64) bool { return Number(v).finite() })
	})
}

// A view is what of a point is drawn: a number between two others.
type view struct {
	name string
	y    report.Ordinate
	of   func(Point) (low, value, high float64)
}

// views returns the views of a picture.
func (s Swept) views(picture Picture) []view {
	all := []view{
		{"success", report.Ordinate{Label: "runs that succeed, %", Percent: true}, func(p Point) (low, value, high float64) {
			return 100 * p.Low, 100 * float64(p.Successes) / float64(p.Runs), 100 * p.High
		}},
		{"queries", report.Ordinate{Label: "queries up to success"}, func(p Point) (low, value, high float64) {
			most := float64(p.Budget)
			if math.IsNaN(p.QueriesLow) { // too few runs for an interval
				return p.Queries, p.Queries, p.Queries
			}
			return min(p.QueriesLow, most), p.Queries, min(p.QueriesHigh, most)
		}},
	}
	if picture.Gaps {
		all = append(all, view{"gap", report.Ordinate{Label: "final gap", Floor: s.least()}, func(p Point) (low, value, high float64) {
			return p.GapLow, p.Gap, p.GapHigh
		}})
	}
	return all
}

// panel is a problem in a picture.
func (s Swept) panel(picture Picture, problem string, v view) report.Panel {
	points := s.at(picture, problem)
	panel := report.Panel{Title: problem}
	for _, line := range unique(points, func(p Point) string { return p.Line }) {
		var here []Point
		for _, p := range points {
			if p.Line != line || p.Runs == 0 {
				continue
			}
			if math.IsNaN(p.X) {
				_, value, _ := v.of(p)
				panel.Levels = append(panel.Levels, report.Level{Name: line, Value: value})
				continue
			}
			here = append(here, p)
		}
		if picture.Measured {
			here = decades(here, s.Runs/4)
		}
		slices.SortStableFunc(here, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		series := report.Series{Name: line}
		for _, p := range here {
			low, value, high := v.of(p)
			series.X = append(series.X, p.X)
			series.Lower, series.Median, series.Upper = append(series.Lower, low), append(series.Median, value), append(series.Upper, high)
		}
		if len(here) > 0 {
			panel.Series = append(panel.Series, series)
		}
	}
	return panel
}
