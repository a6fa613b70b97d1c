package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/needs"
)

// A zone is a network namespace with one cable to where we are. Its addresses are from those
// that are kept for measurements.
type zone struct {
	name, here, there string // the namespace, and the ends of the cable
	host, guest, net  string // the addresses, and that of the network
}

// newZone makes a zone, or skips the test where nobody may.
func newZone(t *testing.T) *zone {
	t.Helper()
	needs.Root(t, "to make a network namespace")
	needs.Tools(t, "ip")
	pid := os.Getpid()
	address := func(i int) string { return fmt.Sprintf("198.18.%d.%d", pid>>6&255, pid&63<<2+i) }
	z := &zone{
		name: fmt.Sprintf("untwist-%d", pid), here: fmt.Sprintf("uth%d", pid), there: fmt.Sprintf("utt%d", pid),
		host: address(1), guest: address(2), net: address(0) + "/30",
	}
	if out, err := exec.Command("ip", "netns", "add", z.name).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "not permitted") || strings.Contains(string(out), "denied") {
			needs.NotRun(t, "a network namespace: "+strings.TrimSpace(string(out)))
		}
		t.Fatalf("%v: %s", err, out)
	}
	t.Cleanup(func() { z.ip(t, "netns", "del", z.name) }) // the cable goes with it
	z.ip(t, "link", "add", z.here, "type", "veth", "peer", "name", z.there, "netns", z.name)
	z.ip(t, "addr", "add", z.host+"/30", "dev", z.here)
	z.ip(t, "link", "set", z.here, "up")
	z.ip(t, "-n", z.name, "addr", "add", z.guest+"/30", "dev", z.there)
	z.ip(t, "-n", z.name, "link", "set", "lo", "up")
	z.ip(t, "-n", z.name, "link", "set", z.there, "up")
	return z
}

// ip changes the network.
func (z *zone) ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Errorf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// away takes the route away, or pulls the cable; back gives it back.
func (z *zone) away(t *testing.T, cable bool) {
	t.Helper()
	if cable {
		z.ip(t, "link", "set", z.here, "down")
		return
	}
	z.ip(t, "-n", z.name, "route", "del", z.net, "dev", z.there)
}

func (z *zone) back(t *testing.T, cable bool) {
	t.Helper()
	if cable {
		z.ip(t, "link", "set", z.here, "up")
		return
	}
	z.ip(t, "-n", z.name, "route", "add", z.net, "dev", z.there, "src", z.guest)
}

// Workers in a network that has no route to the coordinator for a while go on when it is there
// again, whether the connection outlives that or not. The run comes to the same end.
func TestPartitions(t *testing.T) {
	t.Parallel()
	z := newZone(t)
	// Shorter than a lease, longer, and longer than it takes a connection to be given up.
	lengths, times, dim, budget, pause := []time.Duration{time.Second}, flags.Usually(2, 1), "5", "400", 5*time.Millisecond
	if *faults > 0 {
		lengths = []time.Duration{time.Second, 4 * time.Second, 17 * time.Second, 40 * time.Second}
		times, dim, budget, pause = *faults, "30", "9000", 20*time.Millisecond
	}
	s := newSite(t, budget, "--exec", "BENCH", "--dim", dim, "--bounds", "-3:3")
	want := s.expected(t)
	program := filepath.Join(s.dir, "untwist")
	if self, err := os.Executable(); err != nil || os.Symlink(self, program) != nil {
		t.Fatal("there is no program")
	}
	if err := os.WriteFile(filepath.Join(s.dir, "secret"), []byte("a-long-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.host, s.pause, s.secret = z.host, pause, []string{"--token-file", "secret", "--insecure"}
	s.inside = []string{"ip", "netns", "exec", z.name, program}
	run := s.minimize(t)
	var workers []*proc
	for i := range 2 {
		workers = append(workers, s.worker(t, fmt.Sprint("worker ", i), "--procs", "2"))
	}
	chance := rand.New(rand.NewPCG(5, 5))
	queries := int(want["queries"].(float64))
	for i := range times {
		at := (i*queries + chance.IntN(queries)) / times
		until(t, run, func() bool { return s.evaluated(t) >= at })
		cable := i%2 == 1
		z.away(t, cable)
		select {
		case <-time.After(lengths[i/2%len(lengths)]):
		case <-run.ended:
			t.Error("the run came to its end without workers")
		}
		z.back(t, cable)
	}
	s.same(t, run, want)
	t.Logf("%d partitions: %d queries, %d evaluated again", times, queries, s.evaluated(t)-queries)
	last := lengths[(times-1)/2%len(lengths)]
	for _, w := range workers {
		switch status := w.wait(t); {
		case status == 0:
		// One may do all that is left before the other is there again, and who was silent for so long counts as gone.
		case last >= goneAfter && status == 1 && strings.Contains(w.err.String(), "the coordinator has been gone for"):
		default:
			t.Errorf("%s ended with status %d: %s", w.name, status, w.err.String())
		}
	}
}

// goneAfter is how long a coordinator waits for a silent worker ([docs/cluster.md]).
const goneAfter = 15 * time.Second
