package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
)

var faults = flag.Int("faults", 0, "so many faults of each kind in runs with workers, at d = 30")

// A fault is something that goes wrong at a site.
type fault struct {
	name string
	do   func(t *testing.T, d *disaster)
}

// A disaster is a run with workers in which things go wrong.
type disaster struct {
	*site
	ledger
	run     *proc
	workers []*proc
	server  *proc
	proxy   *proxy
	chance  *rand.Rand
	started int           // workers
	length  time.Duration // for how long a worker is stopped
	over    chan struct{} // closed when the run is over

	stopping sync.WaitGroup
	mu       sync.Mutex
	stopped  map[*proc]bool
}

var allFaults = []fault{
	{"a worker is killed", func(t *testing.T, d *disaster) {
		i := d.chance.IntN(len(d.workers))
		d.workers[i].kill()
		d.newWorker(t, i)
	}},
	{"a worker is stopped", func(t *testing.T, d *disaster) { d.stop(t) }},
	{"the coordinator is killed", func(t *testing.T, d *disaster) { d.restart(t) }},
	{"connections are cut", func(t *testing.T, d *disaster) { d.proxy.cut(t, d.run) }},
	{"the server is killed", func(t *testing.T, d *disaster) {
		d.server.kill()
		d.server = d.nats(t)
	}},
}

// newDisaster begins a run in which things will go wrong, and returns what it should print.
func newDisaster(t *testing.T, s *site, alone bool, pause time.Duration, workers int, seed uint64) (*disaster, map[string]any) {
	t.Helper()
	want := s.expected(t)
	s.pause, s.alone = pause, alone
	d := &disaster{
		site: s, chance: rand.New(rand.NewPCG(seed, 7)), workers: make([]*proc, workers), proxy: newProxy(t, s.port, seed),
		over: make(chan struct{}), stopped: map[*proc]bool{},
	}
	s.via = d.proxy.port()
	if alone {
		d.server = s.nats(t)
		until(t, d.server, s.listening(true))
	}
	for i := range d.workers {
		d.newWorker(t, i)
	}
	d.run = s.minimize(t)
	return d, want
}

// newWorker starts a worker in the place of another.
func (d *disaster) newWorker(t *testing.T, i int) {
	t.Helper()
	d.started++
	d.workers[i] = d.worker(t, fmt.Sprint("worker ", d.started), "--procs", "2")
}

// restart kills the coordinator and starts it again.
func (d *disaster) restart(t *testing.T) {
	t.Helper()
	d.run.kill()
	d.died(t, d.dir)
	d.run = d.minimize(t)
}

// stop stops a worker that is not stopped, and continues it after some time. Nobody waits for
// that, unless all are stopped.
func (d *disaster) stop(t *testing.T) {
	t.Helper()
	var w *proc
	until(t, d.run, func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		free := slices.DeleteFunc(slices.Clone(d.workers), func(w *proc) bool { return d.stopped[w] })
		if len(free) > 0 {
			w = free[d.chance.IntN(len(free))]
			d.stopped[w] = true
		}
		return w != nil
	})
	if w == nil {
		return
	}
	_ = w.Process.Signal(syscall.SIGSTOP)
	d.stopping.Go(func() {
		select {
		case <-time.After(d.length):
		case <-d.over:
		}
		_ = w.Process.Signal(syscall.SIGCONT)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.stopped, w)
		d.continued(w)
	})
}

// Whatever goes wrong, the run comes to the same end, nothing that is recorded is handed out
// again, and only what was out is evaluated twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	type scene struct {
		name  string
		kinds []fault
		alone bool
	}
	scenes := []scene{{"together", allFaults[:4], false}, {"together", allFaults, true}}
	if *faults > 0 {
		for _, f := range allFaults[:4] {
			scenes = append(scenes, scene{f.name, []fault{f}, false}, scene{f.name, []fault{f}, true})
		}
		scenes = append(scenes, scene{allFaults[4].name, allFaults[4:], true})
	}
	if !flags.Usual() && *faults == 0 {
		scenes = scenes[1:] // it has all kinds
	}
	for i, c := range scenes {
		t.Run(fmt.Sprintf("%s, server alone %v", c.name, c.alone), func(t *testing.T) {
			t.Parallel()
			stops := slices.ContainsFunc(c.kinds, func(f fault) bool { return f.name == allFaults[1].name })
			dim, budget, times, pause, length, workers := "5", "400", 1, 2*time.Millisecond, 500*time.Millisecond, 2
			switch {
			case *faults > 0 && stops: // the run has to go on all the while
				dim, budget, times, pause, length, workers = "30", "9000", *faults, 200*time.Millisecond, 62*time.Second, 5
			case *faults > 0:
				dim, budget, times, pause = "30", "9000", *faults, 5*time.Millisecond
			}
			s := newSite(t, budget, "--exec", "BENCH", "--dim", dim, "--bounds", "-3:3")
			d, want := newDisaster(t, s, c.alone, pause, workers, uint64(i))
			d.length = length
			queries := int(want["queries"].(float64))
			d.suffer(t, c.kinds, times, queries)
			d.end(t, want)
			d.account(t, d.proxy, d.evaluated(t), queries)
			if *faults > 1 && slices.ContainsFunc(c.kinds, func(f fault) bool { return f.name == allFaults[3].name }) {
				if d.proxy.middle[0] == 0 || d.proxy.middle[1] == 0 {
					t.Error("not both directions were cut in the middle of a message")
				}
			}
			if len(c.kinds) == 1 && stops {
				goneHome(t, d.workers)
			}
		})
	}
}

// suffer lets each fault happen so often, at random moments.
func (d *disaster) suffer(t *testing.T, kinds []fault, times, queries int) {
	t.Helper()
	var moments []int // by how many evaluations there were
	for range times * len(kinds) {
		moments = append(moments, d.chance.IntN(queries))
	}
	slices.Sort(moments)
	for i, at := range moments {
		until(t, d.run, func() bool { return d.evaluated(t) >= at })
		d.strikes()
		kinds[i%len(kinds)].do(t, d)
	}
}

// end waits for the end of the run, continues everybody, and compares.
func (d *disaster) end(t *testing.T, want map[string]any) {
	t.Helper()
	select {
	case <-d.run.ended:
	case <-time.After(5 * patient): // all may be stopped, one after another
		t.Error("it does not end")
	}
	d.ended = time.Now()
	close(d.over)
	d.stopping.Wait()
	d.same(t, d.run, want)
}

// goneHome fails unless workers go home without complaint when the run is over.
func goneHome(t *testing.T, workers []*proc) {
	t.Helper()
	for _, w := range workers {
		if status := w.wait(t); status != 0 {
			t.Errorf("%s ended with status %d: %s", w.name, status, w.err.String())
		}
	}
}

// A run without workers says that it waits for them, whether they were killed or do not answer,
// and so does one that was started again. When they are continued, what they have begun is
// handed in, and they go on. By default there is only the second run, which hears of nobody.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	const waits = "there are no workers, and the run waits for them; start one with: untwist worker"
	for _, alone := range []bool{false, true} {
		if alone && *faults == 0 {
			continue
		}
		t.Run(fmt.Sprint("server alone ", alone), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "300", "--exec", "BENCH", "--dim", "4", "--bounds", "-3:3")
			d, want := newDisaster(t, s, alone, 20*time.Millisecond, 3, 1)
			until(t, d.run, func() bool { return d.evaluated(t) >= 100 })
			d.strikes()
			d.workers[0].kill()
			for _, w := range d.workers[1:] {
				_ = w.Process.Signal(syscall.SIGSTOP)
			}
			if *flags.Whole || *faults > 0 { // it is noticed late that nobody answers
				until(t, d.run, func() bool { return strings.Contains(d.run.err.String(), waits) })
				d.strikes()
			}
			d.restart(t)
			until(t, d.run, func() bool { return strings.Contains(d.run.err.String(), waits) })
			if *faults > 0 { // so long that the workers may think that nobody is there any more
				select {
				case <-time.After(62 * time.Second):
				case <-d.run.ended:
				}
			}
			for _, w := range d.workers[1:] {
				_ = w.Process.Signal(syscall.SIGCONT)
			}
			d.newWorker(t, 0)
			d.end(t, want)
			d.account(t, d.proxy, d.evaluated(t), int(want["queries"].(float64)))
			goneHome(t, d.workers[1:]) // the new one may be too late
		})
	}
}
