package experiment

import (
	"sync"
	"time"

	"github.com/untwist/untwist/internal/store"
)

// A Tally says how many of Total runs are Done.
type Tally struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// Tallied returns the tally.
func (t Tally) Tallied() Tally { return t }

// Progress is how far a grid has come.
type Progress struct {
	Now store.Key // the run that began or ended last
	Tally
	Left time.Duration // an estimate; negative while there is none yet
}

// A cell is a method on a case, by their keys.
type cell struct{ problem, method string }

// A pace is how the runs of a cell go.
type pace struct {
	wanted, runs int
	seconds      float64 // that the runs took, not counting a frame that they share
	finder       string  // who finds the frames that they share; "": they share none
	counts       bool    // they are runs of the grid, and not frames
}

// take returns the seconds that so many runs will take: the average time of the cell, or of all
// runs if it has none yet.
func (p pace) take(runs int, all pace) float64 {
	if p.runs == 0 {
		p = all
	}
	return float64(runs) * p.seconds / float64(p.runs)
}

// A watch counts runs and estimates the time left.
type watch struct {
	mutex  sync.Mutex
	grid   Grid
	jobs   int
	notice func(Progress)
	cells  map[cell]*pace     // of the grid, and of those who find frames
	seen   map[store.Key]bool // the runs of the grid that are done, and the frames
	done   int                // how many runs of the grid are done
}

// newWatch returns a watch that has counted the known runs of the grid.
func newWatch(g Grid, known []store.Run, jobs int, notice func(Progress)) *watch {
	w := &watch{grid: g, jobs: jobs, notice: notice, cells: map[cell]*pace{}, seen: map[store.Key]bool{}}
	for _, c := range g.Cases {
		for _, m := range g.Methods {
			p := &pace{wanted: g.runs(m), counts: true}
			if m.Shared {
				p.finder = m.finder().Key()
				w.cells[cell{c.Key(), p.finder}] = &pace{wanted: g.Runs}
			}
			w.cells[cell{c.Key(), m.Key()}] = p
		}
	}
	seconds := map[store.Key]float64{}
	for _, run := range known {
		seconds[run.Key] = run.Seconds
	}
	for _, run := range known {
		if p := w.cells[cell{run.Problem, run.Method}]; p != nil && p.finder != "" {
			run.Seconds -= seconds[store.Key{Problem: run.Problem, Method: p.finder, Seed: run.Seed}]
		}
		w.count(run.Key, run.Seconds)
	}
	return w
}

// count counts a finished run, if it is a frame or belongs to the grid and has not been
// counted yet.
func (w *watch) count(k store.Key, seconds float64) {
	p := w.cells[cell{k.Problem, k.Method}]
	if p == nil || k.Seed-w.grid.Seed >= uint64(p.wanted) || w.seen[k] {
		return
	}
	w.seen[k] = true
	p.runs++
	p.seconds += seconds
	if p.counts {
		w.done++
	}
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
		w.notice(Progress{k, Tally{w.done, w.grid.total()}, w.left()})
	}
}

func (w *watch) left() time.Duration {
	var all pace
	for _, p := range w.cells {
		all.runs += p.runs
		all.seconds += p.seconds
	}
	if all.runs == 0 {
		return -1
	}
	seconds := 0.0
	frames := map[cell]int{} // how many are still to be found
	for at, p := range w.cells {
		if p.counts {
			runs := p.wanted - p.runs
			seconds += p.take(runs, all)
			of := cell{at.problem, p.finder}
			frames[of] = max(frames[of], runs)
		}
	}
	for of, runs := range frames {
		if p := w.cells[of]; p != nil {
			seconds += p.take(min(runs, max(0, p.wanted-p.runs)), all)
		}
	}
	return time.Duration(seconds / float64(w.jobs) * float64(time.Second))
}
