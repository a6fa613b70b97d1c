package untwist

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// Method is Untwist as a method of gonum's package optimize:
//
//	result, err := optimize.Minimize(problem, x0, settings, &untwist.Method{})
//
// x0 is a known point (as are Options.Points): it is evaluated, unless settings.InitValues
// has its value. If neither Options.Start nor Bounds nor Parameters are given, the search
// begins in the box of x0 ± 5, or x0 ± |x0| where that is larger. Gradients and Hessians are
// not used.
//
// All of gonum's settings hold. Concurrent says how many points are evaluated at the same
// time, and changes no value. FuncEvaluations is a limit that this method does not know of:
// tell it how many queries it may plan with by Options.Budget (default 500·d², at least
// 20,000).
//
// A major iteration is an eighth of all queries before it, at least 8, or a batch with a
// better point, if that is a fiftieth of them. So Runtime is exceeded by an eighth or 8 queries
// at most. gonum's default Converger, which ends a search after 100 iterations without progress,
// leaves it some hundred times as many queries as finding coordinates takes: up to some 25
// dimensions more than the default budget. Options.Tolerance ends a search that gains no more.
//
// The statuses are MethodConverge when the search is done, FunctionEvaluationLimit when
// Options.Budget is spent, FunctionThreshold at Options.Target, FunctionConvergence by
// Options.Tolerance, RuntimeLimit by Options.Time, and Failure, with an error, when an option
// is wrong or f fails too often. Those of gonum's own settings are gonum's.
//
// The zero value is a good start. A Method must not be used for two runs at once.
type Method struct {
	// Options are those of Minimize. Workers and PanicsFail have no effect: gonum calls f.
	Options Options

	dim    int
	status optimize.Status
	result Result
	err    error
}

var (
	_ optimize.Method   = (*Method)(nil)
	_ optimize.Statuser = (*Method)(nil)
)

// Uses says that only values of f are used.
func (*Method) Uses(optimize.Available) (optimize.Available, error) {
	return optimize.Available{}, nil
}

// Init begins a run.
func (m *Method) Init(dim, tasks int) int {
	m.dim, m.status, m.result, m.err = dim, optimize.NotTerminated, nothing(), nil
	return tasks
}

// Status says how the search has ended.
func (m *Method) Status() (optimize.Status, error) { return m.status, m.err }

// Result returns what the last run has found, with what was learnt about f. If gonum's
// settings have ended it, the Status is objective.Cancelled.
func (m *Method) Result() (Result, error) { return m.result, m.err }

// Run searches.
func (m *Method) Run(operation chan<- optimize.Task, result <-chan optimize.Task, tasks []optimize.Task) {
	x0 := slices.Clone(tasks[0].X)
	until := time.Now().Add(m.Options.Time)
	g := &gonum{
		operation: operation, result: result, free: tasks,
		late: func() bool { return m.Options.Time > 0 && !time.Now().Before(until) },
		best: query.Best{Point: x0, Value: math.Inf(1)}, reported: math.Inf(1), least: identify.Least(len(x0)),
	}
	if tasks[0].Op&optimize.FuncEvaluation != 0 {
		g.start, g.value = x0, tasks[0].F
	}
	session, err := m.ask(x0)
	if err != nil {
		m.err = err
	} else {
		g.converse(session)
		session.Close()
		m.result, m.err = session.Result()
	}
	if !g.over {
		if g.late() && m.result.Status == objective.Cancelled {
			m.result.Status = objective.TimeSpent
		}
		m.status = statusFor(m.result.Status, m.err)
		if x := m.result.Point; x != nil && !slices.Equal(x, g.best.Point) { // chosen for another reason than its value
			g.best = query.Best{Point: x, Value: m.result.Value}
			g.report()
		}
	}
	g.end()
}

// statusFor returns gonum's word for a status.
func statusFor(s objective.Status, err error) optimize.Status {
	if err != nil {
		return optimize.Failure
	}
	return cmp.Or(gonums[s], optimize.MethodConverge)
}

// gonums are gonum's words for statuses.
var gonums = map[objective.Status]optimize.Status{
	objective.BudgetSpent: optimize.FunctionEvaluationLimit, objective.TargetReached: optimize.FunctionThreshold,
	objective.ToleranceReached: optimize.FunctionConvergence, objective.Stalled: optimize.FunctionConvergence,
	objective.StepLimit: optimize.IterationLimit, objective.TimeSpent: optimize.RuntimeLimit, objective.Unbounded: optimize.FunctionNegativeInfinity,
}

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
