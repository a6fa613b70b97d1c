package untwist

import "github.com/untwist/untwist/objective"

// A Result is what a search has found and what it cost.
type Result struct {
	// Point is the best point ever evaluated, and Value is f there, to the
	// bit. If nothing was evaluated they are nil and +Inf.
	Point []float64
	Value float64

	// Status says why the search stopped.
	Status objective.Status
	// Strategy and Seed are what it was made with.
	Strategy string
	Seed     uint64

	// Queries is how many points f was asked for, of Budget allowed.
	Queries, Budget int
	// BestQuery is the number of the query that found Point.
	BestQuery int
	// TargetQuery is the number of the first query at or below the target, or
	// 0. The rest of its batch was spent as well.
	TargetQuery int

	// Failed is how many queries gave NaN or +Inf, and FailedPoint is the
	// first such point.
	Failed      int
	FailedPoint []float64

	// Stages says where the queries went, in order.
	Stages []Stage
	// Curve is the best value at log-spaced numbers of queries and at the end.
	Curve []objective.Sample
}

// A Stage is a part of a search.
type Stage struct {
	Name    string `json:"name"`
	Queries int    `json:"queries"`
}
