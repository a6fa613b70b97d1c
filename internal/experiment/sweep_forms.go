package experiment

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/words"
)

// Write writes the sweep to a folder: the tables as NAME.md, every point as NAME.csv and every
// run as NAME-runs.csv, where NAME is that of the grid. Times are in the last columns.
// Everything else is the same, however often the sweep was stopped. Write returns the files
// that it wrote.
func (s Swept) Write(dir string) (files []string, err error) {
	return writeFiles(filepath.Join(dir, s.Name), file{".md", s.document().markdown}, file{".csv", inCSV(s.csv)}, file{"-runs.csv", inCSV(s.runsCSV)})
}

// Text returns the tables for a terminal, and what the figures mean.
func (s Swept) Text() string { return s.document().text() }

// document returns all tables and what they mean.
func (s Swept) document() document { return document{s.legend(), s.sheets()} }

func (s Swept) legend() string {
	text := fmt.Sprintf(`%s d = %s, mix paper, %s; %s of %s runs. Success: the runs that came within %g of the minimum, of
		all, with Wilson's 95%% interval of the rate in percent. Queries: those up to the first success, including those that
		find the frame; the median over all runs, of which those that fail count as ∞ (of the middle two the lower), with the
		95%% interval that two of the sorted values give, if there are enough runs for one.`,
		s.Question, s.dims(), seeds(s.Seed, s.Runs), words.Thousands(s.Done), words.Thousands(s.Total), s.least())
	if slices.ContainsFunc(s.Points, func(p Point) bool { return !math.IsNaN(p.Error) }) {
		text += ` Error: the root mean square of the entries of WW̃† − I beside the diagonal, the median over the seeds; ∞ if a frame
			has another number of rows.`
	}
	if slices.ContainsFunc(s.Pictures, func(p Picture) bool { return p.Gaps }) {
		text += ` Gap: how far the best value of a run is above the least that is known, the median and the quartiles; a run stops at success.`
	}
	if slices.ContainsFunc(s.Pictures, func(p Picture) bool { return p.Best }) {
		text += ` Best: the share with the least ERT, which is the queries of all runs, up to success or to their end, divided by the
			number of successes, with its 95% bootstrap interval. As good: all shares whose intervals overlap that of the best.`
	}
	if slices.ContainsFunc(s.Pictures, func(p Picture) bool { return p.Power }) {
		text += ` p: the slope of log queries over log d, by least squares over the runs of all dimensions in which all succeed, with its
			95% bootstrap interval.`
	}
	return wrapped(text, legendWidth)
}

func (s Swept) sheets() (all []sheet) {
	for _, picture := range s.Pictures {
		for _, problem := range s.problems() {
			title := fmt.Sprintf("%s, %s: ", problem, picture.Title)
			all = append(all, s.table(picture, problem, title+"success", Point.success), s.table(picture, problem, title+"queries", Point.queries))
			if picture.Gaps {
				all = append(all, s.table(picture, problem, title+"gap", Point.gap))
			}
		}
		if picture.Best {
			all = append(all, s.best(picture))
		}
		if picture.Power {
			all = append(all, s.powers(picture))
		}
	}
	return all
}

func (s Swept) problems() []string {
	return unique(s.Cases, func(c Case) string { return c.Problem })
}

func (s Swept) at(picture Picture, problem string) (all []Point) {
	for _, p := range s.Points {
		if p.Picture == picture.Name && p.Problem == problem {
			all = append(all, p)
		}
	}
	return all
}

// column is the part of a line's name that stands above its column, the method: what comes
// after a comma is in the rows.
func (p Place) column() string { name, _, _ := strings.Cut(p.Line, ", "); return name }

// table has a line for each row of a picture, and a column for each method.
func (s Swept) table(picture Picture, problem, title string, words func(Point) string) sheet {
	points := s.at(picture, problem)
	rows := unique(points, func(p Point) string { return p.Row })
	columns := unique(points, Point.column)
	if i := slices.Index(rows, ""); i >= 0 { // what has no x comes last
		rows = append(slices.Delete(rows, i, i+1), "")
	}
	t := sheet{title: title, right: 1, lines: [][]string{{picture.Rows}}}
	if picture.Measured {
		t.lines[0] = append(t.lines[0], "error")
	}
	t.lines[0] = append(t.lines[0], columns...)
	for _, row := range rows {
		line := []string{row}
		if row == "" {
			line[0] = "–"
		}
		if picture.Measured {
			line = append(line, rowError(points, row))
		}
		for _, column := range columns {
			text := ""
			for _, p := range points {
				if p.Row == row && p.column() == column && p.Runs > 0 {
					text = words(p)
				}
			}
			line = append(line, text)
		}
		t.lines = append(t.lines, line)
	}
	return t
}

// rowError writes the error of the frames of a row.
func rowError(points []Point, row string) string {
	for _, p := range points {
		if p.Row == row && !math.IsNaN(p.Error) {
			return words.Figure(p.Error)
		}
	}
	return ""
}

// success, queries and gap write a figure with its interval.
func (p Point) success() string {
	return fmt.Sprintf("%d/%d (%.0f–%.0f)", p.Successes, p.Runs, 100*p.Low, 100*p.High)
}

func (p Point) queries() string {
	all := func(v float64) string {
		if math.IsInf(v, 1) {
			return "∞"
		}
		return words.Thousands(int(v))
	}
	if !Number(p.QueriesLow).finite() {
		return all(p.Queries)
	}
	return fmt.Sprintf("%s (%s–%s)", all(p.Queries), all(p.QueriesLow), all(p.QueriesHigh))
}

func (p Point) gap() string {
	return fmt.Sprintf("%s (%s–%s)", words.Figure(p.Gap), words.Figure(p.GapLow), words.Figure(p.GapHigh))
}

// best has a line for each problem and line: which x has the least ERT, and which are as good.
func (s Swept) best(picture Picture) sheet {
	t := sheet{title: picture.Title + ": the best share", right: 2, lines: [][]string{{"problem", "method", "best", "as good", "ERT", "95%", "success"}}}
	for _, problem := range s.problems() {
		points := s.at(picture, problem)
		for _, line := range unique(points, func(p Point) string { return p.Line }) {
			text := []string{problem, line, "–", "", "", "", ""}
			if p, low, high, found := bestOf(points, line); found {
				text[2], text[4], text[6] = p.Row, words.Thousands(int(math.Round(p.ERT))), p.success()
				text[3] = fmt.Sprintf("%s to %s", percentage(low), percentage(high))
				text[5] = fmt.Sprintf("%s–%s", words.Figure(p.ERTLow), words.Figure(p.ERTHigh))
			}
			t.lines = append(t.lines, text)
		}
	}
	return t
}

// bestOf returns the point of a line with the least ERT, and the least and the largest x whose
// interval overlaps with its own.
func bestOf(points []Point, line string) (best Point, low, high float64, found bool) {
	of := func(p Point) bool { return p.Line == line && p.Successes > 0 }
	for _, p := range points {
		if of(p) && (!found || p.ERT < best.ERT) {
			best, found = p, true
		}
	}
	low, high = best.X, best.X
	for _, p := range points {
		if of(p) && p.ERTLow <= best.ERTHigh {
			low, high = min(low, p.X), max(high, p.X)
		}
	}
	return best, low, high, found
}
