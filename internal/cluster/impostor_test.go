package cluster

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
)

// impostor returns a server, and a client that may do all that a coordinator may.
func impostor(t *testing.T, run RunID) (*Server, *nats.Conn) {
	t.Helper()
	s, err := Listen(run, "127.0.0.1:0", Access{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	nc, err := s.connect(link{}.options()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return s, nc
}

// A worker says no to a coordinator that says strange things, in one line.
func TestWorkersRefuseStrangeWelcomes(t *testing.T) {
	t.Parallel()
	run := RunID{5}
	but := func(change func(*wire.Welcome)) []byte {
		w := wire.Welcome{Version: wire.Version, Run: run.String(), Dim: 2}
		change(&w)
		return w.Encode()
	}
	for name, c := range map[string]struct {
		answer []byte
		says   string
	}{
		"nothing":            {nil, "EOF"},
		"nonsense":           {[]byte("HTTP/1.1 200 OK"), "cannot be used"},
		"a huge name":        {[]byte(`{"Version":1,"` + strings.Repeat("x", 1<<19) + `":1}`), "unknown field"},
		"brackets":           {[]byte(strings.Repeat("[", 1<<19)), "cannot be used"},
		"no dimension":       {but(func(w *wire.Welcome) { w.Dim = 0 }), "points of 0 numbers"},
		"another dimension":  {but(func(w *wire.Welcome) { w.Dim = 3 }), "the run's points have 3 numbers, and ours 2"},
		"too many numbers":   {but(func(w *wire.Welcome) { w.Dim = wire.MostDim + 1 }), "points of 130001 numbers"},
		"not a run":          {but(func(w *wire.Welcome) { w.Run = "*.>" }), "is not the ID of a run"},
		"another version":    {but(func(w *wire.Welcome) { w.Version = 2 }), "use the same program everywhere"},
		"too many chunks":    {but(func(w *wire.Welcome) { w.Needless = make([]int, 1<<15) }), "32768 chunks cannot be needless"},
		"strange words":      {but(func(w *wire.Welcome) { w.Refused = "no\n\x1b[2J\u009b" }), "no  [2J"},
		"a run that is none": {but(func(*wire.Welcome) {}), "the queue of the run is not there"},
		"never enough":       {but(func(w *wire.Welcome) { w.Explain = true }), "it asks again and again what we evaluate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for more coordinators
			s, nc := impostor(t, run)
			for _, on := range []string{subjectOfAll(hello), subject(run, hello)} {
				if _, err := nc.Subscribe(on, func(m *nats.Msg) { _ = m.Respond(c.answer) }); err != nil {
					t.Fatal(err)
				}
			}
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			err := Work(context.Background(), WorkerConfig{
				Server: s.URL(), About: about, Dim: 2, Wait: 1,
				Open: func(int) (objective.Objective, error) { panic("it works") },
			})
			if err == nil || !strings.Contains(err.Error(), c.says) || wire.Line(err.Error(), 3000) != err.Error() {
				t.Errorf("%.200v; want %q", err, c.says)
			}
		})
	}
}

// A worker evaluates nothing but points of its own run and dimension, whatever is in the
// queue, and keeps its values until somebody says that they are kept.
func TestWorkersRefuseStrangeChunks(t *testing.T) {
	t.Parallel()
	run := RunID{6}
	s, nc := impostor(t, run)
	q, err := newQueue(run, nc)
	if err == nil {
		err = q.begin(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	good := &wire.Chunk{Run: run, First: 1, Dim: 2, Points: []float64{3, 4}}
	strange := [][]byte{
		nil, []byte("nonsense"), make([]byte, 1<<20-1),
		(&wire.Chunk{Run: RunID{7}, First: 1, Dim: 2, Points: []float64{1, 2}}).Encode(),
		(&wire.Chunk{Run: run, First: 1, Dim: 1, Points: []float64{1}}).Encode(),
		(&wire.Chunk{Run: run, First: 1, Dim: 2, Points: make([]float64, 2*wire.MostPoints+2)}).Encode(),
		(&wire.Chunk{Run: run, First: 0, Dim: 2, Points: []float64{1, 2}}).Encode(),
		enveloped('C', run, []byte{1, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0}),
		(&wire.Values{Run: run, Worker: "a", First: 1, Answers: []wire.Answer{{}}}).Encode(),
	}
	for _, m := range strange {
		if err := nc.Publish(subject(run, work), m); err != nil {
			t.Fatal(err)
		}
	}
	welcome := wire.Welcome{Version: wire.Version, Run: run.String(), Dim: 2, Needless: []int{1 << 53}}
	receipts := [][]byte{[]byte(`{"Kept":true,"Later":true}`), wire.Receipt{Kept: true}.Encode()}
	got := make(chan *wire.Values, 100)
	handle := func(on string, hear nats.MsgHandler) {
		if _, err := nc.Subscribe(on, hear); err != nil {
			t.Fatal(err)
		}
	}
	handle(subjectOfAll(hello), func(m *nats.Msg) { _ = m.Respond(welcome.Encode()) })
	handle(subject(run, hello), func(m *nats.Msg) { _ = m.Respond(welcome.Encode()) })
	handle(subject(run, values), func(m *nats.Msg) {
		v, err := wire.DecodeValues(m.Data)
		if err != nil {
			t.Error(err)
		}
		got <- v
		_ = m.Respond(receipts[min(len(got), len(receipts))-1])
		if len(got) == len(receipts) {
			_ = nc.Publish(subject(run, end), []byte(farewell))
		}
	})
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	notes := make(chan string, 100)
	asked, refused := 0, atomic.Int64{}
	if err := Work(context.Background(), WorkerConfig{
		Server: s.URL(), Name: "a", About: about, Dim: 2, Note: func(line string) {
			notes <- line
			if strings.Contains(line, "cannot be used") && refused.Add(1) == int64(len(strange)) {
				_ = nc.Publish(subject(run, work), good.Encode())
			}
		},
		Open: func(int) (objective.Objective, error) {
			return objective.Func(2, func(x []float64) float64 { asked++; return math.Hypot(x[0], x[1]) }), nil
		},
	}); err != nil {
		t.Fatal(err)
	}
	if asked != 1 || len(got) != len(receipts) {
		t.Errorf("%d points were evaluated, and values sent %d times", asked, len(got))
	}
	if v := <-got; v.First != 1 || v.Answers[0].Value != 5 {
		t.Errorf("%+v", v)
	}
	if line := <-notes; line != "works for run "+run.String()+" with 1 process" {
		t.Errorf("%q", line)
	}
	about := 0
	for range len(notes) {
		line := <-notes
		if strings.Contains(line, "the coordinator does not answer") || line == "the coordinator is there again" {
			continue // on a busy machine
		}
		if about++; wire.Line(line, 3000) != line || !strings.Contains(line, "cannot be used") {
			t.Errorf("%q", line)
		}
	}
	if about != len(strange) {
		t.Errorf("%d words about %d strange chunks", about, len(strange))
	}
}
