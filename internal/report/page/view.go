package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A view is a page in words and pictures, as the template wants it. Sections that are nil are
// left out.
type view struct {
	Style   template.CSS
	Title   string
	Kind    string // what kind of page it is
	Running bool
	Verdict string
	Now     []string  // what a run that goes on does, what comes next, and how long it takes
	Facts   []Setting // the most important numbers
	Missing []string

	Best        *bestView
	Several     []severalView
	Convergence *convergenceView
	Learnt      *learntView
	Profiles    *profilesView
	Sensitivity *sensitivityView
	Failures    *failuresView
	Costs       *costsView
	Settings    []Setting
	Notes       []string
	Command     string
	Version     string
}

// A picture is a drawing with a sentence that says how to read it.
type picture struct {
	Drawing template.HTML
	Caption string
}

func newView(p Page) view {
	v := newChanging(p)
	v.Style, v.Settings, v.Notes, v.Command, v.Version = Style(), settings(p), p.Run.Result.Notes, p.Command, p.Version
	c := newCoordinates(p)
	v.Learnt, v.Profiles, v.Sensitivity = newLearnt(p, c), newProfiles(p, c), newSensitivity(p, c)
	return v
}

// newChanging makes what changes with every query.
func newChanging(p Page) view {
	v := view{
		Title: title(p), Kind: "Report of a minimisation", Running: p.Running, Verdict: verdict(p), Now: now(p), Facts: facts(p), Missing: slices.Concat(p.Missing, infeasible(p)),
		Best: newBest(p), Several: append(newSeveral(p), newChoices(p)...), Convergence: newConvergence(p), Failures: newFailures(p), Costs: newCosts(p),
	}
	if p.Probe {
		v.Kind = "Report of a probe"
	} else if p.Run.Subject.Maximize {
		v.Kind = "Report of a maximisation"
	}
	return v
}

func title(p Page) string {
	s := p.Run.Subject
	if s.Name == "" {
		return words.Count(s.Dim, "parameter", "parameters")
	}
	return s.Name
}

// digits are how many digits values have, and fewer those of which only the size matters.
const digits, fewer = 6, 3

// value writes a value of f or of a parameter.
func value(v float64) string {
	switch {
	case math.IsNaN(v):
		return "not a number"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	return words.Number(v, digits)
}

// size writes a number of which only the size matters.
func size(v float64) string { return words.Number(v, fewer) }

func percent(part float64) string {
	if math.IsNaN(part) {
		return "–"
	}
	return words.Percent(part) + " %"
}

func seconds(v float64) string {
	switch {
	case v < 1e-3:
		return words.Number(1e6*v, 3) + " µs"
	case v < 1:
		return words.Number(1e3*v, 3) + " ms"
	case v < 600:
		return words.Number(v, 3) + " s"
	case v < 100*3600:
		return words.Number(v/60, 3) + " min"
	}
	return words.Number(v/3600, 3) + " h"
}

// withUnit writes a value of a parameter with its unit.
func withUnit(v float64, p parameter.Parameter) string { return valueOf(v, p) + report.Unit(p.Unit) }

// valueOf writes a value of a parameter: a choice as its word.
func valueOf(v float64, p parameter.Parameter) string {
	if p.Choices != nil || p.Integer {
		return string(parameter.AppendValue(nil, p, v))
	}
	return value(v)
}

// A bestView is the best point as a table.
type bestView struct {
	Intro string
	Units bool        // some parameter has a unit
	Limit bool        // some parameter has a limit
	Parts [][]bestRow // beside each other
	More  string      // how many parameters are not in the table
	AtEnd string      // what it means to be at a limit, if one is
}

type bestRow struct {
	Name, Value, Unit, Limits, At string
	Limit                         bool // it is at a limit
}

// mostRows is how many parameters are shown, and rowsTogether how many in one table.
const mostRows, rowsTogether = 200, 25

// newBest makes the table of the best point; nil if there is no point.
func newBest(p Page) *bestView {
	found, space := p.Run.Result, p.space()
	if len(found.Point) == 0 || len(found.Point) != len(space) {
		return nil
	}
	what := whatFound(p)
	b := &bestView{Intro: fmt.Sprintf("%s: %s, at query %s.", strings.ToUpper(what[:1])+what[1:], value6(p), words.Thousands(found.BestQuery))}
	switch {
	case p.Probe:
		b.Intro = "A probe does not search for the minimum. This is the best point that it came across, with the value " + value6(p) + "."
	case found.ValueMean != nil && found.ValueError != nil:
		b.Intro = fmt.Sprintf("This point was chosen by repeated queries, because the values have noise. The mean of the queries made there afterwards is %s (95 %%).", value6(p))
	case noisy(found):
		b.Intro += " It is " + report.Chance(p.Run.Subject) + ": the values have noise, and this is the " + p.Run.Subject.Extreme() + " of many."
	}
	if s := found.Structure; report.Certified(s) && s.Frame.Components() < s.Frame.Dim() && !s.Certificate.LeavesOut() && !s.Frame.AlongAxes() {
		b.Intro += fmt.Sprintf(" It is one of many points that are equally good: only %s of the parameters %s determined (see below), and not each value by itself.",
			words.Count(s.Frame.Components(), "combination", "combinations"), map[bool]string{true: "is", false: "are"}[s.Frame.Components() == 1])
	}
	limits := 0
	var rows []bestRow
	for i, q := range space {
		b.Units, b.Limit = b.Units || q.Unit != "", b.Limit || q.Min != nil || q.Max != nil || q.Fixed != nil || q.Choices != nil
		row := bestRow{Name: q.Name, Value: valueOf(found.Point[i], q), Unit: q.Unit, Limits: limitsOf(q), At: "no"}
		switch at := space.At(i, found.Point[i]); {
		case q.Fixed != nil:
			row.At = "fixed"
		case q.Min == nil && q.Max == nil:
			row.At = "–"
		case at != "":
			row.At, row.Limit = map[string]string{"min": "yes, lower", "max": "yes, upper"}[at], true
			limits++
		}
		rows = append(rows, row)
	}
	if n := len(rows) - mostRows; n > 0 {
		rows, b.More = rows[:mostRows], "and "+words.Count(n, "more parameter", "more parameters")+", which the JSON object has."
	}
	b.Parts = slices.Collect(slices.Chunk(rows, rowsTogether))
	if !b.Limit {
		b.AtEnd = "No parameter has a limit."
	}
	if limits > 0 {
		b.AtEnd = words.Count(limits, "parameter is", "parameters are") + " at a limit: a lower value may lie beyond it, if the limit can be moved."
	}
	return b
}

func limitsOf(q parameter.Parameter) string {
	scale := ""
	if q.Integer {
		scale = ", integers"
	}
	if q.Step != nil {
		scale = ", in steps of " + value(*q.Step)
	}
	if q.Log {
		scale += ", log scale"
	}
	switch {
	case q.Fixed != nil:
		return "–"
	case q.Choices != nil:
		return list(q.Choices)
	case q.Min != nil && q.Max != nil:
		return value(*q.Min) + " to " + value(*q.Max) + scale
	case q.Min != nil:
		return "at least " + value(*q.Min) + scale
	case q.Max != nil:
		return "at most " + value(*q.Max) + scale
	}
	return "none" + scale
}

// A convergenceView is how the best value fell.
type convergenceView struct {
	Linear, Logarithmic picture
	Violation           *picture
	Stages              []Setting
}

// newConvergence draws the convergence; nil if there is none.
func newConvergence(p Page) *convergenceView {
	found := p.Run.Result
	curve := slices.DeleteFunc(slices.Clone(found.Curve), func(s objective.Sample) bool { return math.IsInf(s.Value, 1) || math.IsNaN(s.Value) })
	if len(curve) == 0 && len(found.Violations) == 0 {
		return nil
	}
	s := p.Run.Subject
	label := "best " + s.Quantity()
	if known := p.Run.Known; known != nil && !math.IsNaN(known.Minimum) && found.ValueClean == nil {
		label += " above the minimum"
		for i := range curve {
			curve[i].Value = max(0, curve[i].Value-known.Minimum)
		}
	}
	label = strings.TrimSpace(label + " " + unitOf(s.Unit))
	caption := fmt.Sprintf("The line is the %s %s found so far, against the number of queries: where it is level, queries brought nothing better.", s.Extreme(), s.Quantity())
	if noisy(found) {
		caption += " It is that of single noisy values, and so " + report.Chance(s) + "."
	}
	c := &convergenceView{
		Linear: picture{chart.Convergence(curve, found.Stages, chart.Linear, label).HTML(), caption},
		Logarithmic: picture{chart.Convergence(curve, found.Stages, chart.Logarithmic, label).HTML(),
			"The same with the number of queries on a logarithmic scale: equal distances are equal factors, so that the beginning can be seen."},
	}
	if len(found.Violations) > 0 {
		c.Violation = &picture{chart.Convergence(found.Violations, found.Stages, chart.Logarithmic, "least violation").HTML(),
			"By how much the best point so far exceeded one of its limits at most, in units of what a limit may be exceeded by: up to 1 a point is feasible. The best value above is that of feasible points."}
	}
	for _, purpose := range objective.Purposes() {
		if n := found.Spent(purpose); n > 0 {
			c.Stages = append(c.Stages, Setting{cmp.Or(purposes[purpose], string(purpose)), words.Count(n, "query", "queries")})
		}
	}
	return c
}

// purposes say what queries were for, to people who have not heard of coordinates.
var purposes = map[objective.Purpose]string{
	objective.AtKnown:      "At points that were known",
	objective.ToFind:       "To find out what the function is like",
	objective.ToCheck:      "To check that",
	objective.StraightDown: "Straight downhill",
	objective.AlongThem:    "To search along one combination after another",
	objective.ToSearch:     "To search everywhere at once (CMA-ES, CBO or a model)",
	objective.ToCompare:    "To compare the best points",
}

// list joins words: "a", "a and b", "a, b and c".
func list(all []string) string {
	if n := len(all); n > 1 {
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}
