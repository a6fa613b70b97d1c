package objective

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// An Answer is what came of one query.
type Answer struct {
	// Value is f at the point, +Inf if f failed there.
	Value float64
	// Failure says why f failed; nil: it did not, or nobody knows why.
	Failure *Failure
	// Seconds is how long the evaluation took; 0: not known.
	Seconds float64
	// By is who evaluated it; "": this process.
	By string
}

// A Failure says why f failed at a point.
type Failure struct {
	Kind   FailureKind
	Detail string // in words, one line
}

// Error returns the words of the failure.
func (f *Failure) Error() string {
	if f.Detail == "" {
		return f.Kind.String()
	}
	return f.Detail
}

// A FailureKind is a kind of failure.
type FailureKind uint8

const (
	// NotANumber: the value was NaN or +Inf.
	NotANumber FailureKind = iota
	// BadExit: the program ended with a status other than 0.
	BadExit
	// BadSignal: a signal of its own making ended the program.
	BadSignal
	// TimedOut: the evaluation took longer than allowed.
	TimedOut
	// NoNumber: the program did not answer with a number.
	NoNumber
	// Errored: the function returned an error, or the program said that the point failed.
	Errored
)

var failureNames = [...]string{"nan", "exit", "signal", "timeout", "no_number", "error"}

// FailureKinds returns all kinds of failure.
func FailureKinds() []FailureKind {
	return []FailureKind{BadExit, BadSignal, TimedOut, NoNumber, NotANumber, Errored}
}

func (k FailureKind) String() string {
	if int(k) >= len(failureNames) {
		return fmt.Sprintf("FailureKind(%d)", int(k))
	}
	return failureNames[k]
}

// A Teller is an Objective that can tell each answer as soon as it is known, so that
// nothing is lost if a run ends within a batch.
type Teller interface {
	Objective

	// Each does what Evaluate does. Besides, it calls tell(i, answer) once for every
	// value that it sets, as soon as the value is known. It may do so in any order and
	// from several goroutines at once, but tell is not called any more after Each has
	// returned. If Each returns a *PartialError, tell was called for every i < Done, and
	// may have been called for others. tell is not nil.
	Each(ctx context.Context, points *mat.Dense, values []float64, tell func(i int, a Answer)) error
}

// Each evaluates f and calls tell for every value that is known: as soon as it is known
// if f is a Teller, and otherwise at the end of the batch.
func Each(ctx context.Context, f Objective, points *mat.Dense, values []float64, tell func(i int, a Answer)) error {
	if t, ok := f.(Teller); ok {
		return t.Each(ctx, points, values, tell)
	}
	err := f.Evaluate(ctx, points, values)
	for i, v := range values[:Evaluated(values, err)] {
		tell(i, Answer{Value: v})
	}
	return err
}

// A listener hears of answers: of all, or only of failures, which costs less where most
// points succeed.
type listener struct {
	tell func(i int, a Answer)
	all  bool
}

// wants reports whether it wants to hear of an answer.
func (l listener) wants(a *Answer) bool {
	return l.all || a.Failure != nil || !(a.Value < math.Inf(1))
}

// from returns the listener for the points of a batch from row lo on.
func (l listener) from(lo int) listener {
	return listener{func(i int, a Answer) { l.tell(lo+i, a) }, l.all}
}

// A heard objective can spare a listener what it does not want.
type heard interface {
	each(ctx context.Context, points *mat.Dense, values []float64, to listener) error
}

// each does what Each does. A listener that wants only failures may hear of more.
func each(ctx context.Context, f Objective, points *mat.Dense, values []float64, to listener) error {
	if h, ok := f.(heard); ok {
		return h.each(ctx, points, values, to)
	}
	return Each(ctx, f, points, values, to.tell)
}

// A Described objective can say which function it is, so that a record of one run is not
// taken for that of another.
type Described interface {
	// Description returns a value whose canonical JSON differs for different
	// functions: plain structs, slices, numbers and texts.
	Description() any
}
