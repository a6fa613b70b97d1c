package query

import (
	"math"
	"slices"

	"github.com/untwist/untwist/objective"
)

// Limits judge the outputs of answers. What an output may be exceeded by depends, if its limit is
// 0, on how far its values are spread, so that answers are to be seen in the order of the queries.
type Limits struct {
	reading  Reading
	lo, hi   []float64 // of each output so far
	existing bool      // some output is limited
}

// share is what a limit may be exceeded by, as a part of its size or of the output's spread.
const share = 1e-6

// NewLimits returns the limits of a reading.
func NewLimits(r Reading) *Limits {
	l := &Limits{reading: r, existing: slices.ContainsFunc(r.Outputs, objective.Output.Limited)}
	for range r.Outputs {
		l.lo, l.hi = append(l.lo, math.Inf(1)), append(l.hi, math.Inf(-1))
	}
	return l
}

// Exist reports whether there are any.
func (l *Limits) Exist() bool { return l != nil && l.existing }

// See takes the numbers of a query that has not failed.
func (l *Limits) See(numbers []float64) {
	for k, v := range numbers[l.reading.Front():] {
		l.lo[k], l.hi[k] = min(l.lo[k], v), max(l.hi[k], v)
	}
}

// Within returns by how much a limit of the k-th output may be exceeded.
func (l *Limits) Within(k int, limit float64) float64 {
	switch o := l.reading.Outputs[k]; {
	case o.Within > 0:
		return o.Within
	case limit != 0:
		return share * math.Abs(limit)
	case l.hi[k] > l.lo[k]:
		return share * (l.hi[k] - l.lo[k])
	}
	return 0
}

// Violation returns by how much the outputs exceed their limits at most, in units of what they may
// be exceeded by. A point is feasible up to 1.
func (l *Limits) Violation(numbers []float64) float64 {
	return min(Excess(l.reading.Outputs, numbers[l.reading.Front():], l.Within), math.MaxFloat64)
}

// Excess returns by how much values of outputs exceed their limits at most, in units of what within says
// that a limit of the k-th may be exceeded by.
func Excess(outputs []objective.Output, values []float64, within func(k int, limit float64) float64) (most float64) {
	for k, o := range outputs {
		v := values[k]
		for _, over := range []struct {
			limit *float64
			by    func(limit float64) float64
		}{
			{o.Max, func(limit float64) float64 { return v - limit }},
			{o.Min, func(limit float64) float64 { return limit - v }},
			{o.Equal, func(limit float64) float64 { return math.Abs(v - limit) }},
		} {
			if over.limit == nil {
				continue
			}
			if by := over.by(*over.limit); by > 0 {
				most = max(most, by/max(within(k, *over.limit), math.SmallestNonzeroFloat64))
			}
		}
	}
	return most
}

// A Verdict is what an answer with several numbers comes to.
type Verdict struct {
	Numbers   []float64 // nil: f answers a value alone, or the query has failed
	Violation float64   // in units of what limits may be exceeded by; at most 1: the point is feasible
}

// Feasible reports whether no limit is exceeded by more than it may be.
func (v Verdict) Feasible() bool { return v.Violation <= 1 }

// Better reports whether a point of a value, and of what it exceeds limits by, is better than another of these:
// feasible points are ranked by their values, others behind them by how much they exceed, and those that have failed
// last (K. Deb, "An efficient constraint handling method for genetic algorithms", 2000).
func Better(value, over, than, was float64) bool {
	if math.IsInf(value, 1) || math.IsInf(than, 1) || over <= 1 && was <= 1 {
		return value < than
	}
	return over < was
}

// A Ranking makes numbers that have the order of Better, for a search that knows nothing but an order.
type Ranking struct {
	worst float64 // value of a feasible point so far
	some  bool    // there was one
}

// Rank changes values of points that exceed limits by so much into such numbers.
func (r *Ranking) Rank(values, over []float64) {
	for i, v := range values {
		if over[i] <= 1 && !math.IsInf(v, 1) && (!r.some || v > r.worst) {
			r.worst, r.some = v, true
		}
	}
	for i := range values {
		if over[i] > 1 && !math.IsInf(values[i], 1) {
			values[i] = r.worst + over[i]
		}
	}
}

// judge returns the verdict of an answer.
func (l *Limits) judge(a objective.Answer, value float64) Verdict {
	if l == nil || a.Numbers == nil || math.IsInf(value, 1) {
		return Verdict{}
	}
	l.See(a.Numbers)
	return Verdict{Numbers: a.Numbers, Violation: l.Violation(a.Numbers)}
}
