package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
)

// A WorkerConfig says what a worker evaluates, and for whom.
type WorkerConfig struct {
	// Server is the address of the server, such as nats://127.0.0.1:4222, and Access what
	// it asks for.
	Server string
	Access Access
	// Name is how the worker is called. "": the host's name, the process and some random
	// digits.
	Name string
	// About is what it evaluates, as JSON: the same as the coordinator's.
	About []byte
	// Dim is how many numbers a point has.
	Dim int
	// Procs is how many chunks it evaluates at the same time. 0: 1. Open is called with
	// 1, 2, …, Procs and returns what evaluates them. If that is an io.Closer, it is
	// closed at the end.
	Procs int
	Open  func(proc int) (objective.Objective, error)
	// Wait is how long the worker waits for a server or a coordinator that is not there,
	// at the beginning or later. 0: a minute.
	Wait time.Duration
	// Walltime is after how long the worker ends. It takes no chunk that it cannot
	// finish, as far as can be seen. 0: it has no limit.
	Walltime time.Duration
	// Grace is how long the worker may go on with what it has begun when it is to end.
	// 0: not at all.
	Grace time.Duration
	// Note is told, in one line, what the user should know. It may be nil.
	Note func(line string)

	clock clock
}

const (
	defaultWait = time.Minute
	// retryAfter is how long a worker waits before it sends its values again.
	retryAfter = time.Second
)

// ErrRefused says that the coordinator gives the worker no work.
var ErrRefused = errors.New("the coordinator gives this worker no work")

// A worker works for a run.
type worker struct {
	WorkerConfig
	nc       *nats.Conn
	consumer jetstream.Consumer
	run      RunID

	drain context.Context // ends when no more work is to be taken
	last  func(error)     // ends it
	hard  context.Context // ends when what is being evaluated is to be given up
	over  func(error)     // ends both

	mu      sync.Mutex
	working map[*task]bool
	spoke   time.Time // when the coordinator last answered
	asked   time.Time // when it was last asked
	missed  bool      // it has not answered since
	broken  error     // the error that ends it
	query   int       // at which it occurred; 0: at none
	check   uint32    // of its point
	until   time.Time // the walltime
	slowest float64   // the most seconds a point of a chunk took on average
}

// Work works for the first run on the server that is about what the worker evaluates. It
// returns nil when the run is over or the walltime is spent, and the cause of ctx when that
// has ended and everything that was begun is done or given back.
func Work(ctx context.Context, c WorkerConfig) error {
	w := &worker{WorkerConfig: c, working: map[*task]bool{}}
	if err := w.complete(); err != nil {
		return err
	}
	var giveUp context.CancelCauseFunc
	w.hard, giveUp = context.WithCancelCause(context.WithoutCancel(ctx))
	defer giveUp(nil)
	var stop context.CancelCauseFunc
	w.drain, stop = context.WithCancelCause(ctx)
	defer stop(nil)
	w.last = stop
	w.over = func(err error) { stop(err); giveUp(err) }
	if err := w.arrive(); err != nil {
		return err
	}
	defer w.nc.Close()
	ended, err := w.nc.Subscribe(subject(w.run, end), func(m *nats.Msg) {
		if string(m.Data) == farewell {
			w.over(errOver)
			w.heardTheEnd()
		}
	})
	if err != nil {
		return err
	}
	defer ended.Unsubscribe()
	return w.work()
}

var (
	errOver     = errors.New("the run is over")
	errWalltime = errors.New("the walltime is spent")
)

// complete fills in the defaults.
func (w *worker) complete() error {
	if w.Dim < 1 || w.Dim > wire.MostDim || w.Open == nil {
		return objective.BadOption("Dim", "a worker needs something to evaluate, of 1 to %d numbers", wire.MostDim)
	}
	if w.Procs < 0 || w.Procs > wire.MostProcs {
		return objective.BadOption("Procs", "is %d, and must be from 1 to %d", w.Procs, wire.MostProcs)
	}
	w.Procs = max(w.Procs, 1)
	if w.Wait == 0 {
		w.Wait = defaultWait
	}
	if w.Note == nil {
		w.Note = func(string) {}
	}
	if w.clock == nil {
		w.clock = wallClock{}
	}
	w.until = w.clock.now().Add(w.Walltime)
	if w.Name == "" {
		w.Name = ownName()
	}
	return wire.CheckName(w.Name)
}

// ownName returns a name that no other worker has.
func ownName() string {
	host, _ := os.Hostname()
	host = regexp.MustCompile(`[^0-9A-Za-z.-]`).ReplaceAllString(host, "")
	return fmt.Sprintf("%.40s-%d-%s", host, os.Getpid(), nonce()[:6])
}

// work works until the run is over, or the worker is to end.
func (w *worker) work() error {
	if w.Walltime > 0 {
		timeout, stop := w.clock.after(w.until.Sub(w.clock.now()))
		defer stop()
		go func() {
			select {
			case <-timeout:
				w.over(errWalltime)
			case <-w.drain.Done():
			}
		}()
	}
	var hands sync.WaitGroup
	for proc := range w.Procs {
		hands.Go(func() { w.hand(proc + 1) })
	}
	ready := make(chan struct{})
	var rest sync.WaitGroup
	rest.Go(func() { w.atBeats(ready, w.greet) })
	rest.Go(func() { w.grace(ready) })
	hands.Wait()
	close(ready)
	rest.Wait()
	w.leave()
	w.mu.Lock()
	defer w.mu.Unlock()
	why := context.Cause(w.drain)
	switch {
	case w.broken != nil:
		return w.broken
	case errors.Is(why, errOver), errors.Is(why, errWalltime):
		return nil
	}
	return why
}

// grace gives up what is being evaluated, some time after the worker was told to end.
func (w *worker) grace(ready <-chan struct{}) {
	select {
	case <-ready:
		return
	case <-w.drain.Done():
	}
	timeout, stop := w.clock.after(w.Grace)
	defer stop()
	select {
	case <-ready:
	case <-timeout:
		w.over(context.Cause(w.drain))
	}
}

// fail ends the worker with an error. If it occurred at a query, that and its point are given.
func (w *worker) fail(err error, query int, point ...float64) {
	w.mu.Lock()
	if w.broken == nil {
		w.broken, w.query, w.check = err, query, wire.CheckOf(point)
	}
	w.mu.Unlock()
	w.last(err)
}

func (w *worker) closeObjective(f objective.Objective) {
	if c, ok := f.(io.Closer); ok {
		if err := c.Close(); err != nil {
			w.Note(wire.Line(err.Error(), wire.LongestWords))
		}
	}
}
