package cluster

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/needs"
	_ "github.com/untwist/untwist/internal/seeded"
	"github.com/untwist/untwist/objective"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	needs.Parallel(24)
	goleak.VerifyTestMain(m)
}

// about is what the functions of these tests are about.
var about = []byte(`{"Objective":"a test"}`)

// ripple is a function with many minima. It fails in a corner, unless it has one number only.
func ripple(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v*v - math.Cos(7*v)
	}
	if len(x) > 1 && x[0] > 0.9 && x[len(x)-1] > 0.9 {
		return math.NaN()
	}
	return sum
}

// A stand is a server with a coordinator, and workers that come and go.
type stand struct {
	t *testing.T
	*Coordinator
	server *Server
	run    RunID
	wait   sync.WaitGroup

	mu    sync.Mutex
	notes []string
}

// newStand begins a run of points of d numbers.
func newStand(t *testing.T, d int, change func(*Config)) *stand {
	t.Helper()
	s := &stand{t: t, run: RunID{1, 2, 3}}
	server, err := Listen(s.run, "127.0.0.1:0", Access{})
	if err != nil {
		t.Fatal(err)
	}
	s.server = server
	c := Config{Run: s.run, Dim: d, About: about, Name: "test", Note: s.note}
	if change != nil {
		change(&c)
	}
	if s.Coordinator, err = server.Coordinate(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.noted())
		}
		s.Done()
		s.wait.Wait()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stand) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, line)
}

// noted returns what the coordinator has said so far.
func (s *stand) noted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.notes)
}

// worker starts a worker that evaluates f. stop ends it, and returns its error.
func (s *stand) worker(name string, f objective.Objective, change func(*WorkerConfig)) (stop func() error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := WorkerConfig{
		Server: s.server.URL(), Name: name, About: about, Dim: s.Dim(), Grace: wholeMinute, Note: s.note,
		Wait: 20 * time.Second, // one that comes when the run ends does not hear of that
		Open: func(int) (objective.Objective, error) { return f, nil },
	}
	if change != nil {
		change(&c)
	}
	done := make(chan error, 1)
	s.wait.Go(func() { done <- Work(ctx, c) })
	return func() error {
		cancel(errSent)
		err := <-done
		done <- err
		return err
	}
}

const wholeMinute = defaultWait

var errSent = fmt.Errorf("sent home")
