package program

import (
	"context"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/guardian"
)

// newKept returns the slot of this number, counted from 1, for a kept program: Lines, with
// or without EOF, JSON or Binary. The slots of a run share what they learn of the program.
func newKept(c *Config, g starter, number int, f *folders, e *experience) slot {
	b := base{config: c, starter: g, number: number, folders: f, experience: e, dialect: lines{shapeOf(*c), c.Space}, patience: ordinary}
	switch c.Protocol {
	case JSON:
		speaks := newJSONLines(c.Names)
		speaks.shape, speaks.space = shapeOf(*c), c.Space
		b.dialect = speaks
	case Binary:
		b.dialect = binaries{c.Timeout, shapeOf(*c)}
	}
	if c.EOF {
		return &whole{base: b}
	}
	return &kept{base: b}
}

// A kept is a slot whose program is kept running.
//
// Which point has ended a program is found by asking the suspects one by one: a point has
// failed if it was the only one that its process was ever asked. The end of a process that
// has answered other points before proves nothing, since programs run out of memory.
//
// Answers without an id are believed when all points that were sent have one. Otherwise a
// program that leaves out a line would shift all answers after it, and nobody would know.
type kept struct {
	base
	child  *child // nil: none is running
	stderr *tail  // of the child, also after its end

	waiting  []job  // taken off the queue, not sent
	suspects []job  // to be sent alone
	sent     []job  // without an answer, in the order in which they were sent
	held     []held // answers that are not believed yet
	probing  bool   // what was sent is a suspect
	asked    int    // how many points the child was sent

	text    []byte // that is being written
	ends    []int  // of the points in text
	writing bool
	deaf    bool // the child does not read any more
	unread  int  // how many of the last points in sent it has not read

	heard   []byte  // output that is no whole reply
	mute    bool    // the child has not written anything
	replies []reply // in a chunk
	pace    pace
	ids     ids // that the child has answered
	vouching
	noted bool      // that the program is silent
	since time.Time // when the last answer came, or a point was sent to a child without work
	began time.Time // when a point was sent to a child without work
}

// A held is a job with an answer that is not believed yet.
type held struct {
	job     job
	reply   reply
	seconds float64
}

// serve answers the jobs of a queue.
func (k *kept) serve(ctx context.Context, q *queue) error {
	err := k.talk(ctx, q)
	if err != nil {
		if void := k.dismiss(); void != nil {
			err = void
		}
		k.waiting, k.suspects = nil, nil
		k.sent = nil
		k.held = nil
	}
	return err
}

// drop ends the child, if there is one.
func (k *kept) drop() {
	if k.child != nil {
		k.child.end(k.patience.grace)
		k.forget()
	}
}

// finish waits for the end of a child that has closed its output.
func (k *kept) finish() (state guardian.State, ours bool) {
	defer k.forget()
	return k.child.finish(k.patience.leave, k.patience.grace)
}

func (k *kept) forget() { k.child, k.writing, k.deaf = nil, false, false }

func (k *kept) talk(ctx context.Context, q *queue) error {
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for {
		if k.deaf && len(k.sent) <= k.unread { // there is nothing left that it could answer
			if err := k.died(ctx, q); err != nil {
				return err
			}
		}
		if err := k.overhear(); err != nil {
			return err
		}
		if err := k.listen(ctx); err != nil {
			return err
		}
		if err := k.send(ctx, q); err != nil {
			return err
		}
		switch {
		case len(k.sent) > 0 || k.writing:
			if err := k.wait(ctx, q, alarm); err != nil {
				return err
			}
		case len(k.waiting)+len(k.suspects) == 0:
			return nil
		}
	}
}

// overhear notices what a child without work has written, and that it has ended.
func (k *kept) overhear() error {
	if k.child == nil || len(k.sent) > 0 {
		return nil
	}
	select {
	case c, ok := <-k.child.chunks:
		if !ok {
			return k.left()
		}
		k.heard = append(k.heard, c.data...)
	default:
	}
	return k.surplus(k.heard)
}

// window is how many points may be without an answer.
func (k *kept) window() int {
	if k.pace.answers == 0 || !k.experience.answered.Load() {
		return 1
	}
	return k.dialect.window(k.pace.mean())
}

// next returns the jobs to send now.
func (k *kept) next(q *queue) []job {
	k.probing = k.probing && len(k.sent) > 0
	switch {
	case k.probing || k.writing || k.deaf:
		return nil
	case len(k.suspects) > 0:
		if len(k.sent) > 0 {
			return nil
		}
		return k.suspects[:1]
	}
	room := k.window() - len(k.sent)
	few := 2*len(k.sent) <= k.window()
	if k.dialect.counted() {
		few = len(k.sent) == 0
	}
	if len(k.waiting) == 0 && few && room > 0 {
		k.waiting = q.take(room)
	}
	return k.waiting[:max(min(len(k.waiting), room), 0)]
}

// send hands points to the writer, if it has nothing to do and there are some.
func (k *kept) send(ctx context.Context, q *queue) error {
	jobs := k.next(q)
	if len(jobs) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if k.child == nil {
		child, err := k.start(ctx, &jobs[0])
		if child == nil {
			return err
		}
		k.child, k.stderr, k.asked, k.heard, k.mute = child, child.said, 0, k.heard[:0], true
		k.unread, k.ids = 0, ids{}
		k.started()
	}
	if len(k.sent) == 0 {
		k.since = time.Now()
		k.began = k.since
	}
	k.text, k.ends = k.text[:0], k.ends[:0]
	n := 0
	for n < len(jobs) && len(k.text) < mostRead {
		var m int
		k.text, m = k.dialect.encode(k.text, jobs[n:])
		for range m {
			k.ends = append(k.ends, len(k.text))
		}
		n += m
	}
	k.sent = append(k.sent, jobs[:n]...)
	k.asked += n
	if len(k.suspects) > 0 {
		k.suspects, k.probing = slices.Delete(k.suspects, 0, 1), true
	} else {
		k.waiting = k.waiting[n:]
	}
	k.writing = true
	k.child.ink <- k.text
	return nil
}

// wait waits for something to happen.
func (k *kept) wait(ctx context.Context, q *queue, alarm *time.Timer) error {
	var late <-chan time.Time
	if d, ok := k.limit(); ok {
		alarm.Reset(d)
		late = alarm.C
	}
	select {
	case c, ok := <-k.child.chunks:
		if !ok {
			return k.died(ctx, q)
		}
		return k.hear(ctx, q, c)
	case w := <-k.child.written:
		k.writing = false
		if w.err != nil { // it may have answered before it stopped reading
			k.deaf = true
			k.unread = len(k.ends) - countUpTo(k.ends, w.n)
		}
		return nil
	case <-late:
		return k.late(ctx, q)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// countUpTo is how many ends are at most n.
func countUpTo(ends []int, n int) int {
	i, _ := slices.BinarySearch(ends, n+1)
	return i
}
