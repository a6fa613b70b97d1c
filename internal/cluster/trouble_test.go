package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/acceptance/flags"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A queue that the server has lost, though the connection was there all the time, is made anew.
func TestLostQueuesAreMadeAnew(t *testing.T) {
	t.Parallel()
	s := newStand(t, 1, nil)
	_, done := s.ask(20)
	s.until(func() bool { return s.waiting() == 1+ready })
	if err := s.queue.remove(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.worker("a", objective.Func(1, ripple), func(c *WorkerConfig) { c.Procs = 4 }) // for which more is sent
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A server that has no queues at first after it was started again is asked again.
func TestQueuesThatComeLate(t *testing.T) {
	t.Parallel()
	s := newStand(t, 1, nil)
	_, done := s.ask(5)
	s.until(func() bool { return s.waiting() == 1+ready })
	queues := s.server.server.GlobalAccount()
	if err := queues.DisableJetStream(); err != nil {
		t.Fatal(err)
	}
	if err := s.nc.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return strings.Contains(s.noted(), "no JetStream") })
	if err := queues.EnableJetStream(nil, nil); err != nil {
		t.Fatal(err)
	}
	s.worker("a", objective.Func(1, ripple), nil)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// foreign starts a server that is not ours.
func foreign(t *testing.T, o server.Options) string {
	t.Helper()
	o.Host, o.Port, o.JetStream, o.StoreDir, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, t.TempDir(), true, true
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(startWithin) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// A server whose messages are too short is refused, with the line that mends it.
func TestServersOfShortMessages(t *testing.T) {
	for _, c := range []struct {
		most int32
		d    int
		fits bool
	}{{64 << 10, 1, false}, {256 << 10, 1, true}, {256 << 10, 50_000, false}, {1 << 20, 130_000, true}} {
		o, err := Coordinate(foreign(t, server.Options{MaxPayload: c.most}), Access{}, Config{Run: RunID{7}, Dim: c.d, About: about})
		if err == nil {
			o.Close()
		}
		if fits := err == nil; fits != c.fits || !fits && !strings.Contains(err.Error(), "max_payload") {
			t.Errorf("messages of %d bytes and points of %d numbers: %v", c.most, c.d, err)
		}
	}
}

// Where the server has no room for the work, the user is told.
func TestServersWithoutRoom(t *testing.T) {
	s := &stand{t: t}
	url := foreign(t, server.Options{JetStreamMaxMemory: 10_000})
	o, err := Coordinate(url, Access{}, Config{Run: RunID{8}, Dim: 5000, About: about, Note: s.note})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- o.Evaluate(context.Background(), mat.NewDense(3, 5000, nil), make([]float64, 3)) }()
	s.until(func() bool { return strings.Contains(s.noted(), "does not take all of the work") })
	o.Close()
	if err := <-done; err == nil {
		t.Error("nobody has evaluated anything, and there is no error")
	}
}

// A coordinator of another version on the same server does not keep workers from theirs.
func TestOtherVersionsBesides(t *testing.T) {
	t.Parallel()
	s := newStand(t, 1, nil)
	w := wire.Welcome{Version: wire.Version + 1, Run: RunID{9}.String(), Dim: 1}
	if _, err := s.nc.Subscribe(subjectOfAll(hello), func(m *nats.Msg) {
		for range 3 { // one of them comes first
			_ = m.Respond(w.Encode())
		}
	}); err != nil {
		t.Fatal(err)
	}
	for range flags.Usually(3, 1) {
		_, done := s.ask(1)
		ctx, cancel := context.WithCancelCause(context.Background())
		ended := make(chan error, 1)
		go func() {
			var slow *wire.BadMessageError // on a busy machine ours may be too late
			err := error(nil)
			for n := 0; n == 0 || n < 20 && errors.As(err, &slow); n++ {
				err = Work(ctx, WorkerConfig{Server: s.server.URL(), Name: "a", About: about, Dim: 1, Open: func(int) (objective.Objective, error) { return objective.Func(1, ripple), nil }})
			}
			ended <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			cancel(errSent)
			if err := <-ended; !errors.Is(err, errSent) {
				t.Fatal(err)
			}
		case err := <-ended:
			t.Fatal(err)
		}
	}
}
