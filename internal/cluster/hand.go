package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
)

const (
	// pullFor is how long a process waits for work before it asks again. So long may the
	// server go on to send work to a worker that is no more.
	pullFor = time.Second
	// passOn is how long a chunk that is for others is left to them at first, and
	// passOnMost at most.
	passOn     = 50 * time.Millisecond
	passOnMost = time.Second
	// mostHanding is of how many chunks a process may hand in the values while it
	// evaluates another.
	mostHanding = 2
)

// A task is a chunk that a worker works on.
type task struct {
	chunk   *wire.Chunk
	message jetstream.Msg
	cancel  context.CancelCauseFunc
	answers []wire.Answer // those that are known, in any order
}

// hand takes chunks, one after another, and evaluates them. While values are handed in, the
// next chunk is evaluated.
func (w *worker) hand(proc int) {
	f, err := w.Open(proc)
	if err != nil {
		w.fail(err, 0)
		return
	}
	defer w.closeObjective(f)
	guarded := query.NewGuard(f)
	guarded.Timed = true
	handing := make(chan struct{}, mostHanding)
	for w.drain.Err() == nil {
		if t := w.pull(); t != nil {
			w.do(t, guarded, handing)
		}
	}
	for range mostHanding { // those that are still being handed in
		handing <- struct{}{}
	}
}

// pull waits for a chunk; nil: there is none, or it is not for us. It waits to the end: if it
// went away before, the server might send it a chunk, and nobody else would get that for 15
// seconds.
func (w *worker) pull() *task {
	m, err := w.consumer.Next(jetstream.FetchMaxWait(pullFor)) // and a second more for what is under way
	if err != nil {
		if !errors.Is(err, nats.ErrTimeout) {
			w.rest(w.drain, reconnect) // the server is away
		}
		return nil
	}
	if w.drain.Err() != nil {
		_ = m.Nak()
		return nil
	}
	c, err := wire.DecodeChunk(m.Data())
	switch {
	case err == nil && (c.Run != w.run || c.Dim != w.Dim):
		err = &wire.BadMessageError{Reason: fmt.Sprintf("points of %d numbers of the run %v", c.Dim, c.Run)}
	case err == nil && c.Skips(w.Name):
		pass(m)
		return nil
	}
	if err != nil {
		_ = m.Term()
		w.Note(err.Error())
		return nil
	}
	if w.tooLong(c) {
		_ = m.Nak()
		w.last(errWalltime)
		return nil
	}
	return &task{chunk: c, message: m}
}

// pass leaves a chunk to others, for longer the more often it was taken in vain. The worker
// itself goes on at once: such chunks come first, and must not keep it from others.
func pass(m jetstream.Msg) {
	delay := passOnMost
	if about, err := m.Metadata(); err == nil && about.NumDelivered < 5 {
		delay = passOn << about.NumDelivered
	}
	_ = m.NakWithDelay(min(delay, passOnMost))
}

// do evaluates a chunk. It has its values handed in, and does not wait for that.
func (w *worker) do(t *task, f objective.Objective, handing chan struct{}) {
	ctx, cancel := context.WithCancelCause(w.hard)
	t.cancel = cancel
	w.mu.Lock()
	w.working[t] = true
	w.mu.Unlock()
	keeping, stop := context.WithCancel(context.Background())
	var kept sync.WaitGroup
	kept.Go(func() { w.atBeats(keeping.Done(), func() { _ = t.message.InProgress() }) }) // somebody works on it
	if about, err := t.message.Metadata(); err == nil && about.NumDelivered > 1 {
		w.greet() // somebody may have evaluated it meanwhile
	}
	err := w.evaluate(ctx, t, f)
	if err != nil && ctx.Err() == nil {
		at := min(len(t.answers), t.chunk.Len()-1)
		w.fail(err, t.chunk.First+at, t.chunk.Point(at)...) // nothing more is taken
	}
	if errors.Is(context.Cause(ctx), errWalltime) && len(t.answers) == 0 {
		w.Note(fmt.Sprintf("the walltime of %v is spent, and query %d was not done: it is given back", w.Walltime, t.chunk.First))
	}
	handing <- struct{}{}
	go func() {
		needless := errors.Is(context.Cause(ctx), errNeedless)
		handed := needless || w.handIn(t)
		stop()
		kept.Wait()
		if needless || handed && len(t.answers) > 0 {
			_ = t.message.Ack() // the coordinator sends what is missing
		} else {
			_ = t.message.Nak() // others will do it
		}
		cancel(nil)
		w.mu.Lock()
		delete(w.working, t)
		w.mu.Unlock()
		<-handing
	}()
}

// evaluate evaluates a chunk. What is known when an error ends it is kept.
func (w *worker) evaluate(ctx context.Context, t *task, f objective.Objective) error {
	c := t.chunk
	n := c.Len()
	told := make(chan wire.Answer, n)
	began := w.clock.now()
	checks := make([]uint32, n)
	for i := range checks {
		checks[i] = wire.CheckOf(c.Point(i))
	}
	err := query.Each(query.WithNumbers(ctx, func(i int) int { return c.First + i }), f, c.Matrix(), make([]float64, n),
		func(i int, a objective.Answer) { told <- wire.Answer{Offset: i, Check: checks[i], Answer: a} })
	close(told)
	for a := range told {
		t.answers = append(t.answers, a)
	}
	slices.SortFunc(t.answers, func(a, b wire.Answer) int { return a.Offset - b.Offset })
	each := w.clock.now().Sub(began).Seconds() / float64(max(len(t.answers), 1))
	for i := range t.answers {
		if a := &t.answers[i]; !(a.Seconds > 0) {
			a.Seconds = each
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slowest = max(w.slowest, each)
	return err
}

// tooLong reports whether a chunk would take longer than the worker may work.
func (w *worker) tooLong(c *wire.Chunk) bool {
	if w.Walltime == 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	need := time.Duration(w.slowest * float64(c.Len()) * float64(time.Second))
	return w.clock.now().Add(need).After(w.until)
}

// handIn sends values until the coordinator says that it has them. It reports whether it has.
func (w *worker) handIn(t *task) bool {
	if len(t.answers) == 0 {
		return true
	}
	v := wire.Values{Run: w.run, Worker: w.Name, First: t.chunk.First, Answers: t.answers}
	message := v.Encode()
	for {
		m, err := w.nc.Request(subject(w.run, values), message, answerWithin)
		var r wire.Receipt
		if err == nil {
			r, err = wire.DecodeReceipt(m.Data)
		}
		switch {
		case err == nil && r.Refused != "":
			w.fail(fmt.Errorf("%w: %s", ErrRefused, r.Refused), 0)
			return false
		case err == nil && r.Kept:
			w.present()
			return true
		case err == nil:
			w.greet() // it may not know us yet
		case w.absent():
			return false
		}
		if w.hard.Err() != nil { // there is no time left
			return false
		}
		w.rest(context.Background(), retryAfter)
	}
}
