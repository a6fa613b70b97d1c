package cluster

import (
	"fmt"
	"slices"
	"testing"
)

// A coordinator that was started again lets workers finish what they had from the one before,
// also what it has not sent again yet, but not what is known.
func TestOldChunksAreFinished(t *testing.T) {
	w := newWorld(1)
	w.begin(11, 100, func(i int) bool { return i == 5 }) // the journal has query 16
	if got := w.desk.needless([]int{3, 11, 16, 60, 110, 400}); !slices.Equal(got, []int{3, 16}) {
		t.Errorf("the chunks %v are needless, and not 3 and 16", got)
	}
}

// When a batch ends before it is complete, values for it are not taken for known, and whoever
// evaluates them goes on: they are asked for when the run goes on.
func TestWhatABatchLeavesIsKeptByWorkers(t *testing.T) {
	w := newWorld(1)
	w.hello("a", 3)
	whole := w.begin(1, 2, func(int) bool { return false })
	for c := w.take("a"); c != nil; c = w.take("a") {
		w.desk.take(evaluated(c, "a", firstOf, 1), w.now)
	}
	if whole.left > 0 {
		t.Fatal("the first batch is not complete")
	}
	w.desk.end()
	w.begin(3, 4, func(int) bool { return false })
	first, second := w.take("a"), w.take("a")
	w.desk.take(evaluated(first, "a", firstOf, 1), w.now)
	w.desk.end()
	if got := w.desk.take(evaluated(second, "a", firstOf, 1), w.now); got != early {
		t.Errorf("values for a batch that was cut are %d, not %d: wanted later", got, early)
	}
	if got := w.desk.needless([]int{1, second.First}); !slices.Equal(got, []int{1}) {
		t.Errorf("the chunks %v are needless, and not 1", got)
	}
}

// Of all the workers that came and went in weeks, only some are remembered, but all that are
// here or get no more work.
func TestGoneWorkersAreForgotten(t *testing.T) {
	w := newWorld(1)
	w.hello("wrong", 1)
	w.desk.exclude("wrong", "its values are wrong")
	for i := range 5 * mostGone {
		w.now = w.now.Add(gone / 10)
		w.hello("here", 1)
		w.hello(fmt.Sprint("w", i), 1)
	}
	all := w.desk.roster.all
	if len(all) > mostGone+12 { // ten are here, besides those two
		t.Errorf("%d workers are remembered", len(all))
	}
	if all["here"] == nil || all["wrong"] == nil {
		t.Error("a worker that is here or is excluded was forgotten")
	}
}

// A function that is not deterministic does not fill the memory with its differences, and all
// of them are counted.
func TestDifferencesAreLimited(t *testing.T) {
	w := newWorld(1)
	w.hello("a", 1)
	w.hello("b", 1)
	w.hello("c", 1)
	n := mostDifferences + 500
	for first := 1; first <= n; first++ {
		w.begin(first, 1, func(int) bool { return false })
		c := w.take("a")
		w.desk.take(evaluated(c, "a", firstOf, 1), w.now)
		w.desk.take(evaluated(c, "b", func([]float64) float64 { return -1 }, 1), w.now)
		w.desk.take(evaluated(c, "c", func([]float64) float64 { return -2 }, 1), w.now)
		w.desk.end()
		w.queued = nil
	}
	c := &w.desk.court
	if len(c.differences) != mostDifferences || c.found != n || len(c.pending) != 0 || len(w.notes) != mostDifferences {
		t.Errorf("%d differences of %d are kept, %d are open, and %d lines are told", len(c.differences), c.found, len(c.pending), len(w.notes))
	}
}
