package cluster

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/cluster/wire"
)

// A racingClock is at noon, and a quarter of a beat later whenever it is asked.
type racingClock struct {
	wallClock
	asked atomic.Int64
}

func (c *racingClock) now() time.Time {
	return time.Unix(1e9, 0).Add(time.Duration(c.asked.Add(1)) * beat / 4)
}

// guest connects a worker of our own, which says hello.
func guest(t *testing.T, s *stand, name string) (nc *nats.Conn, says func(leaving bool)) {
	t.Helper()
	nc, err := link{s.server.URL(), Access{}}.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, func(leaving bool) {
		h := wire.Hello{Version: wire.Version, Worker: name, Procs: 1, Digest: wire.DigestOf(about), Leaving: leaving}
		_, _ = nc.Request(subject(s.run, hello), h.Encode(), time.Second) // at the end nobody may answer
	}
}

// The end of a run is told until all workers have left: the first time may be just when a
// worker's connection is lost.
func TestTheEndIsToldAgain(t *testing.T) {
	s := newStand(t, 2, nil)
	nc, says := guest(t, s, "deaf")
	ends := make(chan struct{}, 1000)
	if _, err := nc.Subscribe(subject(s.run, end), func(*nats.Msg) { ends <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	says(false)
	if s.Status().Present() != 1 {
		t.Fatal("nobody is here")
	}
	over := make(chan struct{})
	go func() { s.Done(); close(over) }()
	for range 3 {
		<-ends
	}
	select {
	case <-over:
		t.Fatal("the coordinator went before the worker")
	default:
	}
	says(true)
	<-over
}

// A worker that never leaves, silent or not, is not waited for longer than it takes to count
// as gone.
func TestTheEndComes(t *testing.T) {
	for _, silent := range []bool{true, false} {
		s := newStand(t, 2, func(c *Config) { c.clock = &racingClock{} })
		nc, says := guest(t, s, "stubborn")
		if _, err := nc.Subscribe(subject(s.run, end), func(*nats.Msg) {
			if !silent {
				says(false)
			}
		}); err != nil {
			t.Fatal(err)
		}
		says(false)
		s.Done()
	}
}
