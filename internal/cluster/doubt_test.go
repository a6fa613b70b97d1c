package cluster

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/untwist/untwist/internal/cluster/wire"
	"github.com/untwist/untwist/objective"
	"pgregory.net/rapid"
)

// A troupe is workers of a world: whole ones, that evaluate f, and broken ones, that fail
// everywhere.
type troupe struct {
	*world
	f    func(x []float64) float64
	came []string // those whose names begin with b are broken
}

// work lets a worker evaluate a chunk, and reports whether it had one.
func (w *troupe) work(name string) bool {
	c := w.take(name)
	if c == nil {
		return false
	}
	f := w.f
	if name[0] == 'b' {
		f = broken
	}
	return w.desk.take(evaluated(c, name, f, 0.01), w.now) != early
}

// round lets everybody who is here say hello and work, and some time pass.
func (w *troupe) round(pass time.Duration) {
	for _, name := range w.came {
		if w.hello(name, 1).excluded == "" {
			w.work(name)
		}
	}
	w.now = w.now.Add(pass)
	w.desk.tick(w.now)
}

// finish works until the batch is complete or given up.
func (w *troupe) finish(b *batch) error {
	for rounds := 0; b.left > 0 && b.why == nil; rounds++ {
		if rounds > 10_000 {
			return fmt.Errorf("%d values are missing", b.left)
		}
		w.round(time.Second)
	}
	return b.why
}

// The result does not depend on which worker comes first: broken ones first, whole ones first or
// together, one broken or a dozen. What is told is what f says, as with one process.
func TestTheFirstWorkerDoesNotDecide(t *testing.T) {
	const n = 8
	var dozen []string
	for i := range 12 {
		dozen = append(dozen, fmt.Sprint("b", i))
	}
	fails := func(x []float64) float64 { // at the first points, and at each fifth
		if q := int(x[0] / 10); q < 3 || q%5 == 0 {
			return math.NaN()
		}
		return x[0]
	}
	for name, waves := range map[string][][]string{
		"the whole one alone":     {{"w"}},
		"the broken one first":    {{"b"}, {"w"}},
		"the whole one first":     {{"w"}, {"b"}},
		"together":                {{"b", "w"}},
		"a dozen broken ones":     {dozen, {"w"}},
		"broken ones in between":  {{"b", "b0"}, {"w"}, {"b1"}},
		"whole ones in between":   {{"b"}, {"w", "w0"}, {"b1"}},
		"broken ones go, and two": {{"b"}, {}, {"w", "w0"}},
	} {
		w := &troupe{world: newWorld(1), f: fails}
		for first := 1; first < 5*n; first += n {
			b := w.begin(first, n, func(int) bool { return false })
			if len(waves) > 0 {
				for _, wave := range waves {
					w.came = append(w.came, wave...)
					for range 20 {
						w.round(time.Second)
					}
				}
				waves = nil
			}
			if err := w.finish(b); err != nil {
				t.Fatalf("%s: query %d: %v", name, first, err)
			}
			w.desk.end()
		}
		for q, a := range w.told {
			if want := fails([]float64{float64(10 * q)}); a.Value != want && !(math.IsNaN(want) && math.IsInf(a.Value, 1) && a.By[0] == 'w') {
				t.Errorf("%s: query %d is told as %v by %s, and f says %v", name, q, a.Value, a.By, want)
			}
		}
	}
}

// The same for any workers that come and go at any time, any batches and any failures of f.
func TestAnyOrderOfArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SliceOfN(rapid.Bool(), 60, 60).Draw(t, "fails")
		f := func(x []float64) float64 {
			if bad[int(x[0]/10)%len(bad)] {
				return math.NaN()
			}
			return x[0]
		}
		w := &troupe{world: newWorld(1), f: f}
		names := []string{"b0", "b1", "b2", "w0", "w1"}
		first, succeeded := 1, false
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			n := rapid.IntRange(1, 12).Draw(t, "n")
			b := w.begin(first, n, func(int) bool { return false })
			for range rapid.IntRange(0, 20).Draw(t, "steps") {
				name := rapid.SampledFrom(names).Draw(t, "who")
				w.hello(name, rapid.IntRange(1, 2).Draw(t, "procs"))
				if m := w.desk.roster.all[name]; m.excluded == "" {
					w.work(name)
				}
				w.now = w.now.Add(time.Duration(rapid.IntRange(0, 20_000).Draw(t, "ms")) * time.Millisecond)
				w.desk.tick(w.now)
				if b.why != nil {
					break
				}
			}
			w.came = []string{"w0"}
			for q := first; q < first+n; q++ {
				succeeded = succeeded || !bad[q%len(bad)]
			}
			if err := w.finish(b); err != nil {
				if succeeded && len(w.told) > 0 || !errors.Is(err, objective.ErrAllFailed) {
					t.Fatalf("%v", err)
				}
				return // as it should: nobody has had a success
			}
			first += n
			w.desk.end()
		}
		for q, a := range w.told {
			if want := f([]float64{float64(10 * q)}); a.Value != want && !(math.IsNaN(want) && math.IsInf(a.Value, 1) && a.By[0] == 'w') {
				t.Fatalf("query %d is told as %v by %s, and f says %v", q, a.Value, a.By, want)
			}
		}
	})
}

// If nobody ever has a success, the run says so, waits, and ends; nothing is told. Where the user
// says so, failures are believed instead, at once.
func TestNothingEverSucceeds(t *testing.T) {
	for _, came := range [][]string{{"b"}, {"b", "b0"}} {
		w := &troupe{world: newWorld(1), came: came}
		b := w.begin(1, 3, func(int) bool { return false })
		began := w.now
		err := w.finish(b)
		if !errors.Is(err, objective.ErrAllFailed) || !strings.Contains(err.Error(), "the first 3 queries all failed; the first failure: no license") || !strings.Contains(err.Error(), "--keep-going") {
			t.Errorf("%v: %v", came, err)
		}
		if len(w.told) > 0 || len(w.notes) != 1 || !strings.Contains(w.notes[0], "waiting for another worker, for up to 1m0s; with --keep-going") {
			t.Errorf("%v: told %v; notes %q", came, w.told, w.notes)
		}
		if took := w.now.Sub(began); took < confirmWithin || took > confirmWithin+20*time.Second {
			t.Errorf("%v: after %v", came, took)
		}

		w = &troupe{world: newWorld(1), came: came}
		w.desk.believe = true
		b = w.begin(1, 3, func(int) bool { return false })
		began = w.now
		if err := w.finish(b); err != nil || len(w.told) != 3 || w.now.Sub(began) > 20*time.Second {
			t.Errorf("%v, believed: %v after %v, told %v", came, err, w.now.Sub(began), w.told)
		}
	}
}

// A worker that is alone and fails at all points of a batch is asked for a value that the run
// knows, from this coordinator or the one before. If it has it, the failures are f's. If not, it
// gets no more work.
func TestKnownSuccessesDecide(t *testing.T) {
	f := func(x []float64) float64 {
		if x[0] > 20 {
			return math.NaN()
		}
		return x[0]
	}
	for _, restarted := range []bool{false, true} {
		w := &troupe{world: newWorld(1), f: f}
		if restarted {
			w.desk.known = &Success{Query: 2, Point: []float64{20}, Value: 20, By: "w"}
		} else {
			w.came = []string{"w"}
			if err := w.finish(w.begin(1, 2, func(int) bool { return false })); err != nil {
				t.Fatal(err)
			}
			w.desk.end()
			w.now = w.now.Add(gone)
			w.desk.tick(w.now)
		}
		b := w.begin(3, 2, func(int) bool { return false })
		w.came = []string{"b"}
		for range 30 {
			w.round(time.Second)
		}
		if w.desk.roster.all["b"].excluded == "" || b.left != 2 {
			t.Errorf("restarted %v: the broken worker is not found out, or believed: %d are left", restarted, b.left)
		}
		began := w.now
		w.came = []string{"w1"}
		if err := w.finish(b); err != nil || w.told[3].By != "w1" || w.now.Sub(began) > 10*time.Second {
			t.Errorf("restarted %v: a whole worker is not believed: %v, told %v", restarted, err, w.told)
		}
		if n := len(w.desk.court.differences); n > 0 {
			t.Errorf("restarted %v: %d differences", restarted, n)
		}
	}
}

// Three workers that have ended at a query end the run. One that says so three times does not,
// nor do names that were never handed the query and cannot know its point.
func TestThreeWorkersEndARun(t *testing.T) {
	w := newWorld(1)
	b := w.begin(1, 3, func(int) bool { return false })
	broke := func(name string, query int, point float64) {
		h := wire.Hello{Worker: name, Broken: "no licence", Query: query, Check: wire.CheckOf([]float64{point})}
		w.desk.broke(w.hello(name, 1), h)
	}
	for range mostBroken {
		broke("a", 2, 20)
	}
	for _, forged := range []string{"x", "y", "z"} {
		broke(forged, 2, 21)
		broke(forged, 2, 30)
	}
	broke("b", 2, 20)
	broke("c", 3, 30)
	if b.why != nil {
		t.Fatal(b.why)
	}
	if len(w.notes) != 3 {
		t.Errorf("%q", w.notes)
	}
	broke("c", 2, 20)
	if b.why == nil {
		t.Error("three workers have ended at a query, and the run goes on")
	}
}
