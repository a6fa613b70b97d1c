package objective

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// ErrTarget is returned by a Record once it has found a value at or below its
// target. It is a reason to stop, not a failure: see StatusOf.
var ErrTarget = errors.New("the target is reached")

// Best is the best point that has been seen; its zero value has seen none.
type Best struct {
	Point []float64
	Value float64
}

// Offer takes (point, value) if it is the first or better than all before it,
// and reports whether it did. The point is copied.
func (b *Best) Offer(point []float64, value float64) bool {
	if b.Point != nil && !(value < b.Value) {
		return false
	}
	b.Point = append(b.Point[:0], point...)
	b.Value = value
	return true
}

// OfferAll offers the first rows of points, one for each value.
func (b *Best) OfferAll(points *mat.Dense, values []float64) {
	for i, v := range values {
		b.Offer(points.RawRowView(i), v)
	}
}

// A Sample is a point of a convergence curve: the best value after Queries queries.
type Sample struct {
	Queries int
	Value   float64
}

// perDecade is how many samples a curve has between 10^k and 10^(k+1) queries,
// where there are that many whole numbers.
const perDecade = 20

// Record keeps what a run has found: the best point ever evaluated, the curve
// of the best value at log-spaced numbers of queries, and the failures. It
// stops the run at its target.
type Record struct {
	meter  *Meter
	target float64
	best   Best
	bestAt int
	hitAt  int
	failed int
	failAt []float64
	curve  []Sample
	next   int // the number of queries at which the curve is sampled next
	notify func()
}

// NewRecord records what passes through meter, which must be new, and stops
// the run at f ≤ target (-Inf: never). After every batch it calls notify.
func NewRecord(meter *Meter, target float64, notify func()) *Record {
	return &Record{meter: meter, target: target, notify: notify, next: 1, best: Best{Value: math.Inf(1)}}
}

// Dim returns the dimension of the objective.
func (r *Record) Dim() int { return r.meter.Dim() }

// Best returns the best point ever evaluated; of equal points, the first. If none
// was evaluated, its Point is nil and its Value is +Inf. The caller must not
// change it.
func (r *Record) Best() Best { return r.best }

// BestAt returns the number of the query that found the best point.
func (r *Record) BestAt() int { return r.bestAt }

// TargetAt returns the number of the first query at or below the target, or 0.
func (r *Record) TargetAt() int { return r.hitAt }

// Failed returns how many queries came back as +Inf, and the first such point.
func (r *Record) Failed() (int, []float64) { return r.failed, r.failAt }

// Curve returns the convergence curve. Its last sample is the present state.
func (r *Record) Curve() []Sample {
	curve := append([]Sample(nil), r.curve...)
	if q := r.meter.Queries(); q > 0 && (len(curve) == 0 || curve[len(curve)-1].Queries < q) {
		curve = append(curve, Sample{q, r.best.Value})
	}
	return curve
}

// Evaluate evaluates the batch and records its values.
func (r *Record) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	before := r.meter.Queries()
	err := r.meter.Evaluate(ctx, points, values)
	done, spent := progress(len(values), err)
	for i, v := range values[:done] {
		r.note(before+i+1, points.RawRowView(i), v)
	}
	if r.notify != nil && spent > 0 {
		r.notify()
	}
	if r.hitAt > 0 && (err == nil || errors.Is(err, ErrBudget)) {
		return partial(done, spent, ErrTarget)
	}
	return err
}

// note records one query.
func (r *Record) note(query int, point []float64, value float64) {
	if r.best.Offer(point, value) {
		r.bestAt = query
	}
	if value <= r.target && !math.IsInf(r.target, -1) && r.hitAt == 0 {
		r.hitAt = query
	}
	if math.IsInf(value, 1) {
		r.failed++
		if r.failAt == nil {
			r.failAt = append(r.failAt, point...)
		}
	}
	if query == r.next {
		r.curve = append(r.curve, Sample{query, r.best.Value})
		r.next = max(query+1, int(math.Ceil(float64(query)*math.Pow(10, 1./perDecade))))
	}
}
