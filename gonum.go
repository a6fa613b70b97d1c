package untwist

import (
	"slices"

	"github.com/untwist/untwist/internal/query"
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
	late      func() bool     // Options.Time is spent

	start []float64 // x0, if its value is known and was not asked for yet
	value float64

	points *mat.Dense // the batch
	values []float64
	known  []bool // which of them are known

	best     query.Best
	reported float64 // the best value of the last major iteration
	queries  int     // until then
	gained   int     // until the last one that was better
	least    int     // queries that it takes to find coordinates
	since    int     // since then
}

// converse answers a session, until one of the two ends or the time is spent.
func (g *gonum) converse(session *Session) {
	for {
		points, done := session.Ask()
		if done {
			return
		}
		g.points, g.values, g.known = points, make([]float64, points.RawMatrix().Rows), make([]bool, points.RawMatrix().Rows)
		g.answer()
		if g.over {
			g.drain()
		}
		if slices.Contains(g.known, false) || g.over {
			session.tellSome(g.values, g.known)
			return
		}
		session.Tell(g.values) // if that fails, Ask and Result say so
	}
}

// answer evaluates a batch, with a major iteration whenever one is due. It stops early if gonum
// has ended the run or the time is spent.
func (g *gonum) answer() {
	n := len(g.values)
	for lo := 0; lo < n && !g.over; {
		most := g.most()
		hi := g.evaluate(lo, min(lo+most-g.since, n))
		for i := lo; i < hi; i++ { // in their order, whoever was first
			g.offer(i)
		}
		if g.over || hi == lo {
			return
		}
		if lo = hi; g.since >= most || lo == n && g.best.Value < g.reported && g.since >= g.queries/50 {
			g.report()
		}
	}
}

// evaluate evaluates the points of the batch from lo to hi, as many at a time as there are tasks. It
// returns where it has stopped.
func (g *gonum) evaluate(lo, hi int) int {
	asked := lo
	for pending := 0; asked < hi || pending > 0; {
		if asked < hi && g.late() {
			hi = asked
			continue
		}
		switch x := g.points.RawRowView(min(asked, hi-1)); {
		case asked < hi && g.start != nil && slices.Equal(x, g.start):
			g.values[asked], g.known[asked], g.start = g.value, true, nil
			asked++
		case asked < hi && len(g.free) > 0:
			g.send(optimize.FuncEvaluation, asked, x, 0)
			asked++
			pending++
		default:
			if g.take(<-g.result); g.over {
				return asked
			}
			pending--
		}
	}
	g.since += asked - lo
	return asked
}

// take takes a task that gonum has done, or the end.
func (g *gonum) take(task optimize.Task) {
	switch task.Op {
	case optimize.PostIteration:
		g.over = true
		return
	case optimize.FuncEvaluation:
		g.values[task.ID], g.known[task.ID] = task.F, true
	}
	g.free = append(g.free, task)
}

// drain takes all that gonum still does once it has ended the run.
func (g *gonum) drain() {
	for task := range g.result {
		g.take(task)
	}
	for i := range g.values {
		g.offer(i)
	}
}

// offer keeps a point of the batch if it is better than all before it.
func (g *gonum) offer(i int) {
	if g.known[i] && g.values[i] < g.best.Value {
		g.best = query.Best{Point: slices.Clone(g.points.RawRowView(i)), Value: g.values[i]}
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

// most returns how many queries there are at most without a major iteration: an eighth of all
// before it, since gonum looks at its Runtime then. A hundred of them without a gain, with which
// gonum's default Converger ends a run, take some ten times as many queries as it took to the last
// gain, and some hundred times as many as it takes to find coordinates.
func (g *gonum) most() int {
	return max(8, min(g.queries/8, max(g.gained/8, g.least)))
}

// report makes a major iteration. All tasks are free.
func (g *gonum) report() {
	g.queries, g.since = g.queries+g.since, 0
	if g.best.Value < g.reported {
		g.reported, g.gained = g.best.Value, g.queries
	}
	g.send(optimize.MajorIteration, 0, g.best.Point, g.best.Value)
	g.take(<-g.result)
}

// end waits for gonum to end, and reports what was found meanwhile.
func (g *gonum) end() {
	if !g.over {
		g.operation <- optimize.Task{Op: optimize.MethodDone}
	}
	g.drain()
	if g.best.Value < g.reported {
		g.operation <- optimize.Task{Op: optimize.MajorIteration, Location: &optimize.Location{X: g.best.Point, F: g.best.Value}}
	}
	close(g.operation)
}
