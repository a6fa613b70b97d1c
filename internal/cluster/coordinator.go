package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A Config says what a Coordinator coordinates.
type Config struct {
	// Run tells the run from others. It must stay the same when the run is resumed:
	// journal.Journal.ID is made for that.
	Run RunID
	// Dim is how many numbers a point has.
	Dim int
	// About is what the workers evaluate, as JSON. A worker that says something else is
	// refused.
	About []byte
	// Name is how people call it.
	Name string
	// Verify is the share of the points that are evaluated by a second worker, to find
	// those whose values are wrong. 0: none.
	Verify float64
	// Flush brings all answers that were told to where a crash of this process cannot lose
	// them. Workers are thanked after that. nil: they are thanked at once.
	Flush func() error
	// Note is told, in one line, what the user should know. It may be nil.
	Note func(line string)
	// Success is a query of the run that has succeeded before this coordinator was started, as
	// a journal has it. nil: none is known.
	Success *Success
	// Believe believes failures although no point has ever succeeded, on any worker, if there
	// is nobody else to ask. Else the run waits for others and ends.
	Believe bool
	// Invite says how a worker is started, for the line that says that there is none.
	Invite string

	clock clock
}

// A Coordinator is an objective that workers evaluate, on this machine or others. It is an
// query.Teller: every answer is told as soon as it comes.
//
// Its values are those of the workers' function, whoever computes them: they are stored by
// the numbers of their queries. A value that comes twice is told once.
type Coordinator struct {
	config Config
	nc     *nats.Conn
	queue  *queue
	clerk  *clerk
	life   context.Context // ends with Close
	end    context.CancelFunc
	ended  sync.WaitGroup
	broken chan string // is sent to when the queue may be lost: what to say when it is mended

	asking sync.Mutex // one batch at a time
	mu     sync.Mutex // of what follows
	desk   desk
	lonely time.Time // since when there is a batch and no worker; 0: there is one
	said   bool      // that there is no worker

	complained time.Time // about the server

	latest   []byte // the last status that was made, as a message
	reported time.Time
}

var _ query.Teller = (*Coordinator)(nil)

// Coordinate makes a coordinator on a server of this process.
func (s *Server) Coordinate(c Config) (*Coordinator, error) {
	return coordinate(c, func(o ...nats.Option) (*nats.Conn, error) {
		return s.connect(link{}.options(o...)...)
	})
}

// Coordinate makes a coordinator on a server that is there, such as nats://127.0.0.1:4222.
func Coordinate(server string, a Access, c Config) (*Coordinator, error) {
	return coordinate(c, link{server, a}.connect)
}

func coordinate(c Config, connect func(...nats.Option) (*nats.Conn, error)) (*Coordinator, error) {
	if c.Dim < 1 || c.Dim > wire.MostDim {
		return nil, objective.BadOption("Dim", "a point of %d numbers cannot be sent; at most %d can", c.Dim, wire.MostDim)
	}
	if c.Verify < 0 || c.Verify > 1 {
		return nil, objective.BadOption("Verify", "%v is not a share from 0 to 1", c.Verify)
	}
	if c.Note == nil {
		c.Note = func(string) {}
	}
	if c.Flush == nil {
		c.Flush = func() error { return nil }
	}
	if c.clock == nil {
		c.clock = wallClock{}
	}
	o := &Coordinator{config: c, broken: make(chan string, 1)}
	o.life, o.end = context.WithCancel(context.Background())
	again := func(*nats.Conn) { o.breaks("the connection to the server is there again") }
	var err error
	away := func(*nats.Conn, error) {
		if o.life.Err() == nil {
			c.Note("the connection to the server is lost, and the run waits for it")
		}
	}
	if o.nc, err = connect(nats.ReconnectHandler(again), nats.DisconnectErrHandler(away)); err != nil {
		return nil, err
	}
	if err := o.open(); err != nil {
		o.end()
		o.nc.Close()
		return nil, err
	}
	return o, nil
}

// open makes the queue and begins to listen.
func (o *Coordinator) open() (err error) {
	switch _, err := o.nc.Request(subject(o.config.Run, hello), nil, answerWithin); {
	case err == nil:
		return errors.New("another coordinator serves this run on the server: was its journal copied? Wait until the other has ended, or name another journal")
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrTimeout): // one whose machine has died is known to the server for minutes
	default:
		return fmt.Errorf("the server does not answer: %w", err)
	}
	if o.queue, err = newQueue(o.config.Run, o.nc); err != nil {
		return err
	}
	if err := o.queue.roomy(o.config.Dim); err != nil {
		return err
	}
	o.queue.gone = func() { o.breaks("the server had lost the queue, and it was made anew") }
	o.queue.unwilling = o.complain
	ctx, cancel := context.WithTimeout(o.life, queueWithin)
	defer cancel()
	if err := o.queue.begin(ctx); err != nil {
		return err
	}
	o.desk = desk{
		board: board{run: o.config.Run, dim: o.config.Dim, publish: o.queue.send},
		court: court{share: o.config.Verify, note: o.config.Note},
		known: o.config.Success, believe: o.config.Believe,
	}
	o.clerk = newClerk(o.config.Flush)
	o.ended.Go(func() { o.clerk.run(o.life) })
	if err := o.listen(); err != nil {
		return err
	}
	o.ended.Go(o.watch)
	return nil
}

func (o *Coordinator) Dim() int { return o.config.Dim }

// Evaluate has the workers evaluate a batch.
func (o *Coordinator) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return o.Each(ctx, points, values, func(int, objective.Answer) {})
}

// Each has the workers evaluate a batch, and tells every answer as it comes. It waits for
// workers as long as it takes.
func (o *Coordinator) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	n, d := points.Dims()
	if d != o.config.Dim || n != len(values) {
		return fmt.Errorf("%d points of %d coordinates and room for %d values were given to workers for %d", n, d, len(values), o.config.Dim)
	}
	o.asking.Lock()
	defer o.asking.Unlock()
	b := newBatch(points, values, func(i int) int { return query.NumberOf(ctx, i) }, tell)
	o.mu.Lock()
	o.desk.begin(b, o.config.clock.now())
	o.mu.Unlock()
	var err error
	select {
	case <-b.done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-b.broken:
		err = b.why
	case <-o.life.Done():
		err = errors.New("the coordinator was closed")
	}
	o.mu.Lock()
	o.desk.end()
	o.mu.Unlock() // from here on nothing is told
	if b.left == 0 {
		return nil
	}
	o.queue.purge() // or somebody evaluates it in vain
	return query.Unfinished(b.known, err)
}

// tickEvery is how often the coordinator looks whether something is due.
const tickEvery = 50 * time.Millisecond

// watch does what is due from time to time.
func (o *Coordinator) watch() {
	ticks, stop := o.config.clock.every(tickEvery)
	defer stop()
	owed, tried := "", time.Time{} // what is to be said when the queue is mended; "": it need not be
	for {
		select {
		case <-o.life.Done():
			return
		case line := <-o.broken:
			owed, tried = o.mend(line, true), o.config.clock.now()
		case <-ticks:
			now := o.config.clock.now()
			if owed != "" && now.Sub(tried) >= retryAfter {
				owed, tried = o.mend(owed, false), o.config.clock.now()
			}
			o.mu.Lock()
			o.desk.tick(now)
			line := o.loneliness(now)
			o.mu.Unlock()
			if line != "" {
				o.config.Note(line)
			}
		}
	}
}

// breaks notes that the queue may be lost.
func (o *Coordinator) breaks(line string) {
	select {
	case o.broken <- line:
	default:
	}
}

// mend makes the queue anew after the connection was lost, and says so in a line. It returns the
// line if it cannot, and says why if that is to be aloud; "": it has. The server may have forgotten
// the queue, or may have kept some of it, which would come twice.
func (o *Coordinator) mend(line string, aloud bool) (owed string) {
	ctx, cancel := context.WithTimeout(o.life, queueWithin)
	defer cancel()
	if err := o.queue.mend(ctx); err != nil {
		if o.life.Err() == nil && aloud {
			o.config.Note(err.Error() + "; trying again")
		}
		return line
	}
	o.queue.purge()
	now := o.config.clock.now()
	o.config.Note(line)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.desk.board.repost(now, &o.desk.roster)
	return ""
}

// complain says, once a minute at most, why the server does not take work.
func (o *Coordinator) complain(why string) {
	now := o.config.clock.now()
	o.mu.Lock()
	again := now.Sub(o.complained) >= time.Minute
	if again {
		o.complained = now
	}
	o.mu.Unlock()
	if again {
		o.config.Note(fmt.Sprintf("the server does not take all of the work, and it is sent again every %v: %s", lost, why))
	}
}
