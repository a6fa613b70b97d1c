package objective

import (
	"context"
	"errors"
	"math"
	"strings"
)

// Fallible lifts f, a function of one point that can fail, to an Objective. If f returns
// an error, the point has failed: its value is +Inf, it is counted, the reason is kept, and
// the run goes on. Only an error made by Stop ends the run. An error that f returns because
// ctx has ended is no failure of the point.
//
// As with Func, f may write to its argument but must not keep it, and has to be safe for
// concurrent calls only under several workers. Fallible panics if dim < 1 or f is nil.
func Fallible(dim int, f func(ctx context.Context, x []float64) (float64, error)) Objective {
	mustBeCallable(dim, f == nil)
	return pointwise{dim, func(ctx context.Context, x []float64) (Answer, error) {
		v, err := f(ctx, x)
		return failedOr(ctx, v, err)
	}}
}

// failedOr returns the answer of a function that has returned v and err.
func failedOr(ctx context.Context, v float64, err error) (Answer, error) {
	switch {
	case err == nil:
		return Answer{Value: v}, nil
	case errors.As(err, new(*stop)):
		return Answer{}, err
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	}
	return Answer{Value: math.Inf(1), Failure: &Failure{Errored, oneLine(err.Error())}}, nil
}

// Stop returns an error with which a Fallible function ends the run. The run returns err,
// with everything found so far; the point at which f returned it is not counted. If err is
// nil, the run ends as if its context had been cancelled.
func Stop(err error) error { return &stop{err} }

type stop struct{ err error }

func (s *stop) Error() string {
	if s.err == nil {
		return "the objective has stopped the run"
	}
	return s.err.Error()
}

func (s *stop) Unwrap() error { return s.err }

// oneLine returns text in one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
