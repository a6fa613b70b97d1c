package page

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/certify"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// verdict says in a sentence what was found.
func verdict(p Page) string {
	found := p.Run.Result
	value := "no value is known yet"
	if !math.IsInf(found.Value, 1) && !math.IsNaN(found.Value) {
		value = "the " + whatFound(p) + " is " + value6(p)
	}
	after := "after " + words.Count(found.Queries, "query", "queries")
	switch {
	case p.Running:
		return fmt.Sprintf("The run goes on: %s %s.", value, after)
	case found.Queries == 0:
		return "No query was answered."
	case p.Probe:
		return fmt.Sprintf("%s%s, as %s show.", nature(p), named(p), words.Count(found.Queries, "query", "queries"))
	case found.Structure == nil:
		return fmt.Sprintf("%s %s.", strings.ToUpper(value[:1])+value[1:], after)
	}
	return fmt.Sprintf("%s%s; %s %s.", nature(p), named(p), value, after)
}

// mostNamed is how many combinations the verdict names.
const mostNamed = 4

// named names the combinations, if there are few of them out of many parameters.
func named(p Page) string {
	c := newCoordinates(p)
	s := p.Run.Result.Structure
	if len(c.all) == 0 || len(c.all) > mostNamed || s.Frame.AlongAxes() || len(s.Blocks) < len(c.all) {
		return ""
	}
	var all []string
	groups := 0
	for _, k := range c.told(mostNamed) {
		all = append(all, k.words)
		if k.group {
			groups++
		}
	}
	switch {
	case groups == 0:
		return ": " + list(all)
	case groups == len(all):
		return ", dimensionless: " + list(all)
	}
	return fmt.Sprintf(": %s (the first %s)", list(all), map[bool]string{true: "is dimensionless", false: words.Thousands(groups) + " are dimensionless"}[groups == 1])
}

// value6 writes the best value, or its mean where there is noise.
func value6(p Page) string {
	found := p.Run.Result
	if found.ValueMean != nil && found.ValueError != nil {
		return p.Run.Subject.InUnit(fmt.Sprintf("%s ± %s", value(*found.ValueMean), words.Number(*found.ValueError, 2)))
	}
	return p.Run.Subject.InUnit(value(found.Value))
}

func noisy(found untwist.Result) bool {
	return found.Noise != nil && found.Noise.Kind != objective.NoNoise
}

// whatFound says what the best value is: the lowest that was found, the lowest of noisy ones, or a
// mean of several.
func whatFound(p Page) string {
	found, s := p.Run.Result, p.Run.Subject
	switch {
	case found.ValueMean != nil && found.ValueError != nil:
		return "mean " + s.Quantity() + " at the best point"
	case noisy(found):
		return s.Extreme() + " noisy " + s.Quantity() + " found"
	}
	return s.Extreme() + " " + s.Quantity() + " found"
}

// nature says what the function is like, without a full stop.
func nature(p Page) string {
	s := p.Run.Result.Structure
	what := "The function"
	if s != nil && s.Map != nil {
		what = "The function is an increasing function of a sum of parts (" + s.Map.Name() + "), which"
	}
	switch {
	case s != nil && s.Frame == nil && s.Interactions != nil:
		return "Which parameters act together: " + s.Interactions.String()
	case s == nil:
		return "Nothing was learnt about what the function is like"
	case s.Frame == nil:
		return "No combinations of the parameters were found in which the function becomes simpler"
	case s.Certificate.Verdict == certify.NotSeparable:
		return "The function does not split into parts: its parameters act together, whichever combinations of them are taken"
	case !report.Certified(s):
		return "Combinations of parameters were tried, but none could be certified, so nothing is claimed about what the function is like"
	}
	m, d := s.Frame.Components(), s.Frame.Dim()
	only := ""
	if m < d && !s.Certificate.LeavesOut() {
		only = fmt.Sprintf(" depends on only %s of its %s, and", words.Count(m, "combination", "combinations"), words.Count(d, "parameter", "parameters"))
		if s.Frame.AlongAxes() {
			only = fmt.Sprintf(" depends on only %s of its %s, and", words.Thousands(m), words.Count(d, "parameter", "parameters"))
		}
	}
	each := "one for each combination"
	if only == "" {
		each = "each of one combination of parameters"
	}
	if s.Frame.AlongAxes() {
		each = "each of one parameter alone"
	}
	parts := words.Count(m, "function of one variable", "functions of one variable")
	switch {
	case s.Certificate.Verdict == certify.Blocks:
		return fmt.Sprintf("%s%s is a sum of %s that have nothing to do with each other", what, only, words.Count(len(s.Blocks), "part", "parts"))
	case s.Certificate.Verdict == certify.NearlySeparable:
		return fmt.Sprintf("%s%s is nearly a sum of %s, %s: what they do together is %s of what they do alone", what, only, parts, each, percent(s.Certificate.Coupling))
	case m == 1:
		return fmt.Sprintf("%s%s is a function of one variable", what, only)
	}
	return fmt.Sprintf("%s%s is a sum of %s, %s", what, only, parts, each)
}

// facts are the most important numbers.
func facts(p Page) []Setting {
	found := p.Run.Result
	all := []Setting{}
	add := func(name, value string) { all = append(all, Setting{name, value}) }
	if !p.Probe && !math.IsInf(found.Value, 1) && len(found.Point) > 0 {
		what := "best " + p.Run.Subject.Quantity()
		if noisy(found) {
			what = whatFound(p)
		}
		add(strings.ToUpper(what[:1])+what[1:], value6(p))
	}
	if known := p.Run.Known; known != nil && !p.Probe && !math.IsNaN(known.Minimum) && len(found.Point) > 0 {
		clean := found.Value
		if found.ValueClean != nil {
			clean = *found.ValueClean
		}
		add("Above the known minimum", value(clean-known.Minimum))
	}
	of := ""
	if found.Budget > 0 {
		of = " of " + words.Thousands(found.Budget)
	}
	add("Queries", words.Thousands(found.Queries)+of)
	add("Failed", words.Thousands(found.Failed))
	if n := found.Noise; n != nil && n.Kind != objective.NoNoise {
		add("Noise, standard deviation", size(n.Sigma))
	}
	if !p.Running {
		add("Ended", cmp.Or(endings[found.Status], "an error ended it"))
	}
	return all
}

// endings say why a run ended.
var endings = map[objective.Status]string{
	objective.Running:          "not known",
	objective.Converged:        "it converged",
	objective.BudgetSpent:      "the budget was spent",
	objective.TargetReached:    "the target was reached",
	objective.ToleranceReached: "it gained less than the tolerance",
	objective.Stalled:          "the best value stopped improving",
	objective.StepLimit:        "it took as many steps as allowed",
	objective.Unbounded:        "the function kept falling as far as it was followed",
	objective.Cancelled:        "it was interrupted",
	objective.TimeSpent:        "the time was spent",
}
