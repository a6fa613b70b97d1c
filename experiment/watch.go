package experiment

import (
	"sync"
	"time"

	"github.com/untwist/untwist/store"
)

// Progress is how far a grid has come.
type Progress struct {
	Now         store.Key // the run that was begun or ended last
	Done, Total int
	Left        time.Duration // about; less than 0: nothing is known yet
}

// A cell is a method on a problem.
type cell struct{ problem, method string }

// cost is what the runs of a cell took, each by itself.
type cost struct {
	runs    int
	seconds float64
}

// A watch counts runs and estimates the time left.
type watch struct {
	mutex  sync.Mutex
	grid   Grid
	jobs   int
	notice func(Progress)
	costs  map[cell]cost
	seen   map[store.Key]bool // runs of the grid, and frames
	done   int                // runs of the grid
}

// newWatch knows what the runs of the grid in the store took.
func newWatch(g Grid, known []store.Run, jobs int, notice func(Progress)) *watch {
	w := &watch{grid: g, jobs: jobs, notice: notice, costs: map[cell]cost{}, seen: map[store.Key]bool{}}
	frames := map[store.Key]float64{}
	for _, run := range known {
		if run.Method == identification.Name {
			frames[run.Key] = run.Seconds
		}
	}
	for _, run := range known {
		if m, known := methodNamed(run.Method); known && m.Shared {
			run.Seconds -= frames[store.Key{Problem: run.Problem, Method: identification.Name, Seed: run.Seed}]
		}
		w.count(run.Key, run.Seconds)
	}
	return w
}

// count takes notice of a run that is done, if it is one of the grid or a frame and not
// counted yet.
func (w *watch) count(k store.Key, seconds float64) {
	of := k
	if k.Method == identification.Name {
		of.Method = w.grid.Methods[0]
	}
	if !w.grid.has(of) || w.seen[k] {
		return
	}
	w.seen[k] = true
	if of == k {
		w.done++
	}
	c := w.costs[cell{k.Problem, k.Method}]
	w.costs[cell{k.Problem, k.Method}] = cost{c.runs + 1, c.seconds + seconds}
}

// found takes notice of a run that another program has made.
func (w *watch) found(run store.Run) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.count(run.Key, run.Seconds)
}

// begin tells that a run has begun.
func (w *watch) begin(k store.Key) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.tell(k)
}

// end tells that a run is done.
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

// left estimates the time left: every run takes as long as those of its cell did on
// average, or if there are none as all did.
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
	for _, name := range w.grid.Problems {
		frames := 0 // still to be found
		for i, method := range w.grid.Methods {
			runs := w.grid.Runs - w.costs[cell{name, method}].runs
			seconds += w.take(cell{name, method}, runs, all)
			if w.grid.method(i).Shared {
				frames = max(frames, runs)
			}
		}
		found := w.costs[cell{name, identification.Name}].runs
		seconds += w.take(cell{name, identification.Name}, min(frames, max(0, w.grid.Runs-found)), all)
	}
	return time.Duration(seconds / float64(w.jobs) * float64(time.Second))
}

// take is how long so many runs of a cell take.
func (w *watch) take(of cell, runs int, all cost) float64 {
	c := w.costs[of]
	if c.runs == 0 {
		c = all
	}
	return float64(runs) * c.seconds / float64(c.runs)
}
