package experiment

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/report/chart"
)

// Draw draws for each picture NAME-PICTURE-success.svg, with the rates of success and Wilson's
// intervals, NAME-PICTURE-queries.svg, with the medians of the queries and their intervals, and,
// where gaps are asked for, NAME-PICTURE-gap.svg, with the medians and quartiles of the final
// gaps. NAME is that of the grid. Each has a panel for each problem. Frames that were found are
// points without lines, since there are hardly any between the good and the useless. It returns
// the files.
func (s Swept) Draw(dir string) (files []string, err error) {
	for _, picture := range s.Pictures {
		for _, v := range s.views(picture) {
			var panels []chart.Panel
			for _, problem := range s.problems() {
				panels = append(panels, s.panel(picture, problem, v))
			}
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
