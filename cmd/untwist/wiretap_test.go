package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
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

// A tap listens to the connections of workers, and to that of a coordinator whose server is a
// process of its own. It knows which chunks were sent and given to workers, and which values
// these were thanked for: they are in the journal.
type tap struct {
	mu    sync.Mutex
	sent  []loan // at is when the coordinator said so
	given []loan
	asked map[string][]int     // the queries whose values a message has, by the subject of its answer
	kept  map[int]time.Time    // when a worker was thanked for the value of a query first
	late  int                  // messages all of whose values were known
	heard map[string]time.Time // when the last values of a worker were thanked for
	by    map[string]string    // who has sent a message, by the subject of its answer
}

// A loan is a chunk that was sent, or given to a worker.
type loan struct {
	first, n int
	sent     time.Time // when it came to the queue
	at       time.Time // when this was
	again    bool      // the queue had given it to somebody before
	known    int       // so many of its values were recorded when it was sent
}

func newTap() *tap {
	return &tap{asked: map[string][]int{}, kept: map[int]time.Time{}, heard: map[string]time.Time{}, by: map[string]string{}}
}

// fromClient hears what a worker or a coordinator says.
func (t *tap) fromClient(head []string, payload []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, err := wire.DecodeChunk(payload); err == nil {
		known := 0
		for q := c.First; q < c.First+c.Len(); q++ {
			if _, kept := t.kept[q]; kept {
				known++
			}
		}
		now := time.Now()
		t.sent = append(t.sent, loan{first: c.First, n: c.Len(), sent: now, at: now, known: known})
		return
	}
	v, err := wire.DecodeValues(payload)
	if err != nil || len(head) < 4 {
		return
	}
	for _, a := range v.Answers {
		t.asked[head[2]] = append(t.asked[head[2]], v.First+a.Offset)
	}
	t.by[head[2]] = v.Worker
}

// toClient hears what a worker is told.
func (t *tap) toClient(head []string, payload []byte) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, err := wire.DecodeChunk(payload); err == nil && len(head) == 5 {
		sent, again := published(head[3])
		t.given = append(t.given, loan{first: c.First, n: c.Len(), sent: sent, at: now, again: again})
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
func (t *tap) all() (sent, given []loan, kept map[int]time.Time, late int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.sent), slices.Clone(t.given), maps.Clone(t.kept), t.late
}
