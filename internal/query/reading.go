package query

import (
	"context"
	"fmt"
	"math"

	"github.com/untwist/untwist/objective"
	"gonum.org/v1/gonum/mat"
)

// Several is an objective whose answers have several numbers.
type Several interface {
	objective.Objective
	// Numbers returns how many numbers an answer has; 0: only a value.
	Numbers() int
}

// NumbersOf returns how many numbers an answer of f has; 0: only a value.
func NumbersOf(f objective.Objective) int {
	if s, ok := f.(Several); ok {
		return s.Numbers()
	}
	return 0
}

// A Reading says what the numbers of an answer are: the value, or residuals whose squares are
// summed, and then the outputs.
type Reading struct {
	Residuals int // 0: the first number is the value
	Outputs   []objective.Output
}

// Front returns how many numbers come before the outputs.
func (r Reading) Front() int { return max(r.Residuals, 1) }

// Numbers returns how many numbers an answer has.
func (r Reading) Numbers() int { return r.Front() + len(r.Outputs) }

// Value returns the value of numbers, Σ r² of residuals.
func (r Reading) Value(numbers []float64) (sum float64) {
	if r.Residuals == 0 {
		return numbers[0]
	}
	for _, v := range numbers[:r.Residuals] {
		sum += float64(v * v)
	}
	return sum
}

// called names the k-th number.
func (r Reading) called(k int) string {
	switch {
	case k >= r.Front():
		return "the output " + r.Outputs[k-r.Front()].Name
	case r.Residuals == 0:
		return "the value"
	}
	return fmt.Sprintf("residual %d", k+1)
}

// Read gives an answer its value. A number that is missing or not finite is a failure.
func (r Reading) Read(a objective.Answer) objective.Answer {
	given := len(a.Numbers)
	if given != r.Numbers() {
		a.Numbers = nil
	}
	if a.Failure != nil {
		a.Value = math.Inf(1)
		return a
	}
	fail := func(kind objective.FailureKind, format string, values ...any) objective.Answer {
		a.Value, a.Failure = math.Inf(1), &objective.Failure{Kind: kind, Detail: fmt.Sprintf(format, values...)}
		return a
	}
	if a.Numbers == nil {
		return fail(objective.NoNumber, "the answer has %d numbers, not %d", given, r.Numbers())
	}
	for k, v := range a.Numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fail(objective.NotANumber, "%s is %v", r.called(k), v)
		}
	}
	if a.Value = r.Value(a.Numbers); math.IsInf(a.Value, 1) {
		return fail(objective.NotANumber, "the sum of squares is %v", a.Value)
	}
	return a
}

// NewReader returns f with the values of its answers read from their numbers.
func NewReader(f objective.Objective, r Reading) objective.Objective {
	if p, ok := f.(pointwise); ok {
		return &countingReader{reader{wrapped{f}, r}, p}
	}
	return &reader{wrapped{f}, r}
}

// A reader reads the numbers of answers.
type reader struct {
	wrapped
	reading Reading
}

// Numbers returns how many numbers an answer has.
func (r *reader) Numbers() int { return r.reading.Numbers() }

// Evaluate evaluates the batch.
func (r *reader) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return r.Each(ctx, points, values, nobody)
}

// Each evaluates the batch and tells the answers with their values.
func (r *reader) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	return Each(ctx, r.f, points, values, r.reads(values, tell))
}

// reads returns what reads answers before it tells them, and sets their values.
func (r *reader) reads(values []float64, tell func(int, objective.Answer)) func(int, objective.Answer) {
	return func(i int, a objective.Answer) {
		a = r.reading.Read(a)
		values[i] = a.Value
		tell(i, a)
	}
}

// A countingReader reads the numbers of an objective that takes its points one by one.
type countingReader struct {
	reader
	p pointwise
}

// Counting evaluates the batch, and keeps in done how many values are known.
func (r *countingReader) Counting(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer), done *int) error {
	return r.p.Counting(ctx, points, values, r.reads(values, tell), done)
}

// Negate returns −f for a run that maximises: what is below it, such as a journal, has f itself. A
// query that has failed stays one.
func Negate(f objective.Objective) objective.Objective { return &negated{wrapped{f}} }

type negated struct{ wrapped }

// Numbers returns how many numbers an answer has.
func (n *negated) Numbers() int { return NumbersOf(n.f) }

// Evaluate evaluates the batch.
func (n *negated) Evaluate(ctx context.Context, points *mat.Dense, values []float64) error {
	return n.Each(ctx, points, values, nobody)
}

// Each evaluates the batch and tells every answer.
func (n *negated) Each(ctx context.Context, points *mat.Dense, values []float64, tell func(int, objective.Answer)) error {
	err := Each(ctx, n.f, points, values, func(i int, a objective.Answer) {
		a.Value = Opposite(a.Value)
		tell(i, a)
	})
	for i, v := range values[:Evaluated(values, err)] {
		values[i] = Opposite(v)
	}
	return err
}

// Opposite returns −v; +Inf, the value of a query that has failed, stays.
func Opposite(v float64) float64 {
	if math.IsInf(v, 1) {
		return v
	}
	return -v
}
