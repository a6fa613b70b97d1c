package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/untwist/untwist/cluster/wire"
)

// A strand cuts what comes over one direction of a connection to a NATS server into messages.
type strand struct {
	hear func(head []string, payload []byte)
	head []string // of the message whose payload comes; nil: a line comes
	rest []byte
}

// feed takes what has come.
func (w *strand) feed(data []byte) {
	w.rest = append(w.rest, data...)
	for {
		if w.head == nil {
			line, after, whole := bytes.Cut(w.rest, []byte("\r\n"))
			if !whole {
				return
			}
			w.rest = after
			head := strings.Fields(string(line))
			if len(head) < 3 || !strings.HasSuffix(head[0], "MSG") && !strings.HasSuffix(head[0], "PUB") {
				continue
			}
			w.head = head
		}
		size, _ := strconv.Atoi(w.head[len(w.head)-1])
		if len(w.rest) < size+2 {
			return
		}
		w.hear(w.head, w.rest[:size])
		w.head, w.rest = nil, w.rest[size+2:]
	}
}

// within reports whether a message has begun and not ended.
func (w *strand) within() bool { return w.head != nil || len(w.rest) > 0 }

// A tap listens to the connections of workers. It knows which chunks they were given, and
// which values they were thanked for: these are in the journal.
type tap struct {
	mu    sync.Mutex
	given []loan
	asked map[string][]int     // the queries whose values a message has, by the subject of its answer
	kept  map[int]time.Time    // when a worker was thanked for the value of a query first
	late  int                  // messages all of whose values were known
	heard map[string]time.Time // when the last values of a worker were thanked for
	by    map[string]string    // who has sent a message, by the subject of its answer
}

// A loan is a chunk that a worker was given.
type loan struct {
	first, n int
	sent     time.Time // when the coordinator put it on the queue
	at       time.Time // when the worker got it
	again    bool      // the queue had given it to somebody before
}

func newTap() *tap {
	return &tap{asked: map[string][]int{}, kept: map[int]time.Time{}, heard: map[string]time.Time{}, by: map[string]string{}}
}

// fromWorker hears what a worker says.
func (t *tap) fromWorker(head []string, payload []byte) {
	v, err := wire.DecodeValues(payload)
	if err != nil || head[0] != "PUB" || len(head) < 4 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range v.Answers {
		t.asked[head[2]] = append(t.asked[head[2]], v.First+a.Offset)
	}
	t.by[head[2]] = v.Worker
}

// toWorker hears what a worker is told.
func (t *tap) toWorker(head []string, payload []byte) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, err := wire.DecodeChunk(payload); err == nil && len(head) == 5 {
		sent, again := published(head[3])
		t.given = append(t.given, loan{c.First, c.Len(), sent, now, again})
		return
	}
	numbers, answer := t.asked[head[1]]
	var r wire.Receipt
	if !answer || json.Unmarshal(payload, &r) != nil || !r.Kept {
		return
	}
	fresh := false
	for _, q := range numbers {
		if _, known := t.kept[q]; !known {
			t.kept[q], fresh = now, true
		}
	}
	if !fresh {
		t.late++
	}
	t.heard[t.by[head[1]]] = now
	delete(t.asked, head[1])
	delete(t.by, head[1])
}

// published returns when a message was put on the queue, and whether the queue gives it to
// somebody for the second time, as the subject on which it is acknowledged says:
// $JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.SEQUENCE.TIME.PENDING, with two more words before
// the stream on some servers.
func published(subject string) (at time.Time, again bool) {
	words := strings.Split(subject, ".")
	if len(words) > 9 {
		words = words[2:]
	}
	if len(words) < 8 {
		return time.Time{}, false
	}
	nanoseconds, _ := strconv.ParseInt(words[7], 10, 64)
	return time.Unix(0, nanoseconds), words[4] != "1"
}

// heardFrom returns when the last values of a process were thanked for. The name of a worker
// has its process in it.
func (t *tap) heardFrom(pid int) (last time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, at := range t.heard {
		if strings.Contains(name, "-"+strconv.Itoa(pid)+"-") {
			last = at
		}
	}
	return last
}

// all returns what was heard so far.
func (t *tap) all() (given []loan, kept map[int]time.Time, late int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]loan(nil), t.given...), maps.Clone(t.kept), t.late
}
