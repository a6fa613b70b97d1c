package cluster

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
)

// greeting is what a worker says.
func greeting(name string, change func(*wire.Hello)) []byte {
	h := wire.Hello{Version: wire.Version, Worker: name, Procs: 1, Digest: wire.DigestOf(about)}
	if change != nil {
		change(&h)
	}
	return h.Encode()
}

// Forged words of workers that were handed nothing, that a query has ended them, do not end a
// run: from one connection under three names, before and after these have said hello, for others
// and again and again. Nor is the user told of them.
func TestForgedEndsDoNotEndARun(t *testing.T) {
	s := newStand(t, 1, nil)
	g := newGated()
	s.worker("good", g, nil)
	values, done := s.ask(1)
	<-g.began
	nc := enemy(t, s)
	says := func(data []byte) {
		if _, err := nc.Request(subject(s.run, hello), data, answerWithin); err != nil {
			t.Fatal(err)
		}
	}
	for _, leaving := range []bool{false, true} { // at last they go
		for _, name := range []string{"x", "y", "z", "good"} {
			for _, before := range []bool{false, true} {
				if before && name != "good" {
					says(greeting(name, func(h *wire.Hello) { h.Working = []int{1} }))
				}
				says(greeting(name, func(h *wire.Hello) {
					h.Leaving, h.Broken, h.Query, h.Working = leaving, "no licence", 1, []int{1}
				}))
			}
		}
	}
	g.gate <- struct{}{}
	if err := <-done; err != nil || values[0] != 1 {
		t.Errorf("%v, %v", values, err)
	}
	if strings.Contains(s.noted(), "no licence") {
		t.Errorf("%s", s.noted())
	}
}

// Names that were invented in values are no workers, and do not hold up the work of others. A
// worker that has not said hello yet is told to send its values later: it is not refused.
func TestInventedNamesAreNoWorkers(t *testing.T) {
	t.Parallel()
	s := newSiege(t, nil)
	defer s.o.end()
	v := wire.Values{Run: s.o.config.Run, First: 1, Answers: []wire.Answer{{Check: 7}}}
	for i := range flags.Usually(40_000, 5_000) {
		v.Worker = fmt.Sprint("x", i)
		s.receive(v.Encode())
		s.hear(greeting(v.Worker, func(h *wire.Hello) { h.Leaving = true }))
	}
	if all := s.o.Status().Workers; len(all) > 0 {
		t.Errorf("%d workers are here, such as %+v", len(all), all[0])
	}
	stand := newStand(t, 1, nil)
	nc := enemy(t, stand)
	v.Run, v.Worker = stand.run, "x"
	m, err := nc.Request(subject(stand.run, values), v.Encode(), answerWithin)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := wire.DecodeReceipt(m.Data); err != nil || !r.Later {
		t.Errorf("%s, %v", m.Data, err)
	}
}

// However many workers say hello, only so many are here. Others are told so, those that are here
// stay, and there is room again when some have gone.
func TestTheNumberOfWorkersIsBounded(t *testing.T) {
	w := newWorld(1)
	w.hello("here", 2)
	for i := range mostProcs - 2 {
		if _, why := w.desk.roster.hello(fmt.Sprint("x", i), 1, w.now); why != "" {
			t.Fatalf("worker %d: %s", i, why)
		}
	}
	const says = "65,536 processes work for the run, and more than 65,536 cannot"
	for _, procs := range []int{1, wire.MostProcs} {
		if m, why := w.desk.roster.hello("more", procs, w.now); m != nil || why != says {
			t.Errorf("one more worker: %q", why)
		}
	}
	if _, why := w.desk.roster.hello("here", 3, w.now); why == "" {
		t.Error("a worker has become greater than there is room")
	}
	w.now = w.now.Add(gone - time.Second)
	w.hello("here", 1)
	w.now = w.now.Add(time.Second)
	w.desk.tick(w.now)
	r := &w.desk.roster
	if m, why := r.hello("more", wire.MostProcs, w.now); m == nil || r.here.Len() != 2 || r.procs != 1+wire.MostProcs || len(r.all) > 2+mostGone {
		t.Errorf("%q; %d are here, with %d processes, and %d are remembered", why, r.here.Len(), r.procs, len(r.all))
	}
	for _, m := range r.all {
		r.exclude(m, "it is wrong")
	}
	if r.procs != 0 || r.here.Len() != 0 {
		t.Errorf("nobody is here, with %d processes", r.procs)
	}
}

// A clockwork calls something whenever it is asked for the time, and is a second later then.
type clockwork struct {
	stillClock
	tick func()
}

func (c *clockwork) now() time.Time {
	was := c.t
	if c.tick != nil {
		c.tick()
	}
	return was
}

// A worker that speaks while a status is made was not silent for less than no time: nobody would
// take such a status.
func TestStatusWhileWorkersSpeak(t *testing.T) {
	s := newSiege(t, nil)
	defer s.o.end()
	c := &clockwork{stillClock: *s.clock}
	s.o.config.clock = c
	s.hear(greeting("a", nil))
	c.tick = func() {
		if s.o.mu.TryLock() { // nobody keeps a worker from speaking
			s.o.mu.Unlock()
			c.tick = nil
			c.t = c.t.Add(time.Second)
			s.hear(greeting("a", nil))
		}
	}
	if _, err := wire.DecodeStatus(s.o.Status().Encode()); err != nil {
		t.Error(err)
	}
}

// What a worker says twice counts once, what it was never handed does not count, and no words of
// others make it leave: the batch ends with the values of those that were asked, and the sizes of
// chunks are not changed.
func TestLiesAboutQueries(t *testing.T) {
	w := newWorld(1)
	b := w.begin(11, 4, func(int) bool { return false })
	w.hello("a", 1)
	w.hello("liar", wire.MostProcs)
	v := func(first int, point float64, change func(*wire.Answer)) *wire.Values {
		v := evaluated(&wire.Chunk{First: first, Dim: 1, Points: []float64{point}}, "liar", firstOf, math.MaxInt32-1)
		change(&v.Answers[0])
		return v
	}
	fails := func(a *wire.Answer) {
		a.Value, a.Failure = math.Inf(1), &objective.Failure{Kind: objective.BadExit, Detail: "no"}
	}
	as := func(*wire.Answer) {}
	for range 5 {
		w.desk.take(v(1, 10, as), w.now)                                       // a query of an earlier batch
		w.desk.take(v(1, 10, func(a *wire.Answer) { a.Offset = 1023 }), w.now) // and far beyond
		w.desk.take(v(12, 120, fails), w.now)                                  // a query that it was not handed
		if got := w.desk.take(v(12, 121, as), w.now); got != strange {
			t.Fatalf("values of another point: %v", got)
		}
		if got := w.desk.take(v(15, 150, as), w.now); got != early {
			t.Fatalf("values of later queries: %v", got)
		}
	}
	if len(w.told) > 0 || w.desk.roster.all["liar"].proven || w.desk.pace.seconds != 0 || len(b.held[1]) != 1 {
		t.Fatalf("told %v; %+v; %v", w.told, w.desk.roster.all["liar"], w.desk.pace)
	}
	for rounds := 0; b.left > 0; rounds++ {
		if rounds > 100 {
			t.Fatalf("%d values are missing", b.left)
		}
		w.hello("a", 1)
		w.desk.take(v(12, 120, fails), w.now)
		w.desk.roster.leaves(w.desk.roster.all["a"]) // says the liar
		if c := w.take("a"); c != nil {
			w.desk.take(evaluated(c, "a", firstOf, 1), w.now)
			w.desk.take(evaluated(c, "a", firstOf, 1), w.now)
		}
		w.now = w.now.Add(time.Second)
		w.desk.tick(w.now)
	}
	for q, a := range w.told {
		if a.Value != float64(10*q) || a.By != "a" {
			t.Errorf("query %d: %+v", q, a)
		}
	}
	if w.desk.roster.all["a"].excluded != "" || len(w.desk.court.differences) > 0 {
		t.Errorf("%q, %v", w.notes, w.desk.court.differences)
	}
}

// However often somebody asks how a run is going, this is found out a few times a second.
func TestStatusIsMadeNowAndThen(t *testing.T) {
	s := newSiege(t, nil)
	defer s.o.end()
	s.hear(greeting("a", nil))
	for i := range 100 {
		s.o.report(&nats.Msg{})
		if i == 0 {
			s.hear(greeting("b", nil))
		}
	}
	for _, want := range []int{1, 2} {
		if got, err := wire.DecodeStatus(s.o.latest); err != nil || len(got.Workers) != want {
			t.Errorf("%d workers, not %d, %v", len(got.Workers), want, err)
		}
		s.clock.t = s.clock.t.Add(reportEvery)
		s.o.report(&nats.Msg{})
	}
}

// What is claimed of chunks has to be possible.
func TestClaimsAreChecked(t *testing.T) {
	s := newSiege(t, nil)
	defer s.o.end()
	for n, refuses := range map[int]bool{3 * 2: false, 3*2 + 1: true, 1 << 14: true} {
		data := greeting("a", func(h *wire.Hello) {
			for i := range n {
				h.Working = append(h.Working, i+1)
			}
			h.Procs = 2
		})
		before := len(s.o.Status().Workers)
		s.o.greet(&nats.Msg{Data: data})
		if m := s.o.desk.roster.all["a"]; m != nil && len(m.working) > 3*m.procs || refuses && len(s.o.Status().Workers) > before {
			t.Errorf("%d chunks: %+v", n, m)
		}
	}
}

// What a message costs, with few workers and many: a hello with a chunk that it works on, and a
// value.
func BenchmarkMessages(b *testing.B) {
	for _, members := range []int{10, 10_000} {
		b.Run(fmt.Sprint("members=", members), func(b *testing.B) {
			w := newWorld(10)
			const batch = 200_000
			for i := range members {
				w.hello(fmt.Sprint("worker-", i), 1)
			}
			w.begin(1, batch, func(int) bool { return false })
			names := make([]string, members)
			for i := range names {
				names[i] = fmt.Sprint("worker-", i)
			}
			next, asked := 0, batch
			for b.Loop() {
				if len(w.queued) == 0 {
					b.StopTimer()
					w.desk.end()
					w.begin(asked+1, batch, func(int) bool { return false })
					asked += batch
					b.StartTimer()
				}
				c := w.queued[len(w.queued)-1]
				w.queued = w.queued[:len(w.queued)-1]
				name := names[next%members]
				next++
				m, _ := w.desk.roster.hello(name, 1, w.now)
				m.working = []int{c.First}
				w.desk.needless(m.working)
				w.desk.take(evaluated(c, name, firstOf, 60), w.now)
			}
		})
	}
}
