package query

import "github.com/untwist/untwist/objective"

// Rules say when a run stops although its budget is not spent.
type Rules struct {
	// Target stops it at a value f ≤ *Target; nil: never.
	Target *float64
	// Clean is the function that is compared with the target at queries that have not
	// failed; nil: f itself. Its evaluations are no queries.
	Clean objective.Objective
	// Tolerance stops a search of which the last tenth of the queries, and at least 100·d
	// of them, have gained less than this; 0: never.
	Tolerance float64
	// First stops it if so many queries at its start have all failed; 0: never.
	First int
	// MaxFailures stops it if a larger share of the last 1,000 queries has failed; 0: never.
	MaxFailures float64
	// Seen, if not nil, is called with every query: its number, its point, which it must not
	// keep, and its answer. It is called in the order of the queries, by one goroutine. It
	// stops nothing.
	Seen func(query int, point []float64, a objective.Answer)
	// Limits judge answers that have several numbers; nil: they have a value alone.
	Limits *Limits
	// Told says in words where a query failed; nil: the coordinates have no names.
	Told func(point []float64) string
}

// wantsAll reports whether all answers are to be heard, not the failures alone.
func (r Rules) wantsAll() bool { return r.Seen != nil || r.Limits != nil }

// A gain watches what a search has gained lately. What was found before the search does not
// count: a swarm that begins elsewhere gains long before it comes to something better.
type gain struct {
	searching bool
	searched  int                // queries of the search so far
	best      float64            // its best value; +Inf before the first
	history   []objective.Sample // the best value after so many queries of the search, oldest first
}

// note adds queries to a search.
func (g *gain) note(values []float64) {
	if !g.searching {
		return
	}
	for _, v := range values {
		g.best = min(g.best, v)
	}
	g.searched += len(values)
	g.history = append(g.history, objective.Sample{Queries: g.searched, Value: g.best})
}

// small reports whether the last tenth of all queries of the run, and at least 100·d, all
// of them in a search, have gained less than the tolerance.
func (g *gain) small(tolerance float64, all, d int) bool {
	if !g.searching || tolerance <= 0 {
		return false
	}
	then := g.searched - max(all/10, 100*d)
	for len(g.history) > 1 && g.history[1].Queries <= then {
		g.history = g.history[1:]
	}
	if g.history[0].Queries > then {
		return false
	}
	return g.history[0].Value-g.history[len(g.history)-1].Value < tolerance
}

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
	failed, of := t.counts.Total(), queries
	all := rules.First > 0 && queries >= rules.First && failed == queries
	if !all {
		failed, of = t.lately, lastQueries
		if rules.MaxFailures <= 0 || queries < lastQueries || float64(t.lately) <= rules.MaxFailures*lastQueries {
			return nil
		}
	}
	e := &objective.FailuresError{Failed: failed, Of: of, Point: t.point, Reason: t.reason, All: all}
	if rules.Told != nil {
		e.At = rules.Told(t.point)
	}
	return e
}
