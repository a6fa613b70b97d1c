package cluster

import (
	"testing"
	"time"
)

// A frozenClock shows what it is set to.
type frozenClock struct {
	clock
	time time.Time
}

func (c *frozenClock) now() time.Time { return c.time }

// A worker ends when the coordinator has not answered for so long as it waits. Time in which it
// was stopped itself, and could not ask, does not count.
func TestStoppedWorkersDoNotGiveUp(t *testing.T) {
	c := &frozenClock{time: time.Unix(1e9, 0)}
	ended := false
	end := func(error) { ended = true }
	w := &worker{WorkerConfig: WorkerConfig{Wait: time.Minute, Note: func(string) {}, clock: c}, last: end, over: end}
	w.present()
	c.time = c.time.Add(time.Hour)
	if w.absent() || ended {
		t.Fatal("it was stopped for an hour, and gives up when it asks for the first time")
	}
	for range 12 {
		if w.absent() {
			t.Fatal("it gives up before a minute is over")
		}
		c.time = c.time.Add(beat)
	}
	if !w.absent() || !ended {
		t.Error("it goes on although nobody has answered for a minute")
	}
}
