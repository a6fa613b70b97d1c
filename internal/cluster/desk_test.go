package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// A world is a desk with a queue and workers that are as unreliable as a test wants.
type world struct {
	desk   desk
	now    time.Time
	queued []*wire.Chunk
	notes  []string
	told   map[int]objective.Answer // by query
}

func newWorld(d int) *world {
	w := &world{now: time.Unix(1e9, 0), told: map[int]objective.Answer{}}
	w.desk.board = board{dim: d, publish: func(c *wire.Chunk) { w.queued = append(w.queued, c) }}
	w.desk.court.note = func(line string) { w.notes = append(w.notes, line) }
	return w
}

// begin begins a batch of n points from query first on, whose numbers are skipped where skip
// says so.
func (w *world) begin(first, n int, skip func(i int) bool) *batch {
	var numbers []int
	for i := 0; len(numbers) < n; i++ {
		if !skip(i) {
			numbers = append(numbers, first+i)
		}
	}
	points := mat.NewDense(n, w.desk.board.dim, nil)
	for i := range n {
		for k := range w.desk.board.dim {
			points.Set(i, k, float64(numbers[i]*10+k))
		}
	}
	b := newBatch(points, make([]float64, n), func(i int) int { return numbers[i] }, func(i int, a objective.Answer) {
		if _, before := w.told[numbers[i]]; before {
			panic("told twice")
		}
		w.told[numbers[i]] = a
	})
	w.desk.begin(b, w.now)
	return b
}

// hello lets a worker say hello.
func (w *world) hello(name string, procs int, working ...int) *member {
	m, _ := w.desk.roster.hello(name, procs, w.now)
	m.working = working
	w.desk.fill(w.now)
	return m
}

// take takes the next chunk that a worker may evaluate from the queue.
func (w *world) take(worker string) *wire.Chunk {
	for i, c := range w.queued {
		if !c.Skips(worker) {
			w.queued = slices.Delete(w.queued, i, i+1)
			return c
		}
	}
	return nil
}

// values evaluates a chunk.
func evaluated(c *wire.Chunk, worker string, f func(x []float64) float64, seconds float64) *wire.Values {
	v := &wire.Values{Run: c.Run, Worker: worker, First: c.First}
	for i := range c.Len() {
		a := wire.Answer{Offset: i, Check: wire.CheckOf(c.Point(i))}
		a.Value, a.Seconds, a.By = f(c.Point(i)), seconds, worker
		if math.IsNaN(a.Value) {
			a.Value, a.Failure = math.Inf(1), &objective.Failure{Kind: objective.BadExit, Detail: "no license"}
		}
		v.Answers = append(v.Answers, a)
	}
	return v
}

func firstOf(x []float64) float64 { return x[0] }
func broken([]float64) float64    { return math.NaN() }

// Chunks and values may get lost, come twice, late and in any order, and workers may die:
// every query gets its value once, as long as somebody works.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(rapid.IntRange(1, 3).Draw(t, "d"))
		n := rapid.IntRange(1, 60).Draw(t, "n")
		gaps := rapid.IntRange(0, 3).Draw(t, "gaps")
		b := w.begin(rapid.IntRange(1, 50).Draw(t, "first"), n, func(i int) bool { return gaps > 0 && i%(gaps+3) == 1 })
		var under []*wire.Values // ways
		names := []string{"a", "b", "c"}
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "who")
			switch rapid.IntRange(0, 6).Draw(t, "what") {
			case 0:
				w.hello(name, rapid.IntRange(1, 3).Draw(t, "procs"))
			case 1, 2: // it evaluates a chunk
				if c := w.take(name); c != nil {
					under = append(under, evaluated(c, name, firstOf, 0.1))
				}
			case 3, 4: // values come, perhaps not for the last time
				if len(under) > 0 {
					i := rapid.IntRange(0, len(under)-1).Draw(t, "which")
					w.desk.take(under[i], w.now)
					if rapid.Bool().Draw(t, "once") {
						under = slices.Delete(under, i, i+1)
					}
				}
			case 5: // a chunk or values get lost
				w.queued, under = w.queued[:len(w.queued)/2], under[:len(under)/2]
			case 6:
				w.now = w.now.Add(time.Duration(rapid.IntRange(0, 30).Draw(t, "s")) * time.Second)
				w.desk.tick(w.now)
			}
		}
		for round := 0; b.left > 0; round++ { // from now on nothing goes wrong
			if round > 10*n {
				t.Fatalf("%d of %d values are missing", b.left, n)
			}
			w.now = w.now.Add(lost)
			w.hello("a", 2)
			w.desk.tick(w.now)
			for c := w.take("a"); c != nil; c = w.take("a") {
				w.desk.take(evaluated(c, "a", firstOf, 0.1), w.now)
			}
		}
		for i, number := range b.numbers {
			if b.values[i] != float64(number*10) || w.told[number].Value != b.values[i] {
				t.Errorf("query %d has the value %v, told %v", number, b.values[i], w.told[number].Value)
			}
		}
		if len(w.desk.court.differences) > 0 {
			t.Errorf("differences: %v", w.desk.court.differences)
		}
	})
}

// At the end of a batch an idle worker gets a second copy of what takes twice as long as
// usual, and no third one. Its value counts; the late one is compared.
func TestSecondCopies(t *testing.T) {
	w := newWorld(1)
	b := w.begin(1, 4, func(int) bool { return false })
	w.hello("fast", 1)
	w.hello("slow", 1)
	w.desk.pace.learn(1, 1)
	slow := w.take("slow")
	for b.left > 1 {
		w.desk.take(evaluated(w.take("fast"), "fast", firstOf, 1), w.now)
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{time.Second, 0}, {time.Second, 0}, {patience, 0}, {time.Millisecond, 1}, {5 * time.Second, 1}} {
		w.now = w.now.Add(c.after)
		w.hello("fast", 1)
		w.hello("slow", 1, slow.First)
		w.desk.tick(w.now)
		if len(w.queued) != c.want {
			t.Fatalf("%v after the chunk was sent: %d copies", w.now.Sub(time.Unix(1e9, 0)), len(w.queued))
		}
	}
	w.desk.take(evaluated(w.take("fast"), "fast", firstOf, 1), w.now)
	if b.left != 0 {
		t.Error("the copy does not count")
	}
	w.desk.take(evaluated(slow, "slow", firstOf, 10), w.now)
	if len(w.desk.court.differences) != 0 {
		t.Error("the same value twice is a difference")
	}
}

// A chunk that somebody works on is not sent again, however long that takes. If nobody does
// although somebody has nothing to do, it is.
func TestLostChunksAreSentAgain(t *testing.T) {
	w := newWorld(1)
	w.begin(1, 1, func(int) bool { return false })
	w.hello("a", 2)
	c := w.take("a")
	for range 1000 {
		w.now = w.now.Add(beat)
		w.hello("a", 2, c.First)
		w.desk.tick(w.now)
	}
	if len(w.queued) != 0 || w.desk.board.retries != 0 {
		t.Fatalf("%d copies although it is being worked on", len(w.queued))
	}
	w.hello("a", 2)
	w.desk.tick(w.now)
	if len(w.queued) != 1 || w.desk.board.retries != 1 {
		t.Errorf("%d copies of a lost chunk", len(w.queued))
	}
}

// A worker whose points all fail where those of others do not spoils no value, and gets no
// more work.
func TestBrokenWorkers(t *testing.T) {
	w := newWorld(1)
	b := w.begin(1, 8, func(int) bool { return false })
	bad, good := w.hello("bad", 1), w.hello("good", 1)
	for range 100 {
		if c := w.take("bad"); c != nil && bad.excluded == "" {
			w.desk.take(evaluated(c, "bad", broken, 0.01), w.now)
		}
		if c := w.take("good"); c != nil {
			w.desk.take(evaluated(c, "good", firstOf, 1), w.now)
		}
		w.now = w.now.Add(lost)
		w.hello("bad", 1)
		w.hello("good", 1)
		w.desk.tick(w.now)
	}
	if b.left > 0 || slices.ContainsFunc(b.values, func(v float64) bool { return math.IsInf(v, 1) }) {
		t.Errorf("%d left, values %v", b.left, b.values)
	}
	if !strings.Contains(bad.excluded, "no license") || good.excluded != "" || len(w.notes) != 1 {
		t.Errorf("excluded: %q and %q; notes %q", bad.excluded, good.excluded, w.notes)
	}
	if w.desk.take(&wire.Values{Worker: "bad", First: 1}, w.now) != refused {
		t.Error("it may still send values")
	}
}

// Of three workers, one whose values are sometimes wrong is named and gets no more work.
// The others are not suspected.
func TestWrongWorkersAreNamed(t *testing.T) {
	for seed := range 20 {
		w := newWorld(1)
		w.desk.court.share = 0.1
		members := map[string]*member{}
		points, wrong := 0, 0
		for first := 1; members["c"] == nil || members["c"].excluded == ""; first += 500 {
			b := w.begin(first, 500, func(int) bool { return false })
			for b.left > 0 {
				for i, name := range []string{"a", "b", "c"} {
					if members[name] = w.hello(name, 1); members[name].excluded != "" {
						continue
					}
					c := w.take(name)
					if c == nil {
						continue
					}
					w.desk.take(evaluated(c, name, func(x []float64) float64 {
						if i == 2 {
							points++
							if int(x[0]*7+float64(seed))%100/10 == 3 {
								wrong++
								return x[0] + 1
							}
						}
						return x[0]
					}, 0.01), w.now)
				}
				w.now = w.now.Add(time.Second)
				w.desk.tick(w.now)
			}
			w.desk.end()
			if points > 1000 {
				t.Fatalf("seed %d: %d points, %d of them wrong, and nobody has noticed", seed, points, wrong)
			}
		}
		if members["a"].excluded != "" || members["b"].excluded != "" {
			t.Errorf("seed %d: innocent workers are excluded: %v", seed, w.notes)
		}
		d := w.desk.court.differences[0]
		if d.Wrong != "c" || len(d.Worker) != 3 {
			t.Errorf("seed %d: %v", seed, d)
		}
	}
}

// A function that never returns the same value twice is no worker's fault.
func TestNoisyFunctionsAreNobodysFault(t *testing.T) {
	w := newWorld(1)
	w.desk.court.share = 1
	noise := 0.0
	for _, name := range []string{"a", "b", "c"} {
		w.hello(name, 1)
	}
	b := w.begin(1, 30, func(int) bool { return false })
	for b.left > 0 || len(w.desk.court.pending) > 0 {
		for _, name := range []string{"a", "b", "c"} {
			m := w.hello(name, 1)
			if m.excluded != "" {
				t.Fatalf("%s is excluded: %s", name, m.excluded)
			}
			if c := w.take(name); c != nil {
				w.desk.take(evaluated(c, name, func([]float64) float64 { noise++; return noise }, 0.01), w.now)
			}
		}
		w.now = w.now.Add(time.Second)
		w.desk.tick(w.now)
	}
	if len(w.desk.court.differences) != 30 || !strings.Contains(fmt.Sprint(w.notes), "does not always return the same value") {
		t.Errorf("%d differences; notes %q", len(w.desk.court.differences), w.notes)
	}
}

// Values for other points than those of the run are not taken, nor those of queries that
// were not asked yet.
func TestStrangeValues(t *testing.T) {
	w := newWorld(1)
	b := w.begin(5, 2, func(int) bool { return false })
	w.hello("a", 1)
	c := w.take("a")
	other := &wire.Chunk{First: c.First, Dim: 1, Points: []float64{123}}
	if got := w.desk.take(evaluated(other, "a", firstOf, 1), w.now); got != strange {
		t.Errorf("values of other points: %v", got)
	}
	later := &wire.Chunk{First: 100, Dim: 1, Points: []float64{1000}}
	if got := w.desk.take(evaluated(later, "a", firstOf, 1), w.now); got != early {
		t.Errorf("values of later queries: %v", got)
	}
	before := &wire.Chunk{First: 2, Dim: 1, Points: []float64{20}}
	if got := w.desk.take(evaluated(before, "a", firstOf, 1), w.now); got != taken {
		t.Errorf("values of earlier queries: %v", got)
	}
	if b.left != 2 || len(w.told) != 0 {
		t.Errorf("%d left, told %v", b.left, w.told)
	}
}

// Chunks hold about a second of work, one point where nothing is known or a point takes
// longer, and at most a quarter of what is left for each process; but a whole share, or
// more, where that takes no longer than a message.
func TestChunkSizes(t *testing.T) {
	for _, c := range []struct {
		seconds        float64
		left, procs, d int
		want           int
	}{
		{0, 1000, 1, 1, 1},
		{0.01, 100_000, 4, 1, 100},
		{0.01, 1000, 4, 1, 59},
		{0.5, 1000, 1, 1, 2},
		{3600, 1000, 1, 1, 1},
		{1e-6, 1_000_000, 2, 1, wire.MostPoints},
		{1e-6, 1_000_000, 2, 10_000, 3},
		{1e-6, 1_000_000, 2, wire.MostDim, 1},
		{0.01, 3, 16, 1, 1},
		{0.01, 30, 4, 1, 2},
		{1e-6, 1024, 2, 1, 1024},
		{1e-6, 1024, 2, 100, 256},
		{1e-5, 1024, 16, 10, 171},
		{1e-5, 50, 16, 10, 50},
		{1e-4, 1024, 16, 10, 64},
		{0.001, 50, 16, 10, 4},
		{0.01, 16, 16, 10, 1},
	} {
		p := pace{seconds: c.seconds, quick: c.seconds}
		if got := p.size(c.left, c.procs, wire.Fits(c.d)); got != c.want {
			t.Errorf("%+v: %d points", c, got)
		}
	}
}

// Values of queries that were not sent yet, from a worker that had them from a coordinator
// before this one, are taken, and their queries are not sent any more.
func TestWhatIsKnownIsNotSent(t *testing.T) {
	w := newWorld(1)
	w.begin(1, 9, func(int) bool { return false })
	w.hello("a", 1)
	early := &wire.Chunk{First: 3, Dim: 1, Points: []float64{30, 40, 50, 60}}
	if v := w.desk.take(evaluated(early, "a", firstOf, 1), w.now); v != taken {
		t.Fatalf("the verdict is %v", v)
	}
	var sent []int
	for c := w.take("a"); c != nil; c = w.take("a") {
		for i := range c.Len() {
			sent = append(sent, c.First+i)
		}
		w.desk.take(evaluated(c, "a", firstOf, 1), w.now)
	}
	if want := []int{1, 2, 7, 8, 9}; !slices.Equal(sent, want) || len(w.told) != 9 {
		t.Errorf("%v were sent, not %v, and %d have values", sent, want, len(w.told))
	}
}

// Of an order that is sent again, only that is sent whose values are not there.
func TestOnlyWhatIsMissingIsSentAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(2)
		w.desk.pace.learn(1, 1e-6) // all of it is one chunk
		w.hello("a", 1)
		w.hello("b", 1)
		n := rapid.IntRange(1, 12).Draw(t, "n")
		w.begin(1, n, func(int) bool { return false })
		whole := w.take("a")
		if whole.Len() != n {
			t.Fatalf("%d of %d were sent", whole.Len(), n)
		}
		v := evaluated(whole, "a", firstOf, 1)
		v.Answers = slices.DeleteFunc(v.Answers, func(wire.Answer) bool { return rapid.Bool().Draw(t, "lost") })
		w.desk.take(v, w.now)
		w.now = w.now.Add(time.Second)
		w.queued = nil // the queue was lost
		w.desk.board.repost(w.now, &w.desk.roster)
		for c := w.take("b"); c != nil; c = w.take("b") {
			for i := range c.Len() {
				if _, known := w.told[c.First+i]; known {
					t.Fatalf("query %d was known, and was sent again", c.First+i)
				}
			}
			w.desk.take(evaluated(c, "b", firstOf, 1), w.now)
		}
		for q := 1; q <= n; q++ {
			if w.told[q].Value != float64(10*q) {
				t.Fatalf("query %d: %v", q, w.told[q])
			}
		}
		if b := &w.desk.board; b.orders != 0 || b.copies != 0 {
			t.Fatalf("%d orders are left, and %d copies", b.orders, b.copies)
		}
	})
}

// Points that fail at once do not make chunks of others longer, whose points take an hour.
func TestFailuresSayNothingAboutTimes(t *testing.T) {
	w := newWorld(1)
	b := w.begin(1, 1000, func(int) bool { return false })
	w.desk.prove(w.hello("a", 1)) // its failures are believed
	for b.left > 0 {
		c := w.take("a")
		if c.Len() > 1 {
			t.Fatalf("a chunk of %d points", c.Len())
		}
		f, seconds := broken, 1e-6
		if c.First%20 == 19 {
			f, seconds = firstOf, 3600
		}
		w.desk.take(evaluated(c, "a", f, seconds), w.now)
	}
}
