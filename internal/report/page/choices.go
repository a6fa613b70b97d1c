package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

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
