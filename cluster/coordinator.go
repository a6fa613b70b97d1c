package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/cluster/wire"
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
	// Flush brings all answers that were told to where they cannot be lost any more.
	// Workers are thanked after that. nil: they are thanked at once.
	Flush func() error
	// Note is told, in one line, what the user should know. It may be nil.
	Note func(line string)
	// Invite says how a worker is started, for the line that says that there is none.
	Invite string

	clock clock
}

// A Coordinator is an objective that workers evaluate, on this machine or others. It is an
// objective.Teller: every answer is told as soon as it comes.
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
	broken chan struct{} // is sent to when the connection was lost and is there again

	asking sync.Mutex // one batch at a time
	mu     sync.Mutex // of what follows
	desk   desk
	lonely time.Time // since when there is a batch and no worker; 0: there is one
	said   bool      // that there is no worker
}

var _ objective.Teller = (*Coordinator)(nil)

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

// coordinate makes a coordinator.
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
	o := &Coordinator{config: c, broken: make(chan struct{}, 1)}
	o.life, o.end = context.WithCancel(context.Background())
	again := func(*nats.Conn) {
		select {
		case o.broken <- struct{}{}:
		default:
		}
	}
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
	if _, err := o.nc.Request(subject(o.config.Run, hello), nil, answerWithin); !errors.Is(err, nats.ErrNoResponders) {
		if err == nil {
			return errors.New("another coordinator serves this run: its journal was copied. Copy it before a run is begun, or wait for the other")
		}
		return fmt.Errorf("the server does not answer: %w", err)
	}
	if o.queue, err = newQueue(o.config.Run, o.nc); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(o.life, queueWithin)
	defer cancel()
	if err := o.queue.begin(ctx); err != nil {
		return err
	}
	o.desk = desk{
		board: board{run: o.config.Run, dim: o.config.Dim, publish: o.queue.send},
		court: court{share: o.config.Verify, note: o.config.Note},
	}
	o.clerk = newClerk(o.config.Flush)
	o.ended.Go(func() { o.clerk.run(o.life) })
	if err := o.listen(); err != nil {
		return err
	}
	o.ended.Go(o.watch)
	return nil
}

// Dim returns the number of dimensions.
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
	b := newBatch(points, values, func(i int) int { return objective.NumberOf(ctx, i) }, tell)
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
	return b.partial(err)
}

// tickEvery is how often the coordinator looks whether something is due.
const tickEvery = 50 * time.Millisecond

// watch does what is due from time to time.
func (o *Coordinator) watch() {
	ticks, stop := o.config.clock.every(tickEvery)
	defer stop()
	for {
		select {
		case <-o.life.Done():
			return
		case <-o.broken:
			o.mend()
		case <-ticks:
			now := o.config.clock.now()
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

// mend makes the queue anew after the connection was lost. The server may have forgotten it, or
// may have kept some of it, which would come twice.
func (o *Coordinator) mend() {
	ctx, cancel := context.WithTimeout(o.life, queueWithin)
	defer cancel()
	if err := o.queue.mend(ctx); err != nil {
		if o.life.Err() == nil {
			o.config.Note(err.Error())
		}
		return
	}
	o.queue.purge()
	now := o.config.clock.now()
	o.config.Note("the connection to the server is there again")
	o.mu.Lock()
	defer o.mu.Unlock()
	o.desk.board.repost(now, &o.desk.roster)
}

// alone is how long a batch may be without workers before the user is told.
const alone = 2 * time.Second

// loneliness returns what to say if there is nobody to evaluate the batch.
func (o *Coordinator) loneliness(now time.Time) (line string) {
	if o.desk.batch == nil || o.desk.roster.procs(now) > 0 {
		o.lonely, o.said = time.Time{}, false
		return ""
	}
	if o.lonely.IsZero() {
		o.lonely = now
	}
	if o.said || now.Sub(o.lonely) < alone {
		return ""
	}
	o.said = true
	line = "there are no workers, and the run waits for them"
	if o.config.Invite != "" {
		line += "; start one with: " + o.config.Invite
	}
	return line
}
