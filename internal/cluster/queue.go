package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/untwist/untwist/internal/cluster/wire"
)

// A queue is the stream of a run, from which its workers take chunks. It is in the server's
// memory, and may be lost at any time: the journal is the truth, and the coordinator knows
// what is out.
type queue struct {
	run RunID
	nc  *nats.Conn
	js  jetstream.JetStream
	// replies is where the server says what has become of a chunk. gone is called if there
	// is no stream, and unwilling if it does not take more.
	replies   string
	gone      func()
	unwilling func(why string)
}

// mostPulls is how many requests for work may wait at the server: one for each process.
const mostPulls = 1 << 16

func newQueue(run RunID, nc *nats.Conn) (*queue, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	return &queue{run: run, nc: nc, js: js, replies: nc.NewInbox(), gone: func() {}, unwilling: func(string) {}}, nil
}

// begin makes the queue, empty.
func (q *queue) begin(ctx context.Context) error {
	if err := q.remove(ctx); err != nil {
		return err
	}
	if _, err := q.nc.Subscribe(q.replies, q.hear); err != nil {
		return err
	}
	return q.mend(ctx)
}

// hear hears what has become of a chunk.
func (q *queue) hear(m *nats.Msg) {
	var reply struct {
		Error *struct{ Description string }
	}
	switch {
	case len(m.Data) == 0 && m.Header.Get("Status") == "503": // nobody listens on its subject
		q.gone()
	case json.Unmarshal(m.Data, &reply) == nil && reply.Error != nil:
		q.unwilling(wire.Line(reply.Error.Description, 200))
	}
}

// mend makes the queue if it is not there.
func (q *queue) mend(ctx context.Context) error {
	_, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: streamOf(q.run), Description: "chunks of an untwist run", Subjects: []string{subject(q.run, work)},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return explainQueue(err)
	}
	_, err = q.js.CreateOrUpdateConsumer(ctx, streamOf(q.run), jetstream.ConsumerConfig{
		Durable: workers, AckPolicy: jetstream.AckExplicitPolicy, AckWait: gone, MaxDeliver: -1,
		MaxAckPending: -1, MaxWaiting: mostPulls, MemoryStorage: true,
	})
	return explainQueue(err)
}

func (q *queue) remove(ctx context.Context) error {
	err := q.js.DeleteStream(ctx, streamOf(q.run))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return explainQueue(err)
}

// purge takes away what nobody has taken yet, if the server lets it.
func (q *queue) purge() {
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	if stream, err := q.js.Stream(ctx, streamOf(q.run)); err == nil {
		_ = stream.Purge(ctx)
	}
}

// send puts a chunk on the queue. Nobody waits for the server to say that it has it: what
// does not come back is sent again.
func (q *queue) send(c *wire.Chunk) {
	_ = q.nc.PublishRequest(subject(q.run, work), q.replies, c.Encode())
}

// roomy checks that the server takes messages as long as a chunk of points of d numbers and
// its values may be.
func (q *queue) roomy(d int) error {
	if least := wire.Longest(d); q.nc.MaxPayload() < int64(least) {
		return fmt.Errorf("the server takes messages of at most %d bytes, and the run needs %d: set max_payload: 1MB in its configuration", q.nc.MaxPayload(), least)
	}
	return nil
}

// explainQueue says in one line why there is no queue.
func explainQueue(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return errors.New("the server has no JetStream: start it with nats-server -js")
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return errors.New("the server does not answer, or does not allow a stream to be made (docs/cluster.md has the permissions)")
	}
	return fmt.Errorf("the queue cannot be made: %w", err)
}

// queueWithin is how long the server may take to make a queue.
const queueWithin = 10 * time.Second
