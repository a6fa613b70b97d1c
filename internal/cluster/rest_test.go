package cluster

import (
	"testing"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"pgregory.net/rapid"
)

// A worker that has to go hands in what it has. The rest of its chunk is sent at once, and
// nothing else.
func TestTheRestIsSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(2)
		w.desk.pace.learn(1, 1e-6) // all of it is one chunk
		w.hello("a", 1)
		n := rapid.IntRange(2, 12).Draw(t, "n")
		w.begin(1, n, func(int) bool { return false })
		v := evaluated(w.take("a"), "a", firstOf, 1)
		had := map[int]bool{}
		some := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 1, n-1, func(i int) int { return i }).Draw(t, "some")
		var answers []wire.Answer
		for _, a := range v.Answers {
			for _, i := range some {
				if a.Offset == i {
					answers, had[1+i] = append(answers, a), true
				}
			}
		}
		v.Answers = answers
		w.desk.take(v, w.now)
		w.desk.take(v, w.now) // its receipt was lost
		for c := w.take("b"); c != nil; c = w.take("b") {
			for i := range c.Len() {
				if had[c.First+i] {
					t.Fatalf("query %d was handed in, and is sent again", c.First+i)
				}
				had[c.First+i] = true
			}
		}
		if len(had) != n {
			t.Fatalf("%d of %d queries were handed in or sent again", len(had), n)
		}
	})
}

// Where points are compared, no worker has many more at once than it takes to notice that its
// values are wrong, however many processes it has and however little they take.
func TestCheckedWorkersHaveLittleInHand(t *testing.T) {
	for _, share := range []float64{0.01, 0.1, 1} {
		for _, procs := range []int{1, 8, 64} {
			w := newWorld(3)
			w.desk.court.share = share
			w.hello("a", procs)
			w.desk.pace.learn(1, 1e-6)
			w.begin(1, 100_000, func(int) bool { return false })
			points := 0
			for c := w.take("a"); c != nil; c = w.take("a") {
				points += c.Len()
			}
			if most := max(int(inHand/share), (1+ready)*procs); points > most {
				t.Errorf("share %v, %d processes: %d points are out, more than %d", share, procs, points, most)
			}
		}
	}
}

// Points that only a worker that has died may evaluate a second time do not keep others from a
// copy of what it has left.
func TestChecksDoNotHoldUpCopies(t *testing.T) {
	w := newWorld(1)
	w.desk.court.share = 1
	w.hello("a", 1)
	w.hello("b", 1)
	w.begin(1, 4, func(int) bool { return false })
	left := w.take("a")
	w.hello("a", 1, left.First) // and is never heard again
	for c := w.take("b"); c != nil; c = w.take("b") {
		w.desk.take(evaluated(c, "b", firstOf, 1), w.now)
	}
	w.now = w.now.Add(gone - time.Second)
	w.desk.tick(w.now)
	for c := w.take("b"); c != nil; c = w.take("b") {
		if c.First == left.First {
			return
		}
	}
	t.Error("nobody gets a copy")
}
