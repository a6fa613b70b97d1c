package cluster

import (
	"maps"
	"slices"
	"time"
)

const (
	// beat is how often a worker says that it is there and what it does.
	beat = 5 * time.Second
	// gone is how long a worker is silent before it counts as gone. It is also how long
	// a chunk is leased: whoever works on it says so at every beat.
	gone = 15 * time.Second
)

// mostMembers is how many workers are remembered. If more come, those that have gone are
// forgotten: a worker that is started again has another name.
const mostMembers = 1000

// A roster knows the workers of a run. Times are those of the coordinator's clock: nothing
// is known of the workers' clocks.
type roster struct {
	all map[string]*member
}

// A member is a worker.
type member struct {
	name     string
	procs    int
	heard    time.Time // when it last said something
	left     bool      // it has said that it goes
	joined   time.Time
	working  []int   // the first queries of the chunks that it works on
	points   int     // whose values it has sent
	failed   int     // of these
	failure  string  // why the last of them has
	rate     float64 // points a second, at the last beats
	counted  int     // points, when this was
	measured time.Time
	good     int    // points that have not failed
	wrong    int    // failures where somebody else had a value
	excluded string // why it gets no more work; "": it does
}

// hear notes that a worker has said something, and returns it.
func (r *roster) hear(name string, now time.Time) *member {
	if r.all == nil {
		r.all = map[string]*member{}
	}
	m := r.all[name]
	if m == nil {
		if len(r.all) >= mostMembers {
			maps.DeleteFunc(r.all, func(_ string, m *member) bool { return m.excluded == "" && !m.here(now) })
		}
		m = &member{name: name, procs: 1, joined: now}
		r.all[name] = m
	}
	m.heard, m.left = now, false
	return m
}

// leaves notes that a worker goes.
func (r *roster) leaves(name string) {
	if m := r.all[name]; m != nil {
		m.heard, m.working, m.left = time.Time{}, nil, true
	}
}

// here reports whether a worker works for the run.
func (m *member) here(now time.Time) bool {
	return m.excluded == "" && now.Sub(m.heard) < gone
}

// procs returns how many processes the workers have that are here.
func (r *roster) procs(now time.Time) (n int) {
	for _, m := range r.all {
		if m.here(now) {
			n += m.procs
		}
	}
	return n
}

// widest returns how many processes a worker has at most.
func (r *roster) widest(now time.Time) int {
	n := 1
	for _, m := range r.all {
		if m.here(now) {
			n = max(n, m.procs)
		}
	}
	return n
}

// resting returns how many processes had nothing to do when their workers last spoke.
func (r *roster) resting(now time.Time) (n int) {
	for _, m := range r.all {
		if m.here(now) {
			n += max(m.procs-len(m.working), 0)
		}
	}
	return n
}

// claimed returns the chunks, by their first queries, on which workers work that are here.
func (r *roster) claimed(now time.Time) map[int]bool {
	all := map[int]bool{}
	for _, m := range r.all {
		if m.here(now) {
			for _, first := range m.working {
				all[first] = true
			}
		}
	}
	return all
}

// present returns the names of the workers that are here, in order.
func (r *roster) present(now time.Time) (names []string) {
	for _, m := range r.all {
		if m.here(now) {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	return names
}

// anybody reports whether workers are here besides these.
func (r *roster) anybody(now time.Time, besides ...string) bool {
	for _, m := range r.all {
		if m.here(now) && !slices.Contains(besides, m.name) {
			return true
		}
	}
	return false
}
