package cluster

import (
	"container/list"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/words"
)

const (
	// beat is how often a worker says that it is there and what it does.
	beat = 5 * time.Second
	// gone is how long a worker is silent before it counts as gone. It is also how long
	// a chunk is leased: whoever works on it says so at every beat.
	gone = 15 * time.Second
)

const (
	// mostProcs is how many processes may work for a run: so many requests for work may wait
	// at the server. Their workers take some 30 MB of memory if each has one process only.
	mostProcs = mostPulls
	// mostMembers is how many workers there may be, with those that get no more work.
	mostMembers = mostProcs
	// mostGone is how many workers are remembered that are not here any more: a worker that
	// is started again has another name.
	mostGone = 1000
)

// A roster knows the workers of a run: those that have said hello. Times are those of the
// coordinator's clock: nothing is known of the workers' clocks. What is done for every message
// takes the same time however many workers there are.
type roster struct {
	all    map[string]*member
	here   list.List // of those that work for the run, the one that was silent longest first
	away   list.List // of those that do not, nor were excluded, the one that went first first
	procs  int       // of those that are here
	proven int       // how many of these have had a success
	wide   int       // how many processes one of them has at most; more, if it has just gone
}

// A member is a worker.
type member struct {
	name     string
	procs    int
	heard    time.Time     // when it last said something
	at       *list.Element // in the list of those that are here
	went     *list.Element // in the list of those that are not
	left     bool          // it has said that it goes
	joined   time.Time
	working  []int   // the first queries of the chunks that it works on
	points   int     // whose values it has sent
	failed   int     // of these
	failure  string  // why the last of them has
	rate     float64 // points a second, at the last beats
	counted  int     // points, when this was
	measured time.Time
	proven   bool   // one of its points has succeeded
	wrong    int    // failures where somebody else had a value
	excluded string // why it gets no more work; "": it does
}

// hello notes that a worker has said hello. If there are too many, it is none of them, and why
// says so.
func (r *roster) hello(name string, procs int, now time.Time) (m *member, why string) {
	r.expire(now)
	m = r.all[name]
	others := r.procs
	if m != nil && m.at != nil {
		others -= m.procs
	}
	switch {
	case others+procs > mostProcs:
		return nil, fmt.Sprintf("%s work for the run, and more than %s cannot", words.Count(others, "process", "processes"), words.Thousands(mostProcs))
	case m == nil && len(r.all)-r.away.Len() >= mostMembers:
		return nil, fmt.Sprintf("the run has had %s, and takes no more", words.Count(mostMembers, "worker", "workers"))
	case m == nil:
		m = &member{name: name, joined: now}
		if r.all == nil {
			r.all = map[string]*member{}
		}
		r.all[name] = m
	}
	if m.at != nil {
		r.procs += procs - m.procs
	}
	m.procs, r.wide = procs, max(r.wide, procs)
	r.hear(m, now)
	return m, ""
}

func (r *roster) hear(m *member, now time.Time) {
	m.heard, m.left = now, false
	switch {
	case m.excluded != "":
	case m.at != nil:
		r.here.MoveToBack(m.at)
	default:
		if m.went != nil {
			r.away.Remove(m.went)
			m.went = nil
		}
		m.at = r.here.PushBack(m)
		r.count(m, 1)
	}
}

// count adds a worker to the sums of those that are here, or takes it away: by is 1 or −1.
func (r *roster) count(m *member, by int) {
	r.procs += by * m.procs
	r.wide = max(r.wide, m.procs)
	if m.proven {
		r.proven += by
	}
}

// prove notes that one of a worker's points has succeeded.
func (r *roster) prove(m *member) {
	if m.proven = true; m.at != nil {
		r.proven++
	}
}

// goes takes a worker off the list of those that are here.
func (r *roster) goes(m *member) {
	if m.at == nil {
		return
	}
	r.here.Remove(m.at)
	m.at = nil
	r.count(m, -1)
	if m.excluded != "" {
		return
	}
	m.went = r.away.PushBack(m)
	if r.away.Len() > mostGone {
		oldest := r.away.Remove(r.away.Front()).(*member)
		delete(r.all, oldest.name)
	}
}

// expire lets those go that were silent for too long.
func (r *roster) expire(now time.Time) {
	for m := range r.present() {
		if now.Sub(m.heard) < gone {
			return
		}
		r.goes(m)
	}
}

func (r *roster) leaves(m *member) {
	m.heard, m.working, m.left = time.Time{}, nil, true
	r.goes(m)
}

func (r *roster) exclude(m *member, why string) {
	m.excluded = why
	r.goes(m)
}

// present returns the workers that are here.
func (r *roster) present() iter.Seq[*member] { return each[*member](&r.here) }

// widest finds how many processes a worker has at most.
func (r *roster) widest() {
	r.wide = 1
	for m := range r.present() {
		r.wide = max(r.wide, m.procs)
	}
}

// resting returns how many processes had nothing to do when their workers last spoke.
func (r *roster) resting() (n int) {
	for m := range r.present() {
		n += max(m.procs-len(m.working), 0)
	}
	return n
}

// claimed returns the chunks, by their first queries, on which workers work that are here.
func (r *roster) claimed() map[int]bool {
	all := map[int]bool{}
	for m := range r.present() {
		for _, first := range m.working {
			all[first] = true
		}
	}
	return all
}

// names returns the names of the workers that are here, in order.
func (r *roster) names() (names []string) {
	for m := range r.present() {
		names = append(names, m.name)
	}
	slices.Sort(names)
	return names
}

// anybody reports whether workers are here besides these, all of which are different.
func (r *roster) anybody(besides ...string) bool {
	n := r.here.Len()
	for _, name := range besides {
		if m := r.all[name]; m != nil && m.at != nil {
			n--
		}
	}
	return n > 0
}
