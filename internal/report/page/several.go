package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/report/chart"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A severalView is a table of what an answer has besides its value.
type severalView struct {
	Title, Intro string
	Rows         []Setting
	Pictures     []picture
}

// newSeveral makes the tables of outputs, limits and residuals; nil: there are none.
func newSeveral(p Page) (all []severalView) {
	outputs, limits, fit := report.SeveralRows(p.Run.Subject.Parameters, p.Run.Result, value)
	for _, t := range []struct {
		title, intro string
		rows         [][2]string
	}{
		{"Outputs", "What the other numbers of the evaluation are at the best point, which limits they have, and what each limit costs that is reached.", outputs},
		{"Limits of the parameters", "What the sums of the linear limits are at the best point. No query violates them.", limits},
		{"How well the parameters are determined", "Standard errors and 95 % intervals, by the last Jacobian of the residuals. They hold as far as the residuals are linear in the parameters within these intervals.", fit},
	} {
		view := severalView{Title: t.title, Intro: t.intro}
		for _, row := range t.rows {
			view.Rows = append(view.Rows, Setting{strings.TrimRight(row[0], ":,"), row[1]})
		}
		if view.Rows != nil {
			all = append(all, view)
		}
	}
	if fit := p.Run.Result.Fit; fit != nil && len(all) > 0 {
		all[len(all)-1].Pictures = []picture{
			{chart.Residuals(fit.Residuals).HTML(), "The residuals at the best point, in their order. If the model is right, they scatter around 0 without a pattern."},
			{chart.Spectrum("singular values", fit.Singular).HTML(), "How well the residuals determine combinations of parameters, in units of half their ranges: what is far below the others is hardly determined."},
		}
	}
	return all
}

// infeasible says so where no point keeps to all limits.
func infeasible(p Page) []string {
	if report.Infeasible(p.Run.Result) {
		return []string{"No point was found that keeps to all limits. What is called the best point here is the one that exceeds them least."}
	}
	return nil
}

// A Choice is what was asked with one word of a parameter that has choices.
type Choice struct {
	Parameter, Word int
	Queries         int       // that have a value
	Values          []float64 // theirs
}

// choose notes a value at a point.
func (w *Watch) choose(point []float64, a objective.Answer) {
	if len(point) != len(w.space) || a.Failure != nil || math.IsNaN(a.Value) || math.IsInf(a.Value, 0) {
		return
	}
	for i, p := range w.space {
		if p.Choices == nil || p.Fixed != nil {
			continue
		}
		j := slices.IndexFunc(w.choices, func(c Choice) bool { return c.Parameter == i && c.Word == int(point[i]) })
		if j < 0 {
			j = len(w.choices)
			w.choices = append(w.choices, Choice{Parameter: i, Word: int(point[i])})
		}
		w.choices[j].Queries++
		w.choices[j].Values = append(w.choices[j].Values, a.Value)
	}
}

// chosen returns what was noted.
func (w *Watch) chosen() (all []Choice) {
	for _, c := range w.choices {
		c.Values = slices.Clone(c.Values)
		all = append(all, c)
	}
	return all
}

// newChoices says of each parameter with choices which wins, and by how much. Where outputs have limits,
// values alone do not say it.
func newChoices(p Page) (all []severalView) {
	found := p.Run.Result
	if len(found.Outputs) > 0 {
		return nil
	}
	upwards := len(found.Improvements) > 0 && found.Improvements[0].Value < found.Value // f is maximised
	for i, q := range p.space() {
		var some []Choice
		for _, c := range p.Evaluations.Choices {
			if c.Parameter == i && c.Word < len(q.Choices) {
				c.Values = slices.Sorted(slices.Values(c.Values))
				if upwards {
					slices.Reverse(c.Values)
				}
				some = append(some, c)
			}
		}
		if len(some) == 0 {
			continue
		}
		slices.SortStableFunc(some, func(a, b Choice) int {
			if upwards {
				a, b = b, a
			}
			return cmp.Compare(a.Values[0], b.Values[0])
		})
		v := severalView{Title: "Choices of " + q.Name, Intro: q.Choices[some[0].Word] + " is the only one that was asked."}
		if len(some) > 1 {
			v.Intro = fmt.Sprintf("%s wins, by %s. Of each choice: the best value, and between which values the middle half of its queries are. Those that were asked more often were searched more closely.",
				q.Choices[some[0].Word], size(math.Abs(some[1].Values[0]-some[0].Values[0])))
		}
		for _, c := range some {
			n := len(c.Values)
			v.Rows = append(v.Rows, Setting{q.Choices[c.Word], fmt.Sprintf("%s; middle half %s to %s; %s",
				value(c.Values[0]), value(c.Values[n/4]), value(c.Values[3*n/4]), words.Count(c.Queries, "query", "queries"))})
		}
		all = append(all, v)
	}
	return all
}
