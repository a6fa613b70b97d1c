package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/journal"
)

// A ledger knows when things went wrong at a site.
type ledger struct {
	faults   []time.Time
	restarts []restart
	goesOn   map[*proc]time.Time // when workers were continued
	ended    time.Time           // when the run was over
}

// A restart is a coordinator that was killed and started again.
type restart struct {
	at    time.Time
	known map[int]bool // the queries that were in the journal
}

// strikes notes that something goes wrong now.
func (l *ledger) strikes() { l.faults = append(l.faults, time.Now()) }

// continued notes that a worker goes on.
func (l *ledger) continued(w *proc) {
	if l.goesOn == nil {
		l.goesOn = map[*proc]time.Time{}
	}
	l.goesOn[w] = time.Now()
}

// died notes what the journal has when the coordinator has died.
func (l *ledger) died(t *testing.T, dir string) {
	t.Helper()
	known := map[int]bool{}
	if file := filepath.Join(dir, "run.journal"); length(file) > 0 {
		if _, err := journal.Read(file, func(q journal.Query) error { known[q.Number] = true; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	l.restarts = append(l.restarts, restart{time.Now(), known})
}

// account compares what was handed out with what went wrong. Nothing is put on the queue again
// that was recorded before, and what is evaluated twice was out when something went wrong, or
// was a second copy of what took long.
func (l *ledger) account(t *testing.T, p *proxy, evaluated, queries int) {
	t.Helper()
	sent, given, kept, late := p.tap.all()
	if l.notRecorded(t, sent); len(sent) == 0 { // the coordinator has the server
		l.notRecorded(t, given)
	}
	again, out, copies, doubles, stale, redelivered := evaluated-queries, l.out(given, kept), 0, 0, 0, 0
	before := map[int]loan{} // when a query was last given to somebody
	for _, g := range given {
		for q := g.first; q < g.first+g.n; q++ {
			if k, known := kept[q]; known && g.at.After(k) && g.again {
				redelivered++
			} else if known && g.at.After(k) {
				stale++
			}
			if b, twice := before[q]; twice && !l.wasOut(q, b.at, g.at, kept) {
				copies++
				if g.sent.Before(b.at) && g.sent != b.sent {
					doubles++
				}
			}
			before[q] = g
		}
	}
	t.Logf("%d faults: %d queries, %d evaluated again; %d were out at the faults, %d were copied, %d of them before anybody had them; of those that were known, %d copies came and %d came again; "+
		"%d messages with late values; %d and %d messages cut in two", len(l.faults), queries, again, out, copies, doubles, stale, redelivered, late, p.middle[0], p.middle[1])
	if again > out+copies {
		t.Errorf("%d queries were evaluated again, and only %d were out at the faults or copied", again, out+copies)
	}
	const soon = 30 * time.Second // a worker that goes on hands something in by then
	for w, at := range l.goesOn {
		if l.ended.Sub(at) > soon && !w.killed && p.tap.heardFrom(w.Process.Pid).Before(at) {
			t.Errorf("%s was continued and has handed in nothing since: %s", w.name, w.err.String())
		}
	}
}

// notRecorded fails if chunks were sent again whose values were recorded: in the journal when
// the coordinator was started again, or as a worker was told.
func (l *ledger) notRecorded(t *testing.T, chunks []loan) {
	t.Helper()
	for _, c := range chunks {
		if c.sent.IsZero() {
			t.Fatal("nobody knows when a chunk came to the queue")
		}
		if c.known > 0 {
			t.Errorf("%d queries of the chunk of %d from %d on were recorded, and were sent again", c.known, c.n, c.first)
		}
		for i, r := range l.restarts {
			known := 0
			for q := c.first; q < c.first+c.n && c.sent.After(r.at); q++ {
				if r.known[q] {
					known++
				}
			}
			if known > 0 {
				t.Errorf("%d queries of the chunk of %d from %d on were in the journal when the coordinator was started for the %dth time, and were sent again",
					known, c.n, c.first, i+2)
			}
		}
	}
}

// out returns how many queries were out at the faults: given to somebody, and not recorded.
func (l *ledger) out(given []loan, kept map[int]time.Time) (n int) {
	for _, f := range l.faults {
		out := map[int]bool{}
		for _, g := range given {
			for q := g.first; q < g.first+g.n; q++ {
				if k, known := kept[q]; g.at.Before(f) && (!known || k.After(f)) {
					out[q] = true
				}
			}
		}
		n += len(out)
	}
	return n
}

// wasOut reports whether something went wrong between two times while a query was out.
func (l *ledger) wasOut(q int, from, to time.Time, kept map[int]time.Time) bool {
	k, known := kept[q]
	for _, f := range l.faults {
		if f.After(from) && f.Before(to) && (!known || k.After(f)) {
			return true
		}
	}
	return false
}
