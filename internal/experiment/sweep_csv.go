package experiment

import (
	"slices"
	"strconv"
)

// placeColumns say where a run or a point stands.
var placeColumns = []string{"picture", "line", "x"}

func (p Place) columns() []string { return []string{p.Picture, p.Line, Number(p.X).csv()} }

// setup returns the case of a point.
func (s Swept) setup(p Point) Setup {
	c := s.Cases[p.Case]
	return Setup{Problem: c.Problem, Dim: c.Dim, Mix: c.Mix, Options: c.Options, Budget: p.Budget, Known: true}
}

// csv has a line for each point.
func (s Swept) csv() ([]byte, error) {
	lines := [][]string{slices.Concat(placeColumns, []string{"method"}, caseColumns, []string{
		"budget", "successes", "runs", "wilson_low", "wilson_high", "median_queries", "queries_low", "queries_high",
		"ert", "ert_low", "ert_high", "gap_low", "gap", "gap_high", "frame_error",
	})}
	for _, p := range s.Points {
		line := slices.Concat(p.columns(), []string{s.Methods[p.Method].Name}, s.setup(p).columns(),
			[]string{strconv.Itoa(p.Budget), strconv.Itoa(p.Successes), strconv.Itoa(p.Runs)})
		for _, v := range []float64{p.Low, p.High, p.Queries, p.QueriesLow, p.QueriesHigh, p.ERT, p.ERTLow, p.ERTHigh, p.GapLow, p.Gap, p.GapHigh, p.Error} {
			line = append(line, Number(v).csv())
		}
		lines = append(lines, line)
	}
	return asCSV(lines)
}

// runsCSV has a line for each run of each point.
func (s Swept) runsCSV() ([]byte, error) {
	lines := [][]string{slices.Concat(placeColumns, listedColumns, runColumns)}
	for _, p := range s.Points {
		for _, r := range p.runs {
			l := listed{s.setup(p), s.Methods[p.Method].Name, r}
			lines = append(lines, slices.Concat(p.columns(), l.columns(), l.outcome()))
		}
	}
	return asCSV(lines)
}
