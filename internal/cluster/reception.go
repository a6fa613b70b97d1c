package cluster

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/cluster/wire"
)

func (o *Coordinator) listen() error {
	run := o.config.Run
	for subject, hear := range map[string]nats.MsgHandler{
		subjectOfAll(hello):  o.greet,
		subject(run, hello):  o.greet,
		subject(run, values): o.receive,
		subjectOfAll(status): o.report,
	} {
		s, err := o.nc.Subscribe(subject, hear)
		if err == nil {
			err = s.SetPendingLimits(-1, 256<<20)
		}
		if err != nil {
			return err
		}
	}
	return o.nc.FlushTimeout(queueWithin)
}

// answer answers a request, but only where clients get their answers: the coordinator may do
// more than a worker, and must not be made to say something elsewhere in its place.
func answer(m *nats.Msg, message []byte) {
	const ofAccounts = "_R_." // what a server makes of the inbox of a client in another account
	if strings.HasPrefix(m.Reply, inboxOf("")) || strings.HasPrefix(m.Reply, ofAccounts) {
		_ = m.Respond(message)
	}
}

func (o *Coordinator) greet(m *nats.Msg) {
	w := wire.Welcome{Version: wire.Version, Run: o.config.Run.String(), Dim: o.config.Dim}
	h, err := wire.DecodeHello(m.Data)
	ours := wire.DigestOf(o.config.About)
	switch {
	case err != nil:
		w.Refused = err.Error()
	case len(h.Working) > (1+mostHanding)*h.Procs: // each evaluates one, and hands some in
		w.Refused = fmt.Sprintf("%d processes cannot work on %d chunks", h.Procs, len(h.Working))
	case h.Digest != ours && h.About == nil:
		w.Explain = true
	case h.Digest != ours:
		w.Refused = o.refusal(h.About)
	default:
		o.meet(h, &w)
	}
	answer(m, w.Encode())
}

// refusal says in what a description differs.
func (o *Coordinator) refusal(packed []byte) string {
	about, err := wire.Unpack(packed, o.config.About)
	if err != nil {
		return err.Error()
	}
	if bytes.Equal(about, o.config.About) {
		return "the digest of what the worker evaluates is wrong"
	}
	if why := wire.Differing(o.config.About, about); why != "" {
		return why
	}
	return "the worker does not evaluate what the run is about"
}

// meet notes what a worker says, and tells it which of its chunks are needless.
func (o *Coordinator) meet(h wire.Hello, w *wire.Welcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.config.clock.now()
	r := &o.desk.roster
	if h.Leaving && r.all[h.Worker] == nil {
		return // it was none of us
	}
	m, why := r.hello(h.Worker, h.Procs, now)
	if m == nil {
		w.Refused = why
		return
	}
	m.working = h.Working
	m.measure(now)
	w.Refused = m.excluded
	w.Needless = o.desk.needless(h.Working)
	if h.Broken != "" {
		o.desk.broke(m, h)
	}
	if h.Leaving {
		r.leaves(m)
	}
	o.desk.fill(now)
}

func (o *Coordinator) receive(m *nats.Msg) {
	v, err := wire.DecodeValues(m.Data)
	if err == nil && v.Run != o.config.Run {
		err = &wire.BadMessageError{Reason: "values of another run"}
	}
	if err != nil {
		answer(m, wire.Receipt{Refused: err.Error()}.Encode())
		return
	}
	o.mu.Lock()
	verdict := o.desk.take(v, o.config.clock.now())
	why := ""
	if verdict == refused {
		why = o.desk.roster.all[v.Worker].excluded
	}
	o.mu.Unlock()
	switch verdict {
	case taken:
		o.clerk.thank(o.life, func(kept bool) { answer(m, wire.Receipt{Kept: kept, Later: !kept}.Encode()) })
	case early:
		answer(m, wire.Receipt{Later: true}.Encode())
	case strange:
		answer(m, wire.Receipt{Refused: "its values are for other points than those of the run"}.Encode())
	case refused:
		answer(m, wire.Receipt{Refused: why}.Encode())
	}
}

// Done says that the run is over, so that workers go home, and closes the coordinator. It
// waits a moment for points that are still being evaluated a second time, and for workers to
// leave.
func (o *Coordinator) Done() {
	o.settle()
	o.dismiss()
	o.Close()
}

// until asks at every tick whether something is done, until it is or the coordinator is closed.
func (o *Coordinator) until(done func(after time.Duration) bool) {
	looks, stop := o.config.clock.every(tickEvery)
	defer stop()
	for start := o.config.clock.now(); !done(o.config.clock.now().Sub(start)); {
		select {
		case <-looks:
		case <-o.life.Done():
			return
		}
	}
}

// dismissAloud is after how long the user is told for whom the end waits.
const dismissAloud = 2 * time.Second

// dismiss says that the run is over until all workers that are here have left: one whose
// connection is lost just then hears it when it is back. One that is silent counts as gone after a
// while, and a worker that talks on is waited for no longer.
func (o *Coordinator) dismiss() {
	said := false
	o.until(func(after time.Duration) bool {
		_ = o.nc.Publish(subject(o.config.Run, end), []byte(farewell))
		o.mu.Lock()
		o.desk.roster.expire(o.config.clock.now())
		waiting := o.desk.roster.names()
		o.mu.Unlock()
		if len(waiting) == 0 || after >= gone {
			return true
		}
		if !said && after >= dismissAloud {
			said = true
			o.config.Note("the run is over; waiting until these workers have heard it: " + strings.Join(waiting, ", "))
		}
		return false
	})
}

// settleWithin is how long the end of a run waits for second values.
const settleWithin = 30 * time.Second

// settle waits until no point is being evaluated a second time.
func (o *Coordinator) settle() {
	o.until(func(after time.Duration) bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return len(o.desk.court.pending) == 0 || after >= settleWithin
	})
}

// Close ends the coordinator. Workers wait for it to come back, for as long as they are told.
func (o *Coordinator) Close() {
	o.end()
	o.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), queueWithin)
	defer cancel()
	if o.nc.IsConnected() {
		_ = o.queue.remove(ctx) // what is left of it is of no use to anybody
		_ = o.nc.FlushWithContext(ctx)
	}
	o.nc.Close()
}

// Differences returns the points for which workers had different values, the first 1,000 of
// them. Status has their number.
func (o *Coordinator) Differences() []Difference {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]Difference, len(o.desk.court.differences))
	for i, d := range o.desk.court.differences {
		all[i] = *d
	}
	return all
}
