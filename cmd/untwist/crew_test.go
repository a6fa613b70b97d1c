package main

import (
	"encoding/csv"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/untwist/untwist/internal/acceptance/flags"
)

// expected returns what a run prints without workers.
func (s *site) expected(t *testing.T, more ...string) map[string]any {
	t.Helper()
	p := s.start(t, "one process", slices.Concat([]string{"minimize", "--json", "--quiet", "--budget", s.budget}, s.subject, more)...)
	if status := p.wait(t); status != 0 {
		t.Fatalf("status %d: %s", status, p.err.String())
	}
	if err := os.Remove(s.log); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return timeless(t, []byte(p.out.String()))
}

// same fails unless a run has printed what is expected.
func (s *site) same(t *testing.T, run *proc, want map[string]any) {
	t.Helper()
	if status := run.wait(t); status != 0 {
		t.Fatalf("status %d: %s", status, run.err.String())
	}
	if diff := cmp.Diff(want, timeless(t, []byte(run.out.String()))); diff != "" {
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
	rows, err := csv.NewReader(strings.NewReader(p.out.String())).ReadAll()
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

// The result does not depend on who evaluates: with one worker, two and seven, and with workers
// that come and go, every strategy prints what one process prints. By default only one strategy
// has them all, and the others have two workers.
func TestSameBitsWithWorkers(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"auto", "cmaes", "cbo"} {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, "250", "--exec", "BENCH", "--dim", "3", "--bounds", "-3:3", "--seed", "5")
			want := s.expected(t, "--strategy", strategy)
			begin := func(name string) *proc {
				s.port, s.log = freePort(t), name+".log"
				s.via = s.port
				return s.minimize(t, "--strategy", strategy, "--journal", name+".journal")
			}
			var runs []*proc
			counts, guests := flags.Sample([]int{1, 2, 7}, 2), flags.Usually(5, 2)
			if !*flags.Whole && strategy != "cmaes" {
				counts, guests = []int{2}, 0
			}
			for _, n := range counts {
				runs = append(runs, begin(fmt.Sprint(n)))
				for i := range n {
					s.worker(t, fmt.Sprintf("worker %d of %d", i, n), "--procs", "1")
				}
			}
			s.pause = time.Millisecond
			if guests > 0 {
				runs = append(runs, begin(filepath.Join(s.dir, "guests")))
			}
			for i := range guests { // each goes when it has done something
				w := s.worker(t, fmt.Sprint("guest ", i), "--procs", "1")
				until(t, runs[len(runs)-1], func() bool { return s.evaluated(t) >= 40*(i+1) })
				if i < guests-1 {
					_ = w.Process.Signal(syscall.SIGTERM)
				}
			}
			for _, run := range runs {
				s.same(t, run, want)
			}
		})
	}
}

// One worker of three is wrong at a tenth of all points. It is found within 1,000 of its
// points, and gets no more work. The run goes on, lists the points that differed, and ends with
// status 1. By default it is wrong more often, more is verified, and the run is shorter: of 20 of
// its points one is found to be wrong, and it gets some 300.
func TestWrongWorkersAreFound(t *testing.T) {
	t.Parallel()
	budget, pause, verify, share := 1000, 2*time.Millisecond, "0.2", "0.25"
	switch {
	case *flags.Whole:
		budget, pause, verify, share = 3000, time.Millisecond, "0.1", "0.1"
	case !flags.Usual(): // of 8 of its points one is found to be wrong
		budget, verify = 500, "0.5"
	}
	s := newSite(t, strconv.Itoa(budget), "--exec", "BENCH", "--dim", "20", "--bounds", "-3:3")
	s.pause = pause
	run := s.minimize(t, "--verify", verify)
	all := s.log
	for i := range 2 {
		s.worker(t, fmt.Sprint("worker ", i), "--procs", "1")
	}
	s.log, s.wrong = s.log+".wrong", share
	wrong := s.worker(t, "the wrong one", "--procs", "1")
	if status := run.wait(t); status != 1 {
		t.Errorf("the run ended with status %d", status)
	}
	result := timeless(t, []byte(run.out.String()))
	if int(result["queries"].(float64)) < budget/3 {
		t.Errorf("it did not go on: %v", result)
	}
	if status := wrong.wait(t); status != 1 || !strings.Contains(wrong.err.String(), "the coordinator gives this worker no work: its value of query") {
		t.Errorf("the wrong one ended with status %d: %s", status, wrong.err.String())
	}
	if points := s.evaluated(t); points > budget/3 {
		t.Errorf("it was found after %d points", points)
	} else {
		t.Logf("%v queries; found after %d points of its own", result["queries"], points)
	}
	name := fmt.Sprintf("-%d-", wrong.Process.Pid)
	said := run.err.String()
	for _, want := range []string{name + `\w+ gets no more work: its value of query \d+ is not that of two others`,
		`query \d+: .*` + name + `\w+ is wrong`, `workers had different values for \d+ points?; the first that came were used`} {
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("no %q in:\n%s", want, said)
		}
	}
	s.log = all
	if s.evaluated(t) == 0 {
		t.Error("the others have done nothing")
	}
}

// A coordinator that goes on with a journal knows a query of it that has succeeded, if there is
// one and the journal has its point.
func TestSucceeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fails, points string
		found         bool
	}{{"0.5", "true", true}, {"0.5", "false", false}, {"0.999999", "true", false}} {
		s := newSite(t, "30", "--problem", "rastrigin", "--dim", "2", "--failing", c.fails, "--keep-going")
		run := s.start(t, "one process", slices.Concat([]string{"minimize", "--quiet", "--budget", "30", "--journal", "run.journal", "--journal-points=" + c.points}, s.subject)...)
		run.wait(t)
		found, err := succeeded(filepath.Join(s.dir, "run.journal"))
		if err != nil || (found != nil) != c.found || c.found && (found.Query < 1 || len(found.Point) != 2 || !(found.Value < 1e6)) {
			t.Errorf("%+v: %+v, %v; %s", c, found, err, run.err.String())
		}
	}
}
