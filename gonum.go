package untwist

import (
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// gonum is the other end of a Method: it evaluates points, counts iterations, and may end the
// run whenever something is sent.
type gonum struct {
	operation chan<- optimize.Task
	result    <-chan optimize.Task
	free      []optimize.Task // that wait for something to do
	over      bool            // gonum has ended the run

	known []float64 // a point whose value is known; nil: none
	value float64

	best     objective.Best
	reported float64 // the best value of the last major iteration
	since    int     // queries since then
}

// converse answers a session, until one of the two ends.
func (g *gonum) converse(session *Session) {
	most := max(session.session.run.options.Budget/100, 16)
	for !g.over {
		points, done := session.Ask()
		if done {
			return
		}
		n, _ := points.Dims()
		values := make([]float64, n)
		if g.answer(points, values, most) {
			session.Tell(values) // if that fails, Ask and Result say so
		}
	}
}

// answer evaluates a batch. There is a major iteration at its end if it has a better point,
// and after so many queries without. answer reports whether all values are known.
func (g *gonum) answer(points *mat.Dense, values []float64, most int) bool {
	n, d := points.Dims()
	for lo, hi := 0, 0; lo < n; lo = hi {
		hi = min(lo+most-g.since, n)
		if !g.evaluate(points.Slice(lo, hi, 0, d).(*mat.Dense), values[lo:hi]) {
			return false
		}
		if hi == n && g.best.Value < g.reported || g.since >= most {
			g.report()
		}
		if g.over {
			return hi == n
		}
	}
	return true
}

// evaluate evaluates points, as many at a time as there are tasks. It reports whether all
// values are known.
func (g *gonum) evaluate(points *mat.Dense, values []float64) bool {
	n, asked, pending := len(values), 0, 0
	for i := range values {
		values[i] = math.NaN()
	}
	defer func() { // in their order, whoever was first
		for i, v := range values {
			g.offer(points.RawRowView(i), v)
		}
	}()
	for asked < n || pending > 0 {
		switch x := points.RawRowView(min(asked, n-1)); {
		case asked < n && g.known != nil && slices.Equal(x, g.known):
			values[asked], g.known = g.value, nil
			asked++
		case asked < n && len(g.free) > 0:
			g.send(optimize.FuncEvaluation, asked, x, 0)
			asked++
			pending++
		default:
			task := <-g.result
			if task.Op == optimize.PostIteration {
				g.over = true
				return false
			}
			values[task.ID] = task.F
			g.free = append(g.free, task)
			pending--
		}
	}
	g.since += n
	return true
}

// offer keeps a point if it is better than all before it.
func (g *gonum) offer(x []float64, value float64) {
	if value < g.best.Value {
		g.best = objective.Best{Point: slices.Clone(x), Value: value}
	}
}

// send gives a free task something to do.
func (g *gonum) send(what optimize.Operation, id int, x []float64, value float64) {
	last := len(g.free) - 1
	task := g.free[last]
	g.free = g.free[:last]
	task.ID, task.Op = id, what
	copy(task.X, x)
	task.F, task.Gradient, task.Hessian = value, nil, nil
	g.operation <- task
}

// report makes a major iteration. All tasks are free.
func (g *gonum) report() {
	g.reported, g.since = g.best.Value, 0
	g.send(optimize.MajorIteration, 0, g.best.Point, g.best.Value)
	task := <-g.result
	if task.Op == optimize.PostIteration {
		g.over = true
		return
	}
	g.free = append(g.free, task)
}

// end waits for gonum to end, and reports what was found meanwhile.
func (g *gonum) end() {
	if !g.over {
		g.operation <- optimize.Task{Op: optimize.MethodDone}
	}
	for task := range g.result {
		if task.Op == optimize.FuncEvaluation {
			g.offer(task.X, task.F)
		}
	}
	if g.best.Value < g.reported {
		g.operation <- optimize.Task{Op: optimize.MajorIteration, Location: &optimize.Location{X: g.best.Point, F: g.best.Value}}
	}
	close(g.operation)
}
