package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// stillClock is a clock that a test sets.
type stillClock struct {
	clock
	t time.Time
}

func (c *stillClock) now() time.Time { return c.t }

// enveloped returns bytes in an envelope whose checksum is right, as docs/cluster.md
// describes it.
func enveloped(kind byte, run RunID, inside []byte) []byte {
	m := slices.Concat([]byte("utw\x01"), []byte{kind}, run[:], inside)
	return binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, crc32.MakeTable(crc32.Castagnoli)))
}

// A script is bytes that say what happens.
type script struct{ rest []byte }

func (s *script) byte() byte {
	if len(s.rest) == 0 {
		return 0
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b
}

// below returns a number from 0 to n−1.
func (s *script) below(n int) int { return int(s.byte()) % n }

// bytes returns up to 255 bytes, after one that says how many.
func (s *script) bytes() []byte {
	n := min(int(s.byte()), len(s.rest))
	b := s.rest[:n]
	s.rest = s.rest[n:]
	return b
}

// A siege is a coordinator without a network, to which hostile workers say what they like.
type siege struct {
	*testing.T
	script
	o      *Coordinator
	clock  *stillClock
	b      *batch
	queued []*wire.Chunk
	told   map[int]float64
	sent   map[int][]float64 // what workers have said of each query, for its point
}

func newSiege(t *testing.T, data []byte) *siege {
	s := &siege{T: t, script: script{data}, clock: &stillClock{t: time.Unix(1e9, 0)}, told: map[int]float64{}, sent: map[int][]float64{}}
	note := func(line string) {
		if wire.Line(line, 10_000) != line {
			t.Errorf("%q cannot be shown", line)
		}
	}
	s.o = &Coordinator{config: Config{Run: RunID{1}, Dim: 2, About: about, Name: "test", Note: note, clock: s.clock}, clerk: newClerk(nil)}
	s.o.life, s.o.end = context.WithCancel(context.Background())
	s.o.desk = desk{
		board: board{run: RunID{1}, dim: 2, publish: func(c *wire.Chunk) {
			if _, err := wire.DecodeChunk(c.Encode()); err != nil {
				t.Errorf("%+v was sent: %v", c, err)
			}
			s.queued = append(s.queued, c)
		}},
		court: court{share: 0.3, note: note},
	}
	const first, n = 5, 12
	number := func(i int) int { return first + i + i/4 } // some are in the journal already
	points := mat.NewDense(n, 2, nil)
	for i := range n {
		points.SetRow(i, []float64{float64(number(i)), 0.5})
	}
	s.b = newBatch(points, make([]float64, n), number, func(i int, a objective.Answer) {
		if _, before := s.told[number(i)]; before {
			t.Errorf("query %d was told twice", number(i))
		}
		s.told[number(i)] = a.Value
		if !slices.Contains(s.sent[number(i)], a.Value) || a.By == "" || math.IsInf(a.Value, 1) != (a.Failure != nil) {
			t.Errorf("query %d was told as %+v; workers have said %v", number(i), a, s.sent[number(i)])
		}
	})
	s.o.desk.begin(s.b, s.clock.t)
	return s
}

// hear lets the coordinator hear a greeting, and receive values.
func (s *siege) hear(data []byte)    { s.o.greet(&nats.Msg{Data: data}) }
func (s *siege) receive(data []byte) { s.o.receive(&nats.Msg{Data: data}) }

// who returns a worker.
func (s *siege) who() string { return []string{"a", "b", "c"}[s.below(3)] }

// hello lets a worker say hello, and perhaps strange things.
func (s *siege) hello(name string) wire.Hello {
	h := wire.Hello{Version: wire.Version, Worker: name, Procs: s.below(5), Digest: wire.DigestOf(about)}
	for range s.below(4) {
		h.Working = append(h.Working, s.below(30))
	}
	what := s.byte()
	h.Leaving = what&1 != 0
	if what&2 != 0 {
		h.Broken, h.Query = string(s.bytes()), s.below(30)
	}
	if what&4 != 0 {
		h.Digest, h.About = wire.DigestOf(nil), wire.Pack(s.bytes())
	}
	if what&8 != 0 {
		h.Digest, h.About = wire.DigestOf(nil), s.bytes()
	}
	return h
}

// values returns values that a worker may have made up.
func (s *siege) values(name string) *wire.Values {
	v := &wire.Values{Run: RunID{byte(1 + s.below(8)/7)}, Worker: name, First: s.below(30)}
	offset := -1
	for range 1 + s.below(6) {
		offset += s.below(4) + 1
		number, a := v.First+offset, wire.Answer{Offset: offset}
		check := wire.CheckOf([]float64{float64(number), 0.5})
		a.Check = check
		switch s.below(8) {
		case 0:
			a.Value = math.NaN()
		case 1:
			a.Value = math.Inf(-1)
		case 2:
			a.Value, a.Failure = math.Inf(1), &objective.Failure{Kind: objective.FailureKind(s.below(8)), Detail: string(s.bytes())}
		case 3:
			a.Value = math.Inf(1)
		case 4:
			a.Check++ // of another point
		case 5:
			a.Value = float64(s.byte())
		default:
			a.Value = float64(number)
		}
		a.Seconds = []float64{0, 1e-9, 1, 1e300, -1, math.NaN()}[s.below(30)%6]
		v.Answers = append(v.Answers, a)
		if a.Check == check && v.Run == s.o.config.Run {
			s.sent[number] = append(s.sent[number], a.Value)
		}
	}
	return v
}

// work lets a worker evaluate the next chunk that it may have, as it should.
func (s *siege) work(name string) bool {
	i := slices.IndexFunc(s.queued, func(c *wire.Chunk) bool { return !c.Skips(name) })
	if i < 0 {
		return false
	}
	v := evaluated(s.queued[i], name, firstOf, 0.1)
	s.queued = slices.Delete(s.queued, i, i+1)
	for _, a := range v.Answers {
		s.sent[v.First+a.Offset] = append(s.sent[v.First+a.Offset], a.Value)
	}
	s.receive(v.Encode())
	return true
}

// step does the next thing that the script says.
func (s *siege) step() {
	switch s.below(8) {
	case 0:
		s.clock.t = s.clock.t.Add(time.Duration(s.byte()) * time.Second)
		s.o.desk.tick(s.clock.t)
	case 1:
		s.hear(s.hello(s.who()).Encode())
	case 2:
		s.work(s.who())
	case 3, 4:
		s.receive(s.values(s.who()).Encode())
	case 5:
		s.hear(s.bytes())
	case 6:
		s.receive(enveloped('V', s.o.config.Run, s.bytes()))
	case 7:
		s.queued = s.queued[:len(s.queued)/2]
	}
	for len(s.o.clerk.thanks) > 0 {
		(<-s.o.clerk.thanks)(true)
	}
}

// Whatever workers say, and whatever else arrives, the coordinator tells each query once,
// with a number that somebody has sent for this very point. What it says itself is sound,
// and an honest worker can finish the batch.
func FuzzCoordinator(f *testing.F) {
	f.Add([]byte{1, 0, 2, 0, 0, 2, 0, 2, 0, 0, 20, 2, 0})
	f.Add([]byte{1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 3, 0, 0, 5, 5, 0, 6, 0, 0, 6, 0, 3, 1, 0, 5, 5, 0, 5, 9, 0})
	f.Add([]byte{1, 0, 1, 1, 5, 3, 4, 'o', 'u', 'c', 'h', 5, 1, 1, 1, 0, 2, 4, 'o', 'u', 'c', 'h', 5, 1, 2, 1, 0, 2, 4, 'o', 'u', 'c', 'h', 5})
	f.Add([]byte{1, 0, 1, 0, 4, 2, '{', '}', 1, 1, 1, 0, 8, 2, 0x1f, 0x8b, 5, 4, 'n', 'u', 'l', 'l', 6, 9, 1, 'a', 1, 0, 0, 0, 0, 0, 0, 7})
	f.Add(slices.Repeat([]byte{1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 3, 0, 0, 5, 3, 0, 2, 1, 1, 'x', 0, 0, 2, 1}, 5))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newSiege(t, data)
		defer s.o.end()
		for steps := 0; len(s.rest) > 0 && steps < 500; steps++ {
			s.step()
		}
		if _, err := wire.DecodeStatus(s.o.Status().Encode()); err != nil {
			t.Errorf("%+v: %v", s.o.Status(), err)
		}
		honest := wire.Hello{Version: wire.Version, Worker: "honest", Procs: 2, Digest: wire.DigestOf(about)}
		for round := 0; s.b.left > 0 && s.b.why == nil; round++ {
			if round > 100 {
				t.Fatalf("%d values are missing", s.b.left)
			}
			s.clock.t = s.clock.t.Add(lost)
			s.hear(honest.Encode())
			s.o.desk.tick(s.clock.t)
			for s.work("honest") {
			}
		}
		for i, number := range s.b.numbers {
			if v, told := s.told[number]; told != s.b.known[i] || told && v != s.b.values[i] {
				t.Errorf("query %d has the value %v, told %v", number, s.b.values[i], v)
			}
		}
	})
}

// A parcel is a message of the queue, and what became of it.
type parcel struct {
	jetstream.Msg
	data []byte
	fate []string
}

func (p *parcel) Data() []byte { return p.data }
func (p *parcel) Nak() error   { p.fate = append(p.fate, "nak"); return nil }
func (p *parcel) Term() error  { p.fate = append(p.fate, "term"); return nil }
func (p *parcel) Metadata() (*jetstream.MsgMetadata, error) {
	return nil, errors.New("none")
}
func (p *parcel) NakWithDelay(time.Duration) error { return p.Nak() }

// A chute is a queue with one message.
type chute struct {
	jetstream.Consumer
	p *parcel
}

func (c chute) Next(...jetstream.FetchOpt) (jetstream.Msg, error) { return c.p, nil }

// Whatever is in the queue, a worker evaluates points of its own function's dimension and of
// its own run, in chunks that are not too large, and sends exactly their values. Everything
// else it gives back or throws away, and says so in a line.
func FuzzWorker(f *testing.F) {
	run := RunID{1}
	for _, c := range []wire.Chunk{
		{Run: run, First: 1, Dim: 2, Points: []float64{1, 2, 3, 4}},
		{Run: run, First: 1 << 53, Dim: 2, Points: []float64{math.NaN(), math.Inf(1)}, Skip: []string{"b"}},
		{Run: run, First: 1, Dim: 3, Points: []float64{1, 2, 3}},
		{Run: run, First: 1, Dim: 2, Points: []float64{1, 2}, Skip: []string{"a"}},
	} {
		m := c.Encode()
		f.Add(m[13:len(m)-4], byte(0))
	}
	f.Add([]byte("nonsense"), byte(1))
	f.Fuzz(func(t *testing.T, inside []byte, how byte) {
		message := enveloped('C', RunID{1 + how&1}, inside)
		if how&2 != 0 {
			message = inside
		}
		notes := 0
		w := &worker{working: map[*task]bool{}, run: run, WorkerConfig: WorkerConfig{
			Name: "a", Dim: 2, clock: &stillClock{t: time.Unix(1e9, 0)},
			Note: func(line string) {
				if notes++; wire.Line(line, 10_000) != line {
					t.Errorf("%q cannot be shown", line)
				}
			},
		}}
		w.hard, w.drain = context.Background(), context.Background()
		p := &parcel{data: message}
		w.consumer = chute{p: p}
		task := w.pull()
		if task == nil {
			if len(p.fate) != 1 || (p.fate[0] == "term") != (notes == 1) {
				t.Errorf("%x was not taken: %v, and %d words about it", message, p.fate, notes)
			}
			return
		}
		c := task.chunk
		if c.Run != run || c.Dim != 2 || c.Skips("a") || len(p.fate) > 0 || notes > 0 || len(message) > wire.MostBytes {
			t.Errorf("%+v was taken (%v)", c, p.fate)
		}
		asked := 0
		if err := w.evaluate(context.Background(), task, query.NewGuard(objective.Func(2, func(x []float64) float64 { asked++; return x[0] - x[1] }))); err != nil {
			t.Error(err)
		}
		if asked != c.Len() || asked > wire.MostPoints {
			t.Errorf("%d points of %d were evaluated", asked, c.Len())
		}
		v, err := wire.DecodeValues((&wire.Values{Run: run, Worker: "a", First: c.First, Answers: task.answers}).Encode())
		if err != nil || len(v.Answers) != asked {
			t.Errorf("%d values: %v", len(task.answers), err)
		}
	})
}
