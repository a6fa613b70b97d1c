package experiment

import (
	"sync"
	"time"

	"github.com/untwist/untwist/internal/store"
)

// Progress is how far a grid has come.
type Progress struct {
	Now         store.Key // the run that began or ended last
	Done, Total int
	Left        time.Duration // an estimate; negative while there is none yet
}

// A cell is a method on a case, by their keys.
type cell struct{ problem, method string }

// cost is the time that the runs of a cell took, not counting a frame that they share.
type cost struct {
	runs    int
	seconds float64
}

// A watch counts runs and estimates the time left.
type watch struct {
	mutex  sync.Mutex
	grid   Grid
	cases  map[string]bool   // the keys of the grid's cases
	finder map[string]string // those of its methods, and of who finds the frames that they share; "": they share none
	frames map[string]bool   // the keys of those who find frames
	runs   map[string]int    // how many runs of each of these there are on a case
	jobs   int
	notice func(Progress)
	costs  map[cell]cost
	seen   map[store.Key]bool // the runs of the grid that are done, and the frames
	done   int                // how many runs of the grid are done
}

// newWatch returns a watch that has counted the known runs of the grid.
func newWatch(g Grid, known []store.Run, jobs int, notice func(Progress)) *watch {
	w := &watch{
		grid: g, cases: map[string]bool{}, finder: map[string]string{}, frames: map[string]bool{}, runs: map[string]int{},
		jobs: jobs, notice: notice, costs: map[cell]cost{}, seen: map[store.Key]bool{},
	}
	for _, c := range g.Cases {
		w.cases[c.Key()] = true
	}
	for _, m := range g.Methods {
		w.finder[m.Key()], w.runs[m.Key()] = "", g.runs(m)
		if m.Shared {
			w.finder[m.Key()] = m.finder().Key()
			w.frames[m.finder().Key()], w.runs[m.finder().Key()] = true, g.Runs
		}
	}
	seconds := map[store.Key]float64{}
	for _, run := range known {
		if w.frames[run.Method] {
			seconds[run.Key] = run.Seconds
		}
	}
	for _, run := range known {
		if finder := w.finder[run.Method]; finder != "" {
			run.Seconds -= seconds[store.Key{Problem: run.Problem, Method: finder, Seed: run.Seed}]
		}
		w.count(run.Key, run.Seconds)
	}
	return w
}

// count counts a finished run, if it is a frame or belongs to the grid and has not been
// counted yet.
func (w *watch) count(k store.Key, seconds float64) {
	_, ours := w.finder[k.Method]
	if !ours && !w.frames[k.Method] || !w.cases[k.Problem] || k.Seed-w.grid.Seed >= uint64(w.runs[k.Method]) || w.seen[k] {
		return
	}
	w.seen[k] = true
	if ours {
		w.done++
	}
	c := w.costs[cell{k.Problem, k.Method}]
	w.costs[cell{k.Problem, k.Method}] = cost{c.runs + 1, c.seconds + seconds}
}

// found counts a run that was already in the store.
func (w *watch) found(run store.Run) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.count(run.Key, run.Seconds)
}

// begin reports that a run has begun.
func (w *watch) begin(k store.Key) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.tell(k)
}

// end counts a run and reports that it is done.
func (w *watch) end(k store.Key, seconds float64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.count(k, seconds)
	w.tell(k)
}

func (w *watch) tell(k store.Key) {
	if w.notice != nil {
		w.notice(Progress{Now: k, Done: w.done, Total: w.grid.total(), Left: w.left()})
	}
}

// left estimates the time left. It assumes that a run takes the average time of its cell,
// or of all runs if its cell has none yet.
func (w *watch) left() time.Duration {
	var all cost
	for _, c := range w.costs {
		all.runs += c.runs
		all.seconds += c.seconds
	}
	if all.runs == 0 {
		return -1
	}
	seconds := 0.0
	for name := range w.cases {
		frames := map[string]int{} // how many are still to be found
		for method, finder := range w.finder {
			runs := w.runs[method] - w.costs[cell{name, method}].runs
			seconds += w.take(cell{name, method}, runs, all)
			frames[finder] = max(frames[finder], runs)
		}
		for finder := range w.frames {
			found := w.costs[cell{name, finder}].runs
			seconds += w.take(cell{name, finder}, min(frames[finder], max(0, w.grid.Runs-found)), all)
		}
	}
	return time.Duration(seconds / float64(w.jobs) * float64(time.Second))
}

// take returns the seconds that the given number of runs of a cell will take.
func (w *watch) take(of cell, runs int, all cost) float64 {
	c := w.costs[of]
	if c.runs == 0 {
		c = all
	}
	return float64(runs) * c.seconds / float64(c.runs)
}
