package program

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/guardian"
)

// If we are stopped for a while (Ctrl-Z), the time of a point is over when we go on, but
// its answer may be there. Then it counts.

func TestACallThatHasEndedIsNotLate(t *testing.T) {
	ring := make(chan time.Time)
	close(ring)
	c := caller{recipe: &recipe{Config: Config{Timeout: time.Second}, clock: func(time.Duration) (<-chan time.Time, func() bool) {
		return ring, func() bool { return true }
	}}}
	command := as(t, "speaker")
	for range 10 { // both are there, and either can be seen first
		p, err := sharedGuardian(t).Run(guardian.Command{Path: command[0], Args: command, Env: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		<-p.Exited()
		if late, err := c.wait(t.Context(), p); late || err != nil {
			t.Fatalf("late %v, %v", late, err)
		}
	}
}

func TestAnAnswerOnItsWayIsNotLate(t *testing.T) {
	h := newHearing(lines{}, 1)
	h.config.Timeout, h.patience.look = 1, time.Minute
	h.child = &child{chunks: make(chan chunk)}
	go func() { h.child.chunks <- chunk{data: []byte("2\n")} }()
	if err := h.late(t.Context(), h.queue); err != nil || h.told[1].Value != 2 || h.told[1].Failure != nil {
		t.Errorf("%v, %v", h.told, err)
	}
}

func TestASessionThatHasEndedIsNotLate(t *testing.T) {
	c := speaker(t, Lines, 3, "-end")
	c.Dir = filepath.Dir(c.Exec[0])
	b := base{config: &c, starter: sharedGuardian(t), number: 1, folders: &folders{}, experience: &experience{}, dialect: lines{}, patience: short}
	points := scattered(5, 3)
	var jobs []job
	for i := range 5 {
		jobs = append(jobs, job{index: i, query: i + 1, point: points.RawRowView(i)})
	}
	child, err := b.start(t.Context(), &jobs[0])
	if err != nil {
		t.Fatal(err)
	}
	s := session{base: &b, child: child, jobs: jobs, late: true}
	if _, err := s.run(t.Context()); err != nil || len(s.replies) != 5 {
		t.Fatalf("%v, %v", s.replies, err)
	}
	for i, r := range s.replies {
		if want := f(jobs[i].point); r.failure != nil || r.value != want {
			t.Errorf("point %d is %v (%v), want %v", i+1, r.value, r.failure, want)
		}
	}
}
