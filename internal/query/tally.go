package query

import "github.com/untwist/untwist/objective"

// lastQueries is over how many queries the share of failures is taken.
const lastQueries = 1000

// A tally counts failures and remembers which of the last queries were failures.
type tally struct {
	counts objective.Failures
	point  []float64 // of the first failure
	reason string    // likewise
	recent [lastQueries]bool
	lately int // failures among the recent queries
}

// note counts a query; failure is nil if it succeeded.
func (t *tally) note(query int, point []float64, failure *objective.Failure) {
	at := &t.recent[query%lastQueries]
	if *at {
		t.lately--
	}
	*at = failure != nil
	if failure == nil {
		return
	}
	t.lately++
	t.counts[failure.Kind]++
	if t.point == nil {
		t.point = append(t.point, point...)
		t.reason = failure.Error()
	}
}

// judge returns a *FailuresError if too many of the queries so far have failed.
func (t *tally) judge(queries int, rules Rules) error {
	failed := t.counts.Total()
	switch {
	case rules.First > 0 && queries >= rules.First && failed == queries:
		return &objective.FailuresError{Failed: failed, Of: queries, Point: t.point, Reason: t.reason, All: true}
	case rules.MaxFailures > 0 && queries >= lastQueries && float64(t.lately) > rules.MaxFailures*lastQueries:
		return &objective.FailuresError{Failed: t.lately, Of: lastQueries, Point: t.point, Reason: t.reason}
	}
	return nil
}
