package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/untwist/untwist/internal/words"
)

// A failuresView says how often and where queries failed, and why.
type failuresView struct {
	Intro   string
	Rows    []failureRow
	More    string
	Regions []string
}

type failureRow struct{ Queries, Kind, Reason, First, Point string }

// mostFailures is how many reasons of failures are shown, and mostNumbers how many numbers of
// a point.
const mostFailures, mostNumbers = 8, 12

// newFailures says what failed; nil if that is not known because nothing was asked.
func newFailures(p Page) *failuresView {
	found, e := p.Run.Result, p.Evaluations
	if found.Queries == 0 {
		return nil
	}
	if found.Failed == 0 {
		return &failuresView{Intro: "No query failed."}
	}
	v := &failuresView{Intro: fmt.Sprintf("%s of %s failed (%s): %s.", words.Thousands(found.Failed), words.Count(found.Queries, "query", "queries"),
		percent(float64(found.Failed)/float64(found.Queries)), found.Failures)}
	all := e.Failures
	if len(all) == 0 && found.FailedReason != "" {
		all = []Failure{{Reason: found.FailedReason, Point: found.FailedPoint}}
		v.More = "This is the first failure; the reasons of the others were not kept."
	}
	rest := e.Others
	for i, f := range all {
		if i >= mostFailures {
			rest += f.Queries
			continue
		}
		row := failureRow{Reason: f.Reason, Point: p.pointOf(f.Point)}
		if f.Queries > 0 {
			row.Queries, row.Kind = words.Thousands(f.Queries), f.Kind.String()
		}
		if f.Varies {
			row.Reason += " (in others with other numbers)"
		}
		if f.Number > 0 {
			row.First = "query " + words.Thousands(f.Number)
		}
		v.Rows = append(v.Rows, row)
	}
	if rest > 0 {
		v.More = words.Count(rest, "query", "queries") + " more failed for other reasons."
	}
	for _, r := range e.Regions {
		v.Regions = append(v.Regions, p.regionOf(r))
	}
	return v
}

func (p Page) pointOf(point []float64) string {
	space := p.space()
	if len(point) == 0 || len(point) != len(space) {
		return ""
	}
	var parts []string
	for i, q := range space {
		if i == mostNumbers {
			parts = append(parts, fmt.Sprintf("… (%s in all)", words.Thousands(len(space))))
			break
		}
		parts = append(parts, q.Name+" = "+withUnit(point[i], q))
	}
	return strings.Join(parts, ", ")
}

// regionOf says in a sentence where queries fail.
func (p Page) regionOf(r Region) string {
	q := p.space()[r.Parameter]
	where := q.Name + " is above " + withUnit(r.Lo, q)
	if math.IsInf(r.Lo, -1) {
		where = q.Name + " is below " + withUnit(r.Hi, q)
	}
	return fmt.Sprintf("Where %s, %s of %s failed (%s); elsewhere %s did.", where, words.Thousands(r.Failed), words.Count(r.Queries, "query", "queries"),
		percent(float64(r.Failed)/float64(r.Queries)), percent(float64(r.FailedElse)/float64(max(1, r.Else))))
}

// A costsView says what the run cost.
type costsView struct {
	Rows    []Setting
	Workers []workerRow
	More    string
}

type workerRow struct{ Name, Queries, Failed, Seconds string }

// mostWorkers is how many workers are named.
const mostWorkers = 50

func newCosts(p Page) *costsView {
	found, e := p.Run.Result, p.Evaluations
	v := &costsView{}
	add := func(name, format string, values ...any) {
		v.Rows = append(v.Rows, Setting{name, fmt.Sprintf(format, values...)})
	}
	of := ""
	if found.Budget > 0 {
		of = " of " + words.Thousands(found.Budget) + " allowed"
	}
	add("Queries", "%s%s", words.Thousands(found.Queries), of)
	if found.Resumed > 0 {
		add("From the journal", "%s", words.Count(found.Resumed, "query", "queries"))
	}
	if found.Rounds > 0 {
		add("Rounds", "%s (batches that had to wait for each other)", words.Thousands(found.Rounds))
	}
	if p.Run.Took > 0 {
		add("Time of the run", "%s", seconds(p.Run.Took.Seconds()))
	}
	if e.Timed > 0 {
		add("An evaluation", "%s on average, median %s, at most %s", seconds(e.Seconds/float64(e.Timed)), seconds(e.Median), seconds(e.Most))
		add("All evaluations", "%s, if they had been made one after another", seconds(e.Seconds))
	}
	if e.AtOnce > 0 {
		add("At the same time", "%s", words.Count(e.AtOnce, "evaluation", "evaluations"))
	}
	if len(e.Workers) > 0 {
		add("Workers", "%s", words.Count(len(e.Workers), "worker on the network", "workers on the network"))
	}
	for i, w := range e.Workers {
		if i == mostWorkers {
			v.More = "and " + words.Count(len(e.Workers)-i, "more worker", "more workers") + "."
			break
		}
		each := "–"
		if w.Seconds > 0 {
			each = seconds(w.Seconds / float64(w.Queries))
		}
		v.Workers = append(v.Workers, workerRow{w.Name, words.Thousands(w.Queries), words.Thousands(w.Failed), each})
	}
	return v
}

// settings are those of the page, after what the run itself knows.
func settings(p Page) []Setting {
	found, s := p.Run.Result, p.Run.Subject
	all := []Setting{{"Function", title(p)}, {"Parameters searched", words.Thousands(s.Dim)}}
	if s.Components > 0 {
		all = append(all, Setting{"Components", words.Thousands(s.Components)})
	}
	for _, more := range []Setting{{"Mixing matrix", s.Mix}, {"Blemishes", s.Options}, {"Strategy", found.Strategy}} {
		if more.Value != "" {
			all = append(all, more)
		}
	}
	all = append(all, Setting{"Seed", fmt.Sprint(found.Seed)})
	if found.Budget > 0 {
		all = append(all, Setting{"Budget", words.Count(found.Budget, "query", "queries")})
	}
	return append(all, p.Settings...)
}

// now says of a run that goes on what it does, what comes next, when the value usually falls, and
// how much time is left; nil of one that is over.
func now(p Page) (all []string) {
	if !p.Running {
		return nil
	}
	if p.Stage == "" { // the first batch, which can take hours
		return append(all, "Now: the first points. Their values decide what comes next. The value usually falls later.", timeLeft(p))
	}
	text := "Now: " + words.Stage(p.Stage) + "."
	if next := words.Next(p.Stage); next != "" && !p.Probe {
		text += " " + next
	}
	return append(all, text, timeLeft(p))
}

// timeLeft says how long a run still takes that goes on at its present rate: until its budget or
// its time is spent, whatever comes first. Queries from the journal took no time.
func timeLeft(p Page) string {
	found, took := p.Run.Result, p.Run.Took.Seconds()
	left, why := 0., ""
	if made := found.Queries - found.Resumed; made > 0 && found.Budget > 0 && took > 0 {
		left, why = took/float64(made)*float64(found.Budget-found.Queries), "budget"
	}
	if rest := p.Allowed.Seconds() - took; p.Allowed > 0 && (why == "" || rest < left) {
		left, why = rest, "time"
	}
	if why == "" {
		return "The time left is not known yet."
	}
	return "Time left: at most about " + seconds(max(left, 0)) + ", until the " + why + " is spent; a run that converges ends sooner."
}
