package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/sensitivity"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A Run is a minimisation: of what, what it came to, and how long it took. Known is what
// was known about f beforehand, nil if nothing was.
type Run struct {
	Subject Subject
	Known   *Known
	Result  untwist.Result
	Took    time.Duration
	// Sensitivity says how much each parameter matters; nil: it was not computed.
	Sensitivity *sensitivity.Indices
}

func (r Run) hasGap() bool { return r.Known != nil && !math.IsNaN(r.Known.Minimum) }

// clean returns the best value, or what it would be without the blemishes of f.
func (r Run) clean() float64 {
	if r.Result.ValueClean != nil {
		return *r.Result.ValueClean
	}
	return r.Result.Value
}

// gap returns how far the clean value at the best point is above the known minimum.
func (r Run) gap() float64 { return r.clean() - r.Known.Minimum }

// String returns the run for people, in lines. Where the minimum of f is not known there
// is no line for the gap.
func (r Run) String() string {
	found := r.Result
	out := lines{wide: 11}
	out.add("problem", "%s", r.Subject.describe(found.Seed))
	out.add("strategy", "%s", found.Strategy)
	out.add("status", "%s", found.Status)
	if limited(found) && !found.Feasible {
		out.add("value", "%v, at the point that exceeds the limits least; none was found that keeps to them", found.Value)
	} else {
		out.add("best value", "%s", r.best())
	}
	if found.ValueClean != nil {
		out.add("clean value", "%v", *found.ValueClean)
	}
	if r.hasGap() {
		out.add("gap", "%v", r.gap())
	}
	if found.ValueClean != nil && found.TargetQuery > 0 {
		out.add("target", "reached by the clean value of query %s", words.Thousands(found.TargetQuery))
	}
	out.add("queries", "%s of %s%s", words.Thousands(found.Queries), words.Thousands(found.Budget), resumed(found.Resumed))
	if found.Failed > 0 {
		out.add("failed", "%s: %s", words.Count(found.Failed, "query", "queries"), found.Failures)
	}
	if found.Structure != nil || found.Notes != nil {
		out.add("learnt", "%s", strings.ReplaceAll(found.String(), "; ", "\n"+strings.Repeat(" ", 12)))
	}
	out.add("seconds", "%.1f", r.Took.Seconds())
	if lines := coordinateLines(r.Subject.Parameters, found.Structure); lines != "" {
		out.WriteString("coordinates\n" + lines)
	}
	if space := r.Subject.Parameters; space != nil && len(found.Point) == len(space) {
		out.WriteString("best point\n" + ParameterLines(space, found.Point))
	} else {
		out.add("best point", "%s", numbers(found.Point))
		if at := limitsReached(r.Subject.Limited, found.Point); at != "" {
			out.add("at limits", "%s", at)
		}
	}
	out.WriteString(severalLines(r.Subject.Parameters, found))
	out.WriteString(sensitivityLines(r.Sensitivity))
	if len(found.Minimisers) > 0 {
		out.WriteString("minimisers, each with its value and its particles\n")
	}
	for _, m := range found.Minimisers {
		fmt.Fprintf(&out, "  %-22v %5d  %s\n", m.Value, m.Particles, numbers(m.Point))
	}
	return out.String()
}

// best writes the best value with its unit and its name, and says what it is where there is noise:
// the lowest of many values is too low by chance.
func (r Run) best() string {
	found, s := r.Result, r.Subject
	text := s.InUnit(fmt.Sprint(found.Value))
	if s.Value != "" {
		text += " (" + s.Value + ")"
	}
	switch n := found.Noise; {
	case found.ValueMean != nil && found.ValueError != nil:
		mean := s.InUnit(words.Number(*found.ValueMean, 6) + " ± " + words.Number(*found.ValueError, 2))
		return fmt.Sprintf("%s at one query; the mean of later queries there is %s (95 %%)", text, mean)
	case n != nil && n.Kind != objective.NoNoise:
		return fmt.Sprintf("%s, the %s of values that have noise, %s", text, s.Extreme(), Chance(s))
	}
	return text
}

// Chance says of the best of many noisy values that it is not what f is there.
func Chance(s Subject) string {
	if s.Maximize {
		return "too high by chance"
	}
	return "too low by chance"
}

func numbers(point []float64) string { return strings.Trim(fmt.Sprint(point), "[]") }

// resumed says how many queries came from a journal.
func resumed(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s from the journal)", words.Thousands(n))
}

// Warnings returns sentences about what a reader of the figures should know.
func (r Run) Warnings() []string {
	var all []string
	if r.hasGap() && !r.Known.Attainable {
		all = append(all, "the known minimiser lies outside the bounds; the gap is measured from the minimum without bounds")
	}
	return append(all, failures(r.Result.Account)...)
}

// failures warns of queries that failed.
func failures(a untwist.Account) []string {
	if a.Failed == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s failed (%s); the first: %s", words.Count(a.Failed, "query", "queries"), a.Failures, a.FailedReason)}
}
