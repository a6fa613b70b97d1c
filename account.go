package untwist

import (
	"github.com/untwist/untwist/objective"
)

// An Account says what a run has found and what it cost. Result and Findings have it in
// common.
type Account struct {
	// Point is the best point ever evaluated, and Value is f there, to the bit. If
	// nothing was evaluated they are nil and +Inf. If f is noisy, Minimize chooses the
	// point by other means: see Result.Noise.
	Point []float64
	Value float64
	// BestQuery is the number of the query that found Point.
	BestQuery int

	// Status says why the run stopped.
	Status objective.Status
	// Seed is the seed of the run.
	Seed uint64

	// Queries is how many points were evaluated, of the Budget that was allowed.
	Queries, Budget int
	// Rounds is how many batches of points the algorithm asked for. A user who evaluates
	// all points of a batch at the same time waits for this many evaluations.
	Rounds int
	// Resumed is how many of the queries were answered from a journal.
	Resumed int
	// Failed is how many queries failed, and Failures counts them by kind. FailedPoint is the
	// first such point, and FailedReason says in words why it failed.
	Failed       int
	Failures     Failures
	FailedPoint  []float64
	FailedReason string

	// Stages says what the queries were spent on, in order.
	Stages []Stage
	// Curve is the best value at log-spaced numbers of queries and at the end.
	Curve []objective.Sample
	// Improvements are the points that were better than all before them, in order. The
	// last is Point. If they would take more than 16 MiB, some of the earlier ones are
	// missing.
	Improvements []objective.Improvement
	// Notes say in words what else the user should know.
	Notes []string
}

// StoppedBy says what ended the run: "budget", "time", "target", "tolerance", "interrupt"
// (its context ended), "failures" (an error ended it) or "done".
func (a Account) StoppedBy() string {
	switch a.Status {
	case objective.BudgetSpent:
		return "budget"
	case objective.TimeSpent:
		return "time"
	case objective.TargetReached:
		return "target"
	case objective.ToleranceReached:
		return "tolerance"
	case objective.Cancelled:
		return "interrupt"
	case objective.Failed:
		return "failures"
	}
	return "done"
}

// A Stage is a part of a run, with what it cost.
type Stage struct {
	objective.Stage
	Queries int `json:"queries"`
}

// Spent returns how many queries the stages of a purpose took.
func (a Account) Spent(purpose objective.Purpose) int {
	sum := 0
	for _, s := range a.Stages {
		if s.Purpose == purpose {
			sum += s.Queries
		}
	}
	return sum
}
