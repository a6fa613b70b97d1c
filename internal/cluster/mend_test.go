package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
)

// waiting returns how many chunks the queue has.
func (s *stand) waiting() uint64 {
	stream, err := s.queue.js.Stream(context.Background(), streamOf(s.run))
	if err != nil {
		return 0
	}
	return stream.CachedInfo().State.Msgs
}

// until waits until something is so.
func (s *stand) until(so func() bool) {
	s.t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for late := time.After(wholeMinute); !so(); {
		select {
		case <-again.C:
		case <-late:
			s.t.Fatalf("nothing happens: %s", s.noted())
		}
	}
}

// A coordinator that was cut off from a server which has kept the queue sends everything again
// that nobody works on, and nothing twice.
func TestQueueIsMendedOnce(t *testing.T) {
	s := newStand(t, 1, nil)
	_, done := s.ask(5)
	out := uint64(1 + ready) // for the one process that may come
	s.until(func() bool { return s.waiting() == out })
	if err := s.nc.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return s.Status().Retries == int(out) })
	// The queue takes one after another: when it has this, it has all that came before.
	if _, err := s.queue.js.Publish(context.Background(), subject(s.run, work), []byte("no chunk")); err != nil {
		t.Fatal(err)
	}
	if n := s.waiting() - 1; n != out {
		t.Errorf("%d chunks are on the queue, and %d are out", n, out)
	}
	s.worker("a", objective.Func(1, ripple), nil)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A chunk that the queue gives to somebody for the second time may have been evaluated
// meanwhile. Then nobody evaluates it again.
func TestWhatComesAgainIsAskedFor(t *testing.T) {
	t.Parallel()
	s := newStand(t, 1, nil)
	_, done := s.ask(2)
	stop := s.worker("a", objective.Func(1, ripple), nil)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := stop(); !errors.Is(err, errSent) {
		t.Fatal(err)
	}
	s.until(func() bool { return s.waiting() == 0 })
	s.queue.send(&wire.Chunk{Run: s.run, First: 1, Dim: 1, Points: []float64{1, 2}})
	consumer, err := s.queue.js.Consumer(context.Background(), streamOf(s.run), workers)
	if err != nil {
		t.Fatal(err)
	}
	m, err := consumer.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Nak(); err != nil {
		t.Fatal(err)
	}
	var evaluated atomic.Int64
	s.worker("b", objective.Func(1, func([]float64) float64 { return float64(evaluated.Add(1)) }), nil)
	s.until(func() bool { return s.waiting() == 0 })
	if n := evaluated.Load(); n != 0 {
		t.Errorf("%d points were evaluated again", n)
	}
}
