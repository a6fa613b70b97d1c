package cluster

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// A scale stands between a worker and its server, passes everything on, and weighs messages.
type scale struct {
	net.Listener
	to      string
	passing sync.WaitGroup

	mu       sync.Mutex
	longest  map[string]int // by what the protocol calls them: MSG to the worker, PUB from it
	messages int
}

func newScale(t *testing.T, url string) *scale {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scale{Listener: l, to: strings.TrimPrefix(url, "nats://"), longest: map[string]int{}}
	s.passing.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", s.to)
			if err != nil {
				in.Close()
				continue
			}
			s.passing.Go(func() { s.pass(out, in) })
			s.passing.Go(func() { s.pass(in, out) })
		}
	})
	return s
}

// close waits until both sides have hung up.
func (s *scale) close() {
	s.Close()
	s.passing.Wait()
}

// pass passes on what one side says: lines, some of which announce the length of a message.
func (s *scale) pass(to, from net.Conn) {
	defer to.Close()
	r := bufio.NewReader(from)
	for {
		line, err := r.ReadString('\n')
		if _, err := io.WriteString(to, line); err != nil {
			return
		}
		if err != nil {
			return
		}
		switch words := strings.Fields(line); {
		case len(words) > 1 && strings.Contains("PUB HPUB MSG HMSG", words[0]):
			n, err := strconv.Atoi(words[len(words)-1])
			if err != nil {
				return
			}
			s.mu.Lock()
			s.messages++
			s.longest[strings.TrimPrefix(words[0], "H")] = max(s.longest[strings.TrimPrefix(words[0], "H")], n)
			s.mu.Unlock()
			if _, err := io.CopyN(to, r, int64(n)+2); err != nil {
				return
			}
		}
	}
}

// No message is longer than 256 KiB, and those of many points are not much shorter: points of
// 10,000 numbers, points of 1,000 that fail with many words, and as many such words as a
// message can have.
func TestMessagesOnTheWire(t *testing.T) {
	t.Parallel()
	const most = 256 << 10
	fails := func(_ context.Context, x []float64) (float64, error) {
		if x[0] > 10 {
			return 0, fmt.Errorf("point %v: %s", x[0], strings.Repeat("no license for this machine; ", 20))
		}
		return x[0], nil
	}
	for _, c := range []struct {
		d, n         int
		f            func(context.Context, []float64) (float64, error)
		toBe, fromBe int // the longest messages to and from the worker, at least
	}{
		{10_000, 13 * 3, func(_ context.Context, x []float64) (float64, error) { return x[0], nil }, 3 * 80_000, 0},
		{1_000, 6 * 32, fails, 32 * 8000, 32 * 200},
		{1, 5 * 1024, fails, 1024 * 8, 1024 * 200},
	} {
		t.Run(fmt.Sprint(c.d), func(t *testing.T) {
			t.Parallel()
			s := newStand(t, c.d, nil)
			scale := newScale(t, s.server.URL())
			stop := s.worker("a", objective.Fallible(c.d, c.f), func(w *WorkerConfig) { w.Server = "nats://" + scale.Addr().String() })
			points := mat.NewDense(10+c.n, c.d, nil)
			for i := range 10 + c.n {
				points.Set(i, 0, float64(i+1))
			}
			for _, rows := range [][2]int{{0, 10}, {10, 10 + c.n}} { // at first nobody knows how long a point takes
				if rows[0] > 0 { // a point is quick, also where a busy machine has let the first ones wait
					s.mu.Lock()
					s.desk.pace = pace{seconds: 1e-6, quick: 1e-6}
					s.mu.Unlock()
				}
				ctx := query.WithNumbers(context.Background(), func(i int) int { return rows[0] + i + 1 })
				part := points.Slice(rows[0], rows[1], 0, c.d).(*mat.Dense)
				if err := s.Evaluate(ctx, part, make([]float64, rows[1]-rows[0])); err != nil {
					t.Fatal(err)
				}
			}
			stop()
			scale.close()
			to, from := scale.longest["MSG"], scale.longest["PUB"]
			t.Logf("%d messages, the longest to the worker of %d bytes, from it of %d", scale.messages, to, from)
			if to > most || from > most || to < c.toBe || from < c.fromBe {
				t.Errorf("at most %d bytes are allowed, and at least %d to it and %d from it expected", most, c.toBe, c.fromBe)
			}
		})
	}
}
