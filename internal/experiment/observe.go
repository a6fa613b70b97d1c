package experiment

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/untwist/untwist/internal/query"
	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// An observer stands between a problem and whoever minimises it. It keeps what a store.Run
// says about the queries: when which gap was reached, by clean values, and how long the
// function took.
type observer struct {
	f       Problem
	clean   query.Cleaner // nil: values are clean
	minimum float64       // gaps are above it; NaN: not known, gaps are values
	targets []float64     // descending
	before  int           // queries that were spent before this run
	answers bool          // trials do not count

	queries int
	reached int           // the first query at or below the least target, or 0
	seen    float64       // the least value that was returned
	gap     float64       // the clean gap of the point that returned it
	least   float64       // the least clean gap
	inside  time.Duration // spent in the function
	curve   query.Curve
	scratch []float64
}

// observe observes a run that follows on so many queries.
func observe(f Problem, targets []float64, before int) *observer {
	o := &observer{f: f, minimum: f.Minimum(), targets: targets, before: before}
	o.seen, o.gap, o.least = math.Inf(1), math.Inf(1), math.Inf(1)
	if c, ok := f.(query.Cleaner); ok && c.Blemished() {
		o.clean = c
	}
	return o
}

// target returns the value at which the least target is reached: the largest v whose gap
// v − min f is not above it, as it is rounded.
func (o *observer) target() float64 { return valueAt(o.minimum, o.targets[len(o.targets)-1]) }
func (o *observer) Dim() int        { return o.f.Dim() }

func (o *observer) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return o.Each(ctx, points, values, func(int, objective.Answer) {})
}

func (o *observer) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	if o.before > 0 {
		numbers := ctx
		ctx = query.WithNumbers(ctx, func(i int) int { return o.before + query.NumberOf(numbers, i) })
	}
	for i := range values {
		values[i] = math.NaN() // a value that is not set is none
	}
	began := time.Now()
	err := query.Each(ctx, o.f, points, values, tell)
	o.inside += time.Since(began)
	n := query.Evaluated(values, err)
	gaps, dirty := o.gaps(ctx, points, values[:n])
	if dirty != nil {
		return dirty
	}
	trial := o.answers && query.IsTrial(ctx)
	for i, v := range values[:n] {
		if trial {
			v, gaps[i] = math.Inf(1), math.Inf(1)
		}
		o.note(v, gaps[i])
	}
	return err
}

// gaps returns the clean gaps of the first points of a batch, infinite where a query failed.
func (o *observer) gaps(ctx context.Context, points *mat.Dense, values []float64) ([]float64, error) {
	n := len(values)
	o.scratch = append(o.scratch[:0], values...)
	if o.clean != nil && n > 0 {
		// What has a value has a clean one, even if the run has been stopped since.
		_, d := points.Dims()
		if err := o.Clean(context.WithoutCancel(ctx), points.Slice(0, n, 0, d).(*mat.Dense), o.scratch); err != nil {
			return nil, err
		}
	}
	for i, v := range o.scratch {
		if math.IsNaN(values[i]) || math.IsInf(values[i], 1) {
			v = math.Inf(1) // the query failed, whatever a clean one would have said
		}
		o.scratch[i] = gapOf(v, o.minimum)
	}
	return o.scratch, nil
}

// note notes a query: what it returned, and its clean gap.
func (o *observer) note(value, gap float64) {
	o.queries++
	if value < o.seen {
		o.seen, o.gap = value, gap
	}
	first := o.least
	if gap < o.least {
		o.least = gap
	}
	if o.reached == 0 && gap <= o.targets[len(o.targets)-1] {
		o.reached = o.queries
	}
	o.curve.Note(o.queries, o.least, o.crossed(first, o.least))
}

// crossed reports whether a level or a target lies between two gaps: at or above the second,
// and below the first.
func (o *observer) crossed(above, gap float64) bool {
	return gap < above && (levelAbove(gap) < levelAbove(above) ||
		slices.ContainsFunc(o.targets, func(t float64) bool { return gap <= t && t < above }))
}

// samples returns the curve. Its last sample is the end of the run.
func (o *observer) samples() []objective.Sample { return o.curve.Samples(o.queries, o.least) }
func (o *observer) Blemished() bool             { return o.clean != nil }

func (o *observer) Clean(ctx context.Context, points *mat.Dense, values []float64) error {
	began := time.Now()
	defer func() { o.inside += time.Since(began) }()
	if o.clean == nil {
		return o.f.Evaluate(ctx, points, values)
	}
	return o.clean.Clean(ctx, points, values)
}

// gapOf returns how far a value is above the minimum, or the value itself if the minimum is
// not known. What is no value is infinitely far.
func gapOf(value, minimum float64) float64 {
	if math.IsNaN(value) {
		return math.Inf(1)
	}
	if math.IsNaN(minimum) {
		return value
	}
	return value - minimum
}

// valueAt returns the largest value whose gap is not above the given one. minimum + gap may
// be another because it is rounded.
func valueAt(minimum, gap float64) float64 {
	if math.IsNaN(minimum) {
		return gap
	}
	low, high := ordered(math.Inf(-1)), ordered(math.Inf(1)) // gapOf(low) ≤ gap < gapOf(high)
	for low+1 < high {
		middle := low + (high-low)/2
		if gapOf(unordered(middle), minimum) <= gap {
			low = middle
		} else {
			high = middle
		}
	}
	return unordered(low)
}

// ordered maps numbers to whole numbers, in order and without holes; unordered maps them back.
func ordered(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func unordered(n uint64) float64 {
	if n>>63 == 1 {
		return math.Float64frombits(n &^ (1 << 63))
	}
	return math.Float64frombits(^n)
}

// isLevel reports whether v is 10^(k/5) for some whole k, to the last bit.
func isLevel(v float64) bool {
	return v > 0 && !math.IsInf(v, 1) && v == level(levelAbove(v))
}

// levelAbove returns the least k with 10^(k/5) ≥ v. It is the least number there is if v ≤ 0,
// and the largest if v is infinite.
func levelAbove(v float64) int {
	if v <= 0 {
		return math.MinInt
	}
	if math.IsInf(v, 1) {
		return math.MaxInt
	}
	k := int(math.Ceil(5 * math.Log10(v)))
	for level(k-1) >= v {
		k--
	}
	for level(k) < v {
		k++
	}
	return k
}

// level returns the gap 10^(k/5). Whole powers of ten are exact, so that level(-40) is 1e-8
// to the bit. A run's curve has the first query at or below every level.
func level(k int) float64 {
	whole := int(math.Floor(float64(k) / 5))
	return fifths[k-5*whole] * math.Pow10(whole)
}

// fifths holds 10^(i/5).
var fifths = [5]float64{1, 1.5848931924611136, 2.51188643150958, 3.9810717055349722, 6.309573444801933}

// levels returns the levels from 100 down to 1e-8 that are at or above the least gap: 51, if
// it is 1e-8 or less.
func levels(least float64) (all []float64) {
	for k := 10; k >= -40 && level(k) >= least; k-- {
		all = append(all, level(k))
	}
	return all
}
