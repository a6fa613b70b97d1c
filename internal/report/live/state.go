package live

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/words"
	"github.com/untwist/untwist/objective"
)

// state is what the run has said.
type state struct {
	began time.Time

	mu      sync.Mutex
	number  uint64 // of changes
	latest  untwist.Progress
	answers int
	failed  int
	result  untwist.Result
	taken   time.Time // when result was asked for
	final   Page      // nil: the run goes on
}

// shortest is the time between two events, and how often a run is asked what it knows.
const shortest = time.Second

// Show tells the server how the run is going; it is a value for untwist.Options.Progress.
func (s *Server) Show(p untwist.Progress) {
	t := &s.state
	t.mu.Lock()
	defer t.mu.Unlock()
	// A new stage often comes with something that was learnt.
	if now := time.Now(); p.SoFar != nil && (now.Sub(t.taken) >= shortest || p.Stage != t.latest.Stage) {
		t.result, t.taken = p.SoFar(), now
	}
	p.SoFar = nil // its time is over
	t.latest, t.answers, t.failed = p, 0, 0
	t.number++
}

// Answered tells the server of an answer that came within a batch.
func (s *Server) Answered(failed bool) {
	t := &s.state
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answers++
	if failed {
		t.failed++
	}
	t.number++
}

// finish says that the run is over.
func (t *state) finish(p Page) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.final = p
	t.number++
}

// change returns the number of the last change.
func (t *state) change() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.number
}

// now returns what is known, or the page of the end.
func (t *state) now() (State, Page, uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := State{Answers: t.answers, Failed: t.failed, Stage: t.latest.Stage, Began: t.began, Now: time.Now()}
	now.Result = upToDate(t.result, t.latest)
	return now, t.final, t.number
}

// upToDate is what a run knew a moment ago, with what it has said since then.
func upToDate(r untwist.Result, p untwist.Progress) untwist.Result {
	r.Status = objective.Running
	if p.Queries <= r.Queries {
		return r
	}
	last := p.Queries - r.Queries
	r.Queries, r.Budget, r.Point, r.Value, r.Failed = p.Queries, p.Budget, p.Point, p.Best, p.Failed
	r.Curve = append(slices.Clip(r.Curve), objective.Sample{Queries: p.Queries, Value: p.Best})
	r.Stages = slices.Clone(r.Stages)
	if n := len(r.Stages); n > 0 && r.Stages[n-1].Name == p.Stage {
		r.Stages[n-1].Queries += last
	} else if p.Stage != "" {
		r.Stages = append(r.Stages, untwist.Stage{Stage: objective.Stage{Name: p.Stage}, Queries: last})
	}
	return r
}

// line says in a line how far the run is, with the number of the last change.
func (t *state) line() (string, uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.latest
	text := words.Count(p.Queries+t.answers, "query", "queries")
	if p.Budget > 0 {
		text = words.Thousands(p.Queries+t.answers) + " of " + words.Count(p.Budget, "query", "queries")
	}
	if p.Point != nil && !math.IsInf(p.Best, 1) {
		text += ", best value " + words.Number(p.Best, 6)
	}
	if n := p.Failed + t.failed; n > 0 {
		text += ", " + words.Thousands(n) + " failed"
	}
	if p.Stage != "" {
		text += " (" + strings.Join(strings.Fields(words.Stage(p.Stage)), " ") + ")"
	}
	return text, t.number
}
