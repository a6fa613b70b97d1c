package page

import (
	"github.com/untwist/untwist/internal/words"
)

// now says of a run that goes on what it does, what comes next, when the value usually falls, and
// how much time is left; nil of one that is over.
func now(p Page) (all []string) {
	if !p.Running || p.Stage == "" {
		return nil
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
