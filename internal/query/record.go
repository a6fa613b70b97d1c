package query

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Best is the best point that has been seen; its zero value has seen none.
type Best struct {
	Point []float64
	Value float64
}

// Offer takes (point, value) if it is the first or better than all before it,
// and reports whether it did. The point is copied.
func (b *Best) Offer(point []float64, value float64) bool {
	if b.Point != nil && !(value < b.Value) && !(math.IsNaN(b.Value) && !math.IsNaN(value)) {
		return false
	}
	b.Point = append(b.Point[:0], point...)
	b.Value = value
	return true
}

// Clone returns a copy that stays as it is while b goes on.
func (b Best) Clone() Best { return Best{slices.Clone(b.Point), b.Value} }

// OfferAll offers the first rows of points, one for each value.
func (b *Best) OfferAll(points *mat.Dense, values []float64) {
	for i, v := range values {
		b.Offer(points.RawRowView(i), v)
	}
}

// improvementBytes is how much memory the points of all improvements may take.
const improvementBytes = 16 << 20

// Record keeps what a run has found: the best point ever evaluated, the points that were
// the best in their turn, the curve of the best value at log-spaced numbers of queries, and
// the failures. It stops the run by its rules.
type Record struct {
	meter    *Meter
	rules    Rules
	best     Best
	verdict  Verdict // of the best point
	bestAt   int
	worst    float64 // the largest value that is a number; −Inf: there is none
	hitAt    int
	tally    tally
	gain     gain
	improved []objective.Improvement
	curve    Curve
	excesses Curve // of the best point's violation
	notify   func()

	mu       sync.Mutex
	failures map[int]*objective.Failure  // of the batch that is being evaluated, by row
	answers  map[int]objective.Answer    // likewise all, if somebody wants to see them; nil: nobody does
	recent   [][]float64                 // the numbers of the queries since somebody has asked for them
	hear     func(int, objective.Answer) // is told its answers
}

// NewRecord records what passes through meter, which must be new, and stops the run by the
// rules. After every batch it calls notify.
func NewRecord(meter *Meter, rules Rules, notify func()) *Record {
	r := &Record{meter: meter, rules: rules, notify: notify, best: Best{Value: math.Inf(1)}, worst: math.Inf(-1), failures: map[int]*objective.Failure{}}
	r.gain.best = math.Inf(1)
	r.hear = func(i int, a objective.Answer) {
		if a.Failure == nil && !rules.wantsAll() {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if a.Failure != nil {
			r.failures[i] = a.Failure
		}
		if rules.wantsAll() {
			r.answers[i] = a
		}
	}
	if rules.wantsAll() {
		r.answers = map[int]objective.Answer{}
	}
	return r
}

func (r *Record) Dim() int { return r.meter.Dim() }

// Best returns the best point ever evaluated; of equal points, the first. If none
// was evaluated, its Point is nil and its Value is +Inf. The caller must not
// change it.
func (r *Record) Best() Best { return r.best }

// Verdict returns what the numbers of the best point come to.
func (r *Record) Verdict() Verdict { return r.verdict }

// Recent returns the numbers of the queries since it was last called, a row for each; nil where
// one has failed.
func (r *Record) Recent() [][]float64 {
	rows := r.recent
	r.recent = nil
	return rows
}

// BestAt returns the number of the query that found the best point.
func (r *Record) BestAt() int { return r.bestAt }

// TargetAt returns the number of the first query at or below the target, or 0.
func (r *Record) TargetAt() int { return r.hitAt }

// Constant reports whether all values are the same, but for failures.
func (r *Record) Constant() bool { return r.worst == r.best.Value && !r.rules.Limits.Exist() }

// Failures returns how many queries have failed, by kind, the first such point, and why it
// failed.
func (r *Record) Failures() (counts objective.Failures, point []float64, reason string) {
	return r.tally.counts, r.tally.point, r.tally.reason
}

// Improvements returns the points that were better than all before them, in order. If they
// would take more than 16 MiB, only every second one is kept, and the last.
func (r *Record) Improvements() []objective.Improvement { return r.improved }

// Searching says whether the queries from now on are part of a search, to which the
// tolerance applies.
func (r *Record) Searching(yes bool) { r.gain.searching = yes }

// Curve returns the convergence curve. Its last sample is the present state.
func (r *Record) Curve() []objective.Sample {
	return slices.Clone(r.curve.Samples(r.meter.Queries(), r.feasible()))
}

// Violations returns by how much the best point exceeded its limits, at the numbers of queries of the
// curve; nil: outputs have no limits.
func (r *Record) Violations() []objective.Sample {
	if !r.rules.Limits.Exist() {
		return nil
	}
	return slices.Clone(r.excesses.Samples(r.meter.Queries(), r.excess()))
}

// Evaluate evaluates the batch and records its values.
func (r *Record) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	before := r.meter.Queries()
	clear(r.failures)
	clear(r.answers)
	err := r.meter.Each(ctx, points, values, r.hear)
	done, spent := progress(len(values), err)
	goals, unclean := r.goals(ctx, points, values[:done])
	for i, v := range values[:done] {
		failure := r.failures[i]
		if failure == nil && math.IsInf(v, 1) { // nobody has said why
			failure = checked(objective.Answer{Value: v}).Failure
		}
		a := r.answers[i]
		verdict := r.rules.Limits.judge(a, v)
		if r.rules.Limits != nil {
			r.recent = append(r.recent, verdict.Numbers)
		}
		r.note(before+i+1, points.RawRowView(i), v, verdict, failure)
		if r.rules.Seen != nil {
			a.Value, a.Failure = v, failure
			r.rules.Seen(before+i+1, points.RawRowView(i), a)
		}
		if target := r.rules.Target; target != nil && goals[i] <= *target && verdict.Feasible() && r.hitAt == 0 {
			r.hitAt = before + i + 1
		}
	}
	if r.rules.Tolerance > 0 && !r.rules.Limits.Exist() {
		r.gain.note(values[:done])
	}
	rule := r.stop(before + done)
	for i, n := done, len(values); i < n; i++ { // points that were answered out of turn, and are spent
		if failure := r.failures[i]; failure != nil {
			r.tally.counts[failure.Kind]++
		}
	}
	if r.notify != nil && spent > 0 {
		r.notify()
	}
	if unclean != nil {
		return partial(done, spent, unclean)
	}
	if rule != nil && (err == nil || errors.Is(err, objective.ErrBudget)) {
		return partial(done, spent, rule)
	}
	return err
}

// goals returns what the target is compared with: the values, or the clean ones at points
// that have not failed.
func (r *Record) goals(ctx context.Context, points *mat.Dense, values []float64) ([]float64, error) {
	if r.rules.Clean == nil || r.rules.Target == nil || len(values) == 0 {
		return values, nil
	}
	clean := make([]float64, len(values))
	err := r.rules.Clean.Evaluate(context.WithoutCancel(ctx), rows(points, 0, len(values)), clean)
	for i, v := range values {
		if math.IsInf(v, 1) {
			clean[i] = v
		}
	}
	return clean, err
}

// stop returns the rule by which the run stops after so many queries; nil: it goes on.
func (r *Record) stop(queries int) error {
	if r.hitAt > 0 {
		return objective.ErrTarget
	}
	if err := r.tally.judge(queries, r.rules); err != nil {
		return err
	}
	if r.gain.small(r.rules.Tolerance, queries, r.Dim()) {
		return objective.ErrTolerance
	}
	return nil
}

// note records one query.
func (r *Record) note(query int, point []float64, value float64, verdict Verdict, failure *objective.Failure) {
	if r.best.Point == nil || Better(value, verdict.Violation, r.best.Value, r.verdict.Violation) {
		r.best, r.verdict, r.bestAt = Best{slices.Clone(point), value}, verdict, query // whoever has the last one keeps it
		if !math.IsInf(value, 1) && verdict.Feasible() {
			r.improve(objective.Improvement{Query: query, Value: value, Point: r.best.Point})
		}
	}
	if value > r.worst && !math.IsInf(value, 1) {
		r.worst = value
	}
	r.tally.note(query, point, failure)
	r.curve.Note(query, r.feasible(), false)
	r.excesses.Note(query, r.excess(), false)
}

// excess returns the violation of the best point; +Inf: all have failed.
func (r *Record) excess() float64 {
	if math.IsInf(r.best.Value, 1) {
		return math.Inf(1)
	}
	return r.verdict.Violation
}

// feasible returns the best value of a point that is feasible; +Inf: there is none.
func (r *Record) feasible() float64 {
	if !r.verdict.Feasible() {
		return math.Inf(1)
	}
	return r.best.Value
}

// improve keeps an improvement. When there are too many, every second one is forgotten.
func (r *Record) improve(by objective.Improvement) {
	if most := max(2, improvementBytes/(8*len(by.Point))); len(r.improved) >= most {
		kept := r.improved[:0]
		for i := 0; i < len(r.improved); i += 2 {
			kept = append(kept, r.improved[i])
		}
		clear(r.improved[len(kept):])
		r.improved = kept
	}
	r.improved = append(r.improved, by)
}
