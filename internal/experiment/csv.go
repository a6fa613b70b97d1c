package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/store"
	"github.com/untwist/untwist/internal/words"
)

func inCSV(lines func() [][]string) func() ([]byte, error) {
	return func() ([]byte, error) {
		var out bytes.Buffer
		err := csv.NewWriter(&out).WriteAll(lines())
		return out.Bytes(), err
	}
}

// record writes values as a line of CSV: numbers with all digits, and nothing where there is none.
func record(values ...any) (line []string) {
	for _, v := range values {
		switch v := v.(type) {
		case []string:
			line = append(line, v...)
		case Quartile:
			line = append(line, record(v.Lower, v.Median, v.Upper)...)
		case float64:
			line = append(line, decimals(v))
		case Number:
			line = append(line, optional(float64(v), v.finite()))
		case *float64:
			line = append(line, pointed(v))
		case *int:
			line = append(line, pointed(v))
		default:
			line = append(line, fmt.Sprint(v))
		}
	}
	return line
}

// optional writes a value that is there, and pointed one that is not nil.
func optional(v any, there bool) string {
	if !there {
		return ""
	}
	return record(v)[0]
}

func pointed[T any](v *T) string {
	return orElse(v, "", func(v T) string { return record(v)[0] })
}

// decimals returns a number to the last bit.
func decimals(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// caseColumns are the columns that say which case a line is about.
var caseColumns = []string{"problem", "dim", "mix", "options"}

func (s Setup) columns() []string { return record(s.Problem, s.Dim, s.Mix, s.Options) }

// A listed run stands in the list of all runs of an experiment.
type listed struct {
	of     Setup
	method string // its name
	run    store.Run
}

// columns say which run a line is about.
func (l listed) columns() []string {
	return record(l.method, l.of.columns(), l.run.Seed, l.of.Budget)
}

var listedColumns = record("method", caseColumns, "seed", "budget")

// runColumns are the columns of what a run came to, and outcome what is in them.
var runColumns = []string{"status", "gap", "queries", "reached", "rounds", "recovered", "version", "seconds", "own_seconds"}

func (l listed) outcome() []string {
	r := l.run
	return record(r.Status, Number(r.Gap), r.Queries, optional(r.Reached, r.Reached != 0), optional(r.Rounds, r.Rounds != 0),
		optional(r.Recovered, r.Recovered >= 0), r.Version, r.Seconds, r.Own)
}

func runsCSV(all []listed) [][]string {
	head := slices.Concat(listedColumns, runColumns)
	return append([][]string{head}, lists.Map(all, func(l listed) []string { return slices.Concat(l.columns(), l.outcome()) })...)
}

func curvesCSV(all []listed) [][]string {
	lines := [][]string{record(listedColumns, "version", "queries", "gap")}
	for _, l := range all {
		about := record(l.columns(), l.run.Version)
		for _, sample := range l.run.Curve {
			lines = append(lines, record(about, sample.Queries, Number(sample.Value)))
		}
	}
	return lines
}

// csv has a line for each case, method and target. Without runs only their number is there.
func (c Comparison) csv() [][]string {
	lines := [][]string{record("method", caseColumns,
		"budget", "target", "runs", "successes", "wilson_low", "wilson_high", "ert", "ert_low", "ert_high",
		"queries_lower", "queries_median", "queries_upper", "gap_lower", "gap_median", "gap_upper", "rounds", "own_seconds_per_query")}
	for _, s := range c.Cells {
		for _, g := range s.Goals {
			line := record(s.Method, s.columns(), s.Budget, g.Target, s.Runs, g.Successes, g.Low, g.High,
				g.ERT, g.ERTLow, g.ERTHigh, g.Queries, s.Gap, s.Rounds, s.Own)
			if s.Runs == 0 {
				clear(line[8:])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// pairsCSV has a line for each pair of methods on each case.
func (c Comparison) pairsCSV() [][]string {
	lines := [][]string{record("first", "second", caseColumns, "verdict", "p", "p_holm", "ert_ratio", "ert_ratio_low", "ert_ratio_high", "behind")}
	for _, p := range c.Pairs {
		for i, d := range p.Duels {
			line := record(p.First, p.Second, c.Cases[i].columns(), d.Verdict, d.P, d.Holm, d.Ratio, d.RatioLow, d.RatioHigh, d.Behind)
			if d.Verdict == "" {
				clear(line[6:])
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// listed lists the runs, method after method and case after case.
func (c *Comparison) listed() (all []listed) {
	for j, m := range c.Methods {
		for i, s := range c.Cases {
			_, runs := c.cell(i, j)
			all = append(all, lists.Map(runs, func(r store.Run) listed { return listed{s, m.Name, r} })...)
		}
	}
	return all
}

// csv has a line for each cell.
func (t Table) csv() [][]string {
	lines := [][]string{{
		"method", "problem", "successes", "runs", "wilson_low", "wilson_high", "paper", "fisher_p", "holm_p",
		"successes_within_rest", "fisher_p_within_rest", "holm_p_within_rest", "failed_least", "failed_median", "failed_most", "recovered", "paper_recovered", "median_queries", "seconds",
	}}
	for _, c := range t.Cells {
		low, high, seconds, within := &c.Low, &c.High, &c.Seconds, c.Within
		if c.Runs == 0 { // nothing is known of it
			low, high, seconds, within = nil, nil, nil, nil
		}
		failed := Gaps{nothing, nothing, nothing}
		if c.Failed != nil {
			failed = *c.Failed
		}
		lines = append(lines, record(c.Method, c.Problem, c.Successes, c.Runs, low, high, c.Paper, c.P, c.Holm, within, c.WithinP, c.WithinHolm,
			failed.Least, failed.Median, failed.Most, c.Recovered, c.PapersRecovered, c.Queries, seconds))
	}
	return lines
}

// listed lists the runs, method after method and problem after problem.
func (t Table) listed() (all []listed) {
	for _, c := range t.Cells {
		of := Case{Problem: c.Problem, Dim: t.Grid.Dim, Mix: t.Grid.Mix}.setup(t.Grid.Budget, true)
		all = append(all, lists.Map(c.runs, func(r store.Run) listed { return listed{of, c.Method, r} })...)
	}
	return all
}

// placeColumns say where a run or a point stands.
var placeColumns = []string{"picture", "line", "x"}

func (p Place) columns() []string { return record(p.Picture, p.Line, Number(p.X)) }

func (s Swept) setup(p Point) Setup { return s.Cases[p.Case].setup(p.Budget, true) }

func (s Swept) csv() [][]string {
	lines := [][]string{record(placeColumns, "method", caseColumns,
		"budget", "successes", "runs", "wilson_low", "wilson_high", "median_queries", "queries_low", "queries_high",
		"ert", "ert_low", "ert_high", "gap_low", "gap", "gap_high", "frame_error")}
	for _, p := range s.Points {
		line := record(p.columns(), s.Methods[p.Method].Name, s.setup(p).columns(), p.Budget, p.Successes, p.Runs)
		for _, v := range []float64{p.Low, p.High, p.Queries, p.QueriesLow, p.QueriesHigh, p.ERT, p.ERTLow, p.ERTHigh, p.GapLow, p.Gap, p.GapHigh, p.Error} {
			line = append(line, record(Number(v))...)
		}
		lines = append(lines, line)
	}
	return lines
}

func (s Swept) runsCSV() [][]string {
	lines := [][]string{slices.Concat(placeColumns, listedColumns, runColumns)}
	for _, p := range s.Points {
		for _, r := range p.runs {
			l := listed{s.setup(p), s.Methods[p.Method].Name, r}
			lines = append(lines, slices.Concat(p.columns(), l.columns(), l.outcome()))
		}
	}
	return lines
}

// A Number may be infinite, or NaN where there is none. Both are null in JSON, which has no
// word for them. They are empty in CSV; in tables an infinite number is ∞.
type Number float64

// MarshalJSON writes the number.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.finite() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func (n Number) finite() bool { return !math.IsInf(float64(n), 0) && !math.IsNaN(float64(n)) }

// String writes three significant digits.
func (n Number) String() string { return words.Figure(float64(n)) }

// nothing is the number that is none.
var nothing = Number(math.NaN())
