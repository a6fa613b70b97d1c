package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/internal/words"
)

// arrive connects the worker and finds the run that it works for. While there is no server or
// no coordinator, it waits.
func (w *worker) arrive() (err error) {
	l := link{w.Server, w.Access}
	began, said := w.clock.now(), false
	for {
		if w.nc == nil {
			w.nc, err = l.connect()
		}
		if w.nc != nil {
			if err = w.join(); err == nil {
				return nil
			}
		}
		if hopeless(err) || w.drain.Err() != nil || w.clock.now().Sub(began) >= w.Wait {
			if w.nc != nil {
				w.nc.Close()
			}
			switch {
			case w.drain.Err() != nil:
				err = context.Cause(w.drain)
			case !hopeless(err):
				err = fmt.Errorf("%w; gave up after %v (--wait)", err, w.Wait)
			}
			return err
		}
		if !said {
			w.Note(fmt.Sprintf("%v; waiting for up to %v", err, w.Wait))
			said = true
		}
		w.rest(w.drain, reconnect)
	}
}

// hopeless reports whether it is of no use to try again.
func hopeless(err error) bool {
	var connect *ConnectError
	var message *wire.BadMessageError
	return errors.As(err, &connect) && connect.Fatal || errors.As(err, &message) || errors.Is(err, ErrRefused)
}

func (w *worker) rest(ctx context.Context, d time.Duration) {
	timeout, stop := w.clock.after(d)
	defer stop()
	select {
	case <-timeout:
	case <-ctx.Done():
	}
}

// errNobody says that the server is there, and no coordinator.
var errNobody = errors.New("there is no coordinator on the server")

// join says hello to all coordinators on the server and takes the first that has work.
func (w *worker) join() error {
	inbox := w.nc.NewInbox()
	answers, err := w.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer answers.Unsubscribe()
	if err := w.nc.PublishRequest(subjectOfAll(hello), inbox, w.hello().Encode()); err != nil {
		return err
	}
	refusal := errNobody
	for patience := answerWithin; ; patience = answersWithin {
		m, err := answers.NextMsg(patience)
		if err != nil {
			if errors.Is(w.nc.LastError(), nats.ErrPermissionViolation) {
				return &ConnectError{w.Server, "the server does not allow what a worker needs (docs/cluster.md has the configuration): " + wire.Line(w.nc.LastError().Error(), 200), true}
			}
			return refusal
		}
		welcome, run, err := wire.DecodeWelcome(m.Data)
		if err != nil { // of another version perhaps; there may be others
			refusal = err
			continue
		}
		if welcome.Explain {
			if welcome, err = w.explain(run); err != nil {
				return err
			}
		}
		switch {
		case welcome.Explain:
			refusal = fmt.Errorf("%w: it asks again and again what we evaluate", ErrRefused)
		case welcome.Refused != "":
			refusal = fmt.Errorf("%w: %s", ErrRefused, welcome.Refused)
		case welcome.Dim != w.Dim:
			refusal = fmt.Errorf("%w: the run's points have %d numbers, and ours %d", ErrRefused, welcome.Dim, w.Dim)
		default:
			return w.enter(run)
		}
	}
}

// explain tells a coordinator what we evaluate, to hear in what it differs.
func (w *worker) explain(run RunID) (wire.Welcome, error) {
	h := w.hello()
	if h.About = wire.Pack(w.About); len(h.About) > wire.LongestMessage/2 {
		return wire.Welcome{Refused: "the worker does not evaluate what the run is about"}, nil
	}
	return w.say(run, h)
}

// say says hello to the coordinator of a run, and returns its answer.
func (w *worker) say(run RunID, h wire.Hello) (wire.Welcome, error) {
	m, err := w.nc.Request(subject(run, hello), h.Encode(), answerWithin)
	if err != nil {
		return wire.Welcome{}, err
	}
	welcome, _, err := wire.DecodeWelcome(m.Data)
	return welcome, err
}

// enter begins to work for a run. Its queue is asked as from an account of the workers' own,
// and where there is none, as from the coordinator's.
func (w *worker) enter(run RunID) (err error) {
	for _, api := range []string{fencedAPI, queueAPI} {
		if w.consumer, err = w.find(run, api); err == nil {
			w.run = run
			w.present()
			w.Note(fmt.Sprintf("works for run %v with %s", run, words.Count(w.Procs, "process", "processes")))
			return nil
		}
	}
	return fmt.Errorf("the queue of the run is not there: %w", err)
}

// find finds the queue of a run, on subjects that begin with api.
func (w *worker) find(run RunID, api string) (jetstream.Consumer, error) {
	js, err := jetstream.NewWithAPIPrefix(w.nc, api)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(w.drain, answerWithin)
	defer cancel()
	return js.Consumer(ctx, streamOf(run), workers)
}

// hello is what the worker says of itself.
func (w *worker) hello() wire.Hello {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := wire.Hello{Version: wire.Version, Worker: w.Name, Procs: w.Procs, Digest: wire.DigestOf(w.About)}
	for t := range w.working {
		h.Working = append(h.Working, t.chunk.First)
	}
	slices.Sort(h.Working)
	return h
}

// atBeats does something at every beat, until it is done.
func (w *worker) atBeats(done <-chan struct{}, do func()) {
	beats, stop := w.clock.every(beat)
	defer stop()
	for {
		select {
		case <-done:
			return
		case <-beats:
			do()
		}
	}
}

// greet says hello once, and gives up what the coordinator does not need any more.
func (w *worker) greet() {
	h := w.hello()
	if w.drain.Err() != nil {
		h.Procs = max(len(h.Working), 1)
	}
	welcome, err := w.say(w.run, h)
	switch {
	case err != nil:
		w.absent()
	case welcome.Refused != "":
		w.fail(fmt.Errorf("%w: %s", ErrRefused, welcome.Refused), 0)
	default:
		w.present()
		w.give(welcome.Needless)
	}
}

// present notes that the coordinator has answered.
func (w *worker) present() {
	w.mu.Lock()
	again := w.missed
	w.spoke, w.missed = w.clock.now(), false
	w.asked = w.spoke
	w.mu.Unlock()
	if again {
		w.Note("the coordinator is there again")
	}
}

// absent ends the worker if the coordinator has not answered for too long, and reports
// whether it does. A worker asks at every beat. If it has not for as long as others take it
// for gone, it was stopped itself, and begins to wait anew.
func (w *worker) absent() bool {
	now := w.clock.now()
	w.mu.Lock()
	if now.Sub(w.asked) > gone {
		w.spoke = now
	}
	w.asked = now
	silent := now.Sub(w.spoke)
	first := !w.missed && silent >= beat // one question may be lost
	w.missed = w.missed || first
	w.mu.Unlock()
	if silent < w.Wait {
		if first {
			w.Note(fmt.Sprintf("%s: the coordinator does not answer; waiting for up to %v", w.Server, w.Wait))
		}
		return false
	}
	err := fmt.Errorf("%s: the coordinator has been gone for %v", w.Server, w.Wait)
	w.fail(err, 0)
	w.over(err)
	return true
}

// give gives up chunks that nobody needs.
func (w *worker) give(needless []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t := range w.working {
		if slices.Contains(needless, t.chunk.First) {
			t.cancel(errNeedless)
		}
	}
}

var errNeedless = errors.New("others have evaluated it")

// heardTheEnd tells the coordinator that this worker knows that the run is over, and need not
// be waited for.
func (w *worker) heardTheEnd() {
	h := w.hello()
	h.Leaving = true
	_ = w.nc.Publish(subject(w.run, hello), h.Encode())
}

// leave tells the coordinator that the worker goes, and why if that is its own fault.
func (w *worker) leave() {
	h := w.hello()
	h.Leaving = true
	w.mu.Lock()
	if w.broken != nil && w.query > 0 {
		h.Broken, h.Query, h.Check = wire.Line(w.broken.Error(), wire.LongestWords), w.query, w.check
	}
	w.mu.Unlock()
	if w.nc.Status() == nats.CONNECTED {
		_, _ = w.nc.Request(subject(w.run, hello), h.Encode(), retryAfter)
	}
}
