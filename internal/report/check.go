package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// A Check says whether a function can be minimised, from a few evaluations of it.
type Check struct {
	Subject Subject
	Seed    uint64
	// Start are the answers at the start point, which is asked twice, and Others are those
	// at points drawn from where to look first.
	Start  [2]objective.Answer
	Others []objective.Answer
	// Procs evaluations run at the same time. Budget and Time are what a run may spend;
	// 0: not known.
	Procs, Budget int
	Time          time.Duration
	// Residuals and Outputs are what an answer has besides a value.
	Residuals int
	Outputs   []objective.Output
}

// all returns all answers.
func (c Check) all() []objective.Answer { return append(slices.Clone(c.Start[:]), c.Others...) }

// Same says whether f was the same when it was asked twice.
func (c Check) Same() bool {
	a, b := c.Start[0], c.Start[1]
	return query.FailureOf(a) == nil && query.FailureOf(b) == nil && math.Float64bits(a.Value) == math.Float64bits(b.Value)
}

// failed returns the failures by kind, and the first.
func (c Check) failed() (by objective.Failures, first *objective.Failure) {
	for _, a := range c.all() {
		if f := query.FailureOf(a); f != nil {
			by[f.Kind]++
			if first == nil {
				first = f
			}
		}
	}
	return by, first
}

// mostFailed is the share of evaluations that may fail: with more of them a run ends soon.
const mostFailed = 0.9

// Unusable returns an error if f failed nearly everywhere.
func (c Check) Unusable() error {
	by, first := c.failed()
	failed, all := by.Total(), len(c.all())
	if float64(failed) <= mostFailed*float64(all) {
		return nil
	}
	what := fmt.Sprintf("can hardly be minimised: %d of %d evaluations", failed, all)
	if failed == all {
		what = fmt.Sprintf("cannot be minimised: all %d evaluations", all)
	}
	return fmt.Errorf("this %s failed; narrow the limits to where it works, or give a guess at which it does; the first failure: %v",
		what, first)
}

// seconds returns the median, the mean and the largest time of an evaluation. The first is
// not in the mean, since a program that is kept running is started for it.
func (c Check) seconds() (median, mean, most float64) {
	var all []float64
	for i, a := range c.all() {
		all = append(all, a.Seconds)
		if i > 0 {
			mean += a.Seconds / float64(len(c.Others)+1)
		}
	}
	slices.Sort(all)
	return all[len(all)/2], mean, all[len(all)-1]
}

// values returns the values that there are.
func (c Check) values() (all []float64) {
	for _, a := range c.all() {
		if query.FailureOf(a) == nil && finite(a.Value) {
			all = append(all, a.Value)
		}
	}
	return all
}

// whole returns how long a run takes that spends its budget, and how many queries a run
// can make in its time. They are 0 if the budget or the time is not known.
func (c Check) whole() (took time.Duration, queries float64) {
	_, mean, _ := c.seconds()
	each := mean / float64(max(c.Procs, 1))
	seconds := each * float64(c.Budget)
	took = time.Duration(min(seconds*1e9, math.MaxInt64/2))
	if each > 0 {
		queries = c.Time.Seconds() / each
	}
	return took, queries
}

// String returns the check for people: five facts, in lines.
func (c Check) String() string {
	out := lines{wide: 11}
	out.add("problem", "%s", c.Subject.describe(c.Seed))
	out.add("same twice", "%s", c.sameWords())
	median, _, most := c.seconds()
	out.add("seconds", "%s an evaluation (median), %s at most", plain(median), plain(most))
	if by, first := c.failed(); first == nil {
		out.add("failed", "none of %d", len(c.all()))
	} else {
		out.add("failed", "%d of %d: %v; the first: %v", by.Total(), len(c.all()), by, first)
	}
	out.add("digits", "%s", precisionOf(c.values()))
	if c.Residuals > 0 {
		out.add("residuals", "%d, whose squares are summed", c.Residuals)
	}
	if len(c.Outputs) > 0 {
		out.add("outputs", "%s", strings.Join(c.outputWords(), "\n"+strings.Repeat(" ", 12)))
	}
	out.add("whole run", "%s", c.wholeWords())
	return out.String()
}

// outputWords says what each output was, and how often it kept to its limits.
func (c Check) outputWords() (all []string) {
	front := max(c.Residuals, 1)
	for k, o := range c.Outputs {
		lo, hi, kept, n := math.Inf(1), math.Inf(-1), 0, 0
		alone := query.NewLimits(query.Reading{Outputs: []objective.Output{o}})
		for _, a := range c.all() {
			if len(a.Numbers) != front+len(c.Outputs) || query.FailureOf(a) != nil {
				continue
			}
			n++
			v := a.Numbers[front+k]
			lo, hi = min(lo, v), max(hi, v)
			if one := []float64{0, v}; alone.Violation(one) <= 1 {
				kept++
			}
		}
		text := fmt.Sprintf("%s from %s to %s", o.Name, words.Number(lo, 4), words.Number(hi, 4))
		if n == 0 {
			text = o.Name + " not known"
		} else if o.Limited() {
			text += fmt.Sprintf(", within its limits at %d of %d points", kept, n)
		}
		all = append(all, text)
	}
	return all
}

// plain writes seconds with two digits and without an exponent.
func plain(seconds float64) string {
	v, _ := strconv.ParseFloat(strconv.FormatFloat(seconds, 'g', 2, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func (c Check) sameWords() string {
	switch a, b := c.Start[0], c.Start[1]; {
	case c.Same():
		return fmt.Sprintf("yes: %v at the start point, both times", a.Value)
	case query.FailureOf(a) != nil && query.FailureOf(b) != nil:
		return fmt.Sprintf("not known: the start point fails (%v)", query.FailureOf(a))
	case query.FailureOf(a) != nil || query.FailureOf(b) != nil:
		return "no: the start point fails only sometimes"
	default:
		return fmt.Sprintf("no: %v and %v at the start point", a.Value, b.Value)
	}
}

func (c Check) wholeWords() string {
	procs := ""
	if c.Procs > 1 {
		procs = fmt.Sprintf(" with %d processes", c.Procs)
	}
	took, queries := c.whole()
	text := "not known without a budget or a time"
	if c.Budget > 0 {
		text = fmt.Sprintf("about %s for %s%s", rough(took), words.Count(c.Budget, "query", "queries"), procs)
	}
	if c.Time > 0 && (c.Budget == 0 || took > c.Time) {
		limit := fmt.Sprintf("%v is enough for about %s queries%s", c.Time, words.Thousands(int(min(queries, 1e15))), procs)
		if c.Budget > 0 {
			return text + "; " + limit
		}
		return limit
	}
	return text
}

// rough writes a duration as people say it.
func rough(d time.Duration) string {
	switch {
	case d < time.Second:
		return "a second"
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f seconds", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f hours", d.Hours())
	}
	return words.Thousands(int(d.Hours()/24)) + " days"
}

// Warnings returns sentences about what the user should know before a run.
func (c Check) Warnings() (all []string) {
	a, b := query.FailureOf(c.Start[0]), query.FailureOf(c.Start[1])
	switch {
	case c.Same() || a != nil && b != nil:
	case c.Subject.Options != "": // a built-in problem, with the noise that was asked for
		all = append(all, "the same point gave two values, since there is noise: coordinates may not be found; journals are replayed exactly all the same")
	default:
		all = append(all, "the same point gave two values: fix its random seed if there is one; small noise is coped with, but costs queries and hides coordinates (--noise-level, if you know it)")
	}
	p, n := precisionOf(c.values()), len(c.values())
	if p.values == 1 && n > 2 { // the start point alone gives two
		all = append(all, fmt.Sprintf("all %d values are %v: the program does not depend on its parameters, or another number that it prints is taken for the value; --result says which one it is", n, c.values()[0]))
	}
	if p.coarse() {
		all = append(all, "small differences of f, from which coordinates are found, are lost in "+p.cause()+"; "+p.remedy())
	}
	return all
}

// Draw draws nothing.
func (Check) Draw(string) error { return nil }

// MarshalJSON writes the check as a JSON object.
func (c Check) MarshalJSON() ([]byte, error) {
	by, first := c.failed()
	reason := ""
	if first != nil {
		reason = first.Error()
	}
	median, _, most := c.seconds()
	took, _ := c.whole()
	p := precisionOf(c.values())
	return json.Marshal(struct {
		Subject
		Seed      uint64             `json:"seed"`
		Usable    bool               `json:"usable"`
		Same      bool               `json:"same_twice"`
		Queries   int                `json:"queries"`
		Failed    int                `json:"failed_queries"`
		Failures  objective.Failures `json:"failures"`
		Reason    string             `json:"first_failure"`
		Median    float64            `json:"median_seconds"`
		Most      float64            `json:"max_seconds"`
		Digits    int                `json:"digits"` // 0: no value has been seen
		Raster    number             `json:"raster"` // 0: values do not fall on one
		Single    bool               `json:"single_precision"`
		Procs     int                `json:"procs"`
		Budget    int                `json:"budget"`            // 0: not known
		WholeTime float64            `json:"whole_run_seconds"` // likewise
	}{
		c.Subject, c.Seed, c.Unusable() == nil, c.Same(), len(c.all()), by.Total(), by, reason,
		median, most, p.digits, number(p.raster), p.single, max(c.Procs, 1), c.Budget, took.Seconds(),
	})
}
