package cluster

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// gated is a function of one number that waits at each point until it may go on, or its
// context ends.
type gated struct {
	began chan float64
	gate  chan struct{}
}

func newGated() *gated { return &gated{make(chan float64, 100), make(chan struct{}, 100)} }

func (g *gated) Dim() int { return 1 }
func (g *gated) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	for i := range values {
		g.began <- points.At(i, 0)
		select {
		case <-g.gate:
			values[i] = points.At(i, 0)
		case <-ctx.Done():
			return &objective.PartialError{Done: i, Spent: i, Err: context.Cause(ctx)}
		}
	}
	return nil
}

// ask asks for the values of 1, 2, …, n.
func (s *stand) ask(n int) (values []float64, done chan error) {
	values, done = make([]float64, n), make(chan error, 1)
	points := mat.NewDense(n, 1, nil)
	for i := range n {
		points.Set(i, 0, float64(i+1))
	}
	go func() { done <- s.Evaluate(context.Background(), points, values) }()
	return values, done
}

// A worker that is to end finishes what it has begun within its grace, and gives the rest
// back at once.
func TestWorkersDrain(t *testing.T) {
	t.Parallel()
	s := newStand(t, 1, nil)
	g := newGated()
	stop := s.worker("a", g, nil)
	values, done := s.ask(3)
	<-g.began
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	g.gate <- struct{}{}
	if err := <-ended; !errors.Is(err, errSent) {
		t.Errorf("it ended with %v", err)
	}
	for _, w := range s.Status().Workers {
		if w.Points != 1 || !w.Gone {
			t.Errorf("%+v; it has begun one point", w)
		}
	}
	s.worker("b", objective.Func(1, func(x []float64) float64 { return x[0] }), nil)
	if err := <-done; err != nil || values[0] != 1 || values[2] != 3 {
		t.Errorf("%v, %v", values, err)
	}
}

// Without grace, what was begun is given back, and somebody else gets it at once.
func TestWorkersGiveBack(t *testing.T) {
	s := newStand(t, 1, nil)
	g := newGated()
	stop := s.worker("a", g, func(c *WorkerConfig) { c.Grace = time.Millisecond })
	values, done := s.ask(2)
	<-g.began
	if err := stop(); !errors.Is(err, errSent) {
		t.Errorf("it ended with %v", err)
	}
	s.worker("b", objective.Func(1, func(x []float64) float64 { return x[0] }), nil)
	if err := <-done; err != nil || values[1] != 2 {
		t.Errorf("%v, %v", values, err)
	}
}

// At its walltime a worker ends without an error, and says what it has begun in vain.
func TestWalltime(t *testing.T) {
	s := newStand(t, 1, nil)
	g := newGated()
	var ended atomic.Value
	finished := make(chan struct{})
	s.wait.Go(func() {
		defer close(finished)
		if err := Work(context.Background(), WorkerConfig{
			Server: s.server.URL(), About: about, Dim: 1, Walltime: 300 * time.Millisecond, Note: s.note,
			Open: func(int) (objective.Objective, error) { return g, nil },
		}); err != nil {
			ended.Store(err)
		}
	})
	values, done := s.ask(1)
	<-finished
	if err := ended.Load(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(s.noted(), "query 1 was not done") {
		t.Errorf("nobody says that the walltime was too short: %s", s.noted())
	}
	s.worker("b", objective.Func(1, func(x []float64) float64 { return x[0] }), nil)
	if err := <-done; err != nil || values[0] != 1 {
		t.Errorf("%v, %v", values, err)
	}
}

// A worker whose server is not there waits for it, and then ends with an error; so does one
// whose server has no run.
func TestWorkersWaitForServers(t *testing.T) {
	t.Parallel()
	config := WorkerConfig{
		Server: "nats://127.0.0.1:1", About: about, Dim: 1, Wait: 100 * time.Millisecond,
		Open: func(int) (objective.Objective, error) { return objective.Func(1, ripple), nil },
	}
	if err := Work(context.Background(), config); err == nil || !strings.Contains(err.Error(), "nothing answers") {
		t.Errorf("no server: %v", err)
	}
	server, err := Listen(RunID{4}, "127.0.0.1:0", Access{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	config.Server = server.URL()
	if err := Work(context.Background(), config); !errors.Is(err, errNobody) {
		t.Errorf("no run: %v", err)
	}
}

// An error of the function ends a worker, and its chunk goes to others. If it ends three of
// them at the same query, it ends the run, as it would with one process.
func TestErrorsEndWorkers(t *testing.T) {
	s := newStand(t, 1, nil)
	f := objective.Fallible(1, func(_ context.Context, x []float64) (float64, error) {
		if x[0] == 2 {
			return 0, objective.Stop(errors.New("out of memory"))
		}
		return x[0], nil
	})
	for _, name := range []string{"a", "b", "c"} {
		s.worker(name, f, nil)
	}
	_, done := s.ask(2)
	if err := <-done; err == nil || !strings.Contains(err.Error(), "query 2 has ended 3 workers, the last with: out of memory") {
		t.Errorf("%v", err)
	}
	if !strings.Contains(s.noted(), "a has ended: out of memory") {
		t.Errorf("notes: %s", s.noted())
	}
}

// A run without workers says that it waits for them.
func TestRunsWithoutWorkersSaySo(t *testing.T) {
	t.Parallel()
	said := make(chan string, 10)
	s := newStand(t, 1, func(c *Config) {
		c.Note, c.Invite = func(line string) { said <- line }, "untwist worker …"
	})
	_, done := s.ask(1)
	if line := <-said; !strings.Contains(line, "there are no workers, and the run waits for them; start one with: untwist worker …") {
		t.Errorf("%q", line)
	}
	s.worker("a", objective.Func(1, ripple), nil)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
