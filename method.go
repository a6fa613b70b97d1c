package untwist

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/untwist/untwist/identify"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
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

// ask begins the search. That x0 lies outside the bounds is said here: Ask calls it a point.
func (m *Method) ask(x0 []float64) (*Session, error) {
	if b := m.Options.Bounds; b.Check(len(x0)) == nil {
		if i := b.Outside(x0); i >= 0 {
			return nil, objective.BadOption("x0", "lies outside the bounds; x[%d]: %v is not within %v:%v", i, x0[i], b.Lo[i], b.Hi[i])
		}
	}
	return Ask(context.Background(), m.dim, m.options(x0))
}

// options returns the options of a run that begins at x0.
func (m *Method) options(x0 []float64) Options {
	o := m.Options
	o.Points = append([][]float64{x0}, o.Points...)
	d := len(x0)
	if o.Parameters != nil {
		d = o.space().Dim()
	}
	if o.Budget == 0 {
		o.Budget = max(500*d*d, 20_000)
	}
	finite := !slices.ContainsFunc(x0, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) // or it is refused
	if finite && o.Parameters == nil && o.Start.IsZero() && o.Bounds.IsZero() {
		o.Start = Box{Lo: slices.Clone(x0), Hi: slices.Clone(x0)}
		for i, v := range x0 {
			o.Start.Lo[i], o.Start.Hi[i] = parameter.Around(v)
		}
	}
	return o
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
