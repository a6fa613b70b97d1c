package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var faults = flag.Int("faults", 0, "so many faults of each kind in runs with workers, at d = 30")

// alone returns what a run prints without workers.
func (s *site) expected(t *testing.T) map[string]any {
	t.Helper()
	p := s.start(t, "one process", append([]string{"minimize", "--json", "--quiet", "--budget", s.budget}, s.subject...)...)
	if status := p.wait(t); status != 0 {
		t.Fatalf("status %d: %s", status, p.err.String())
	}
	if err := os.Remove(s.log); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return timeless(t, p.out.Bytes())
}

// same fails unless a run has printed what is expected.
func (s *site) same(t *testing.T, run *proc, want map[string]any) {
	t.Helper()
	if status := run.wait(t); status != 0 {
		t.Fatalf("status %d: %s", status, run.err.String())
	}
	if diff := cmp.Diff(want, timeless(t, run.out.Bytes())); diff != "" {
		t.Errorf("without workers (-) and with (+):\n%s", diff)
	}
}

// Two terminals: a run and its workers, with a server of its own or with one that is there,
// print what one process prints. Workers go when the run is over, and the journal names them.
func TestRunsWithWorkers(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{false, true} {
		t.Run(fmt.Sprint("server alone ", alone), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "300", "--exec", "BENCH", "--dim", "4", "--bounds", "-3:3")
			want := s.expected(t)
			if s.alone = alone; alone {
				s.nats(t)
			}
			var workers []*proc
			for i := range 2 {
				workers = append(workers, s.worker(t, fmt.Sprint("worker ", i), "--procs", "2"))
			}
			until(t, workers[0], s.listening(alone))
			s.same(t, s.minimize(t), want)
			for _, w := range workers {
				if status := w.wait(t); status != 0 {
					t.Errorf("a worker ended with status %d: %s", status, w.err.String())
				}
			}
			s.named(t)
		})
	}
}

// listening returns a function that says whether a server listens, if there is to be one.
func (s *site) listening(alone bool) func() bool {
	return func() bool {
		if !alone {
			return true
		}
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
		if err == nil {
			c.Close()
		}
		return err == nil
	}
}

// named fails unless the journal's CSV names a worker for each query.
func (s *site) named(t *testing.T) {
	t.Helper()
	p := s.start(t, "journal", "journal", "run.journal", "--csv")
	if status := p.wait(t); status != 0 {
		t.Fatalf("status %d: %s", status, p.err.String())
	}
	rows, err := csv.NewReader(&p.out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	by := slices.Index(rows[0], "by")
	if by < 0 {
		t.Fatalf("no column by: %v", rows[0])
	}
	host, _ := os.Hostname()
	for _, row := range rows[1:] {
		if !strings.HasPrefix(row[by], host[:1]) {
			t.Fatalf("%q has evaluated %v", row[by], row)
		}
	}
}

// A fault is something that goes wrong at a site.
type fault struct {
	name string
	do   func(t *testing.T, s *disaster)
}

// A disaster is a run with workers in which things go wrong.
type disaster struct {
	*site
	run     *proc
	workers []*proc
	server  *proc
	proxy   *proxy
	chance  *rand.Rand
	stopped time.Duration // for how long a worker is stopped
	count   int
}

var allFaults = []fault{
	{"a worker is killed", func(t *testing.T, d *disaster) {
		i := d.chance.IntN(len(d.workers))
		d.workers[i].kill()
		d.newWorker(t, i)
	}},
	{"a worker is stopped", func(t *testing.T, d *disaster) {
		w := d.workers[d.chance.IntN(len(d.workers))]
		_ = w.Process.Signal(syscall.SIGSTOP)
		select {
		case <-time.After(d.stopped):
		case <-d.run.ended:
		}
		_ = w.Process.Signal(syscall.SIGCONT)
	}},
	{"the coordinator is killed", func(t *testing.T, d *disaster) {
		d.run.kill()
		d.run = d.minimize(t)
	}},
	{"connections are cut", func(t *testing.T, d *disaster) { d.proxy.cut() }},
	{"the server is killed", func(t *testing.T, d *disaster) {
		d.server.kill()
		d.server = d.nats(t)
	}},
}

// newWorker starts a worker in the place of another.
func (d *disaster) newWorker(t *testing.T, i int) {
	t.Helper()
	d.count++
	d.workers[i] = d.worker(t, fmt.Sprint("worker ", d.count), "--procs", "2")
}

// Whatever goes wrong, the run comes to the same end, and hardly anything is evaluated twice.
func TestFaults(t *testing.T) {
	t.Parallel()
	dim, budget, times, pause, stopped := "5", "400", 1, 2*time.Millisecond, 500*time.Millisecond
	if *faults > 0 {
		dim, budget, times, stopped = "30", "9000", *faults, time.Minute
	}
	cases := map[string][]fault{"together": allFaults, "together, with a server of its own": allFaults[:4]}
	for _, f := range allFaults {
		cases[f.name] = []fault{f}
	}
	for name, kinds := range cases {
		if *faults == 0 && len(kinds) == 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if *faults == 0 {
				t.Parallel()
			}
			s := newSite(t, budget, "--exec", "BENCH", "--dim", dim, "--bounds", "-3:3")
			want := s.expected(t)
			s.pause, s.alone = pause, len(kinds) != len(allFaults)-1
			d := &disaster{site: s, chance: rand.New(rand.NewPCG(uint64(len(name)), 7)), stopped: stopped, workers: make([]*proc, 2)}
			d.proxy = newProxy(t, s.port)
			s.via = d.proxy.listener.Addr().(*net.TCPAddr).Port
			if s.alone {
				d.server = s.nats(t)
				until(t, d.server, s.listening(true))
			}
			for i := range d.workers {
				d.newWorker(t, i)
			}
			d.run = s.minimize(t)
			d.suffer(t, kinds, times, int(want["queries"].(float64)))
			s.same(t, d.run, want)
			d.count = times * len(kinds)
			d.repeats(t, int(want["queries"].(float64)))
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
		kinds[i%len(kinds)].do(t, d)
	}
}

// evaluated returns how many points the log has.
func (d *disaster) evaluated(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile(d.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

// repeats fails if more was evaluated twice than the chunks that were out at the faults.
func (d *disaster) repeats(t *testing.T, queries int) {
	t.Helper()
	const out = 2 * 4 * 64 // two chunks for each of four processes, each a sixteenth of a piece of 1,024
	again := d.evaluated(t) - queries
	t.Logf("%d queries, %d evaluated again after %d faults", queries, again, d.count)
	if again > out*(d.count+1) {
		t.Errorf("%d of %d points were evaluated again", again, queries)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "run.journal")); err != nil {
		t.Error(err)
	}
}
