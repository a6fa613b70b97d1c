package objective

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Status says why a run stopped. What went wrong, if anything, is an error.
type Status int

const (
	// Running is the status of a run that has not stopped.
	Running Status = iota
	// Converged: the algorithm is done. More queries would change nothing.
	Converged
	// BudgetSpent: every query of the budget was used.
	BudgetSpent
	// TargetReached: a value at or below the target was found.
	TargetReached
	// Stalled: the best value stopped improving.
	Stalled
	// StepLimit: the algorithm took as many steps as it was allowed.
	StepLimit
	// Unbounded: f kept falling as far as it was followed, so it may have no minimum.
	Unbounded
	// Cancelled: the caller's context ended.
	Cancelled
	// Failed: an error ended the run.
	Failed
	// TimeSpent: the time that was allowed is over.
	TimeSpent
	// ToleranceReached: the search gained less than the tolerance.
	ToleranceReached
)

var statusNames = [...]string{
	"running", "converged", "budget-spent", "target-reached", "stalled", "step-limit", "unbounded", "cancelled", "failed",
	"time-spent", "tolerance-reached",
}

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// MarshalText writes the status as its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a status.
func (s *Status) UnmarshalText(text []byte) error {
	i := slices.Index(statusNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown status %q", text)
	}
	*s = Status(i)
	return nil
}

// ErrBudget is returned to an algorithm whose budget is spent. It is a reason to
// stop, not a failure: see StatusOf.
var ErrBudget = errors.New("the budget of queries is spent")

// ErrTarget is returned to an algorithm once it has found a value at or below the
// target. It is a reason to stop, not a failure: see StatusOf.
var ErrTarget = errors.New("the target is reached")

// ErrTolerance is returned to a search that has gained less than the tolerance.
// It is a reason to stop, not a failure: see StatusOf.
var ErrTolerance = errors.New("the search gained less than the tolerance")

// ErrTime is the cause with which a context ends when the time of a run is spent. It is a
// reason to stop, not a failure: see StatusOf.
var ErrTime = errors.New("the time is spent")

// StatusOf turns the error with which Evaluate ended a run into a status. A
// spent budget, a reached target or tolerance and the end of ctx are reasons to stop:
// for them it returns a nil error. Every other error is a failure. Once ctx has
// ended, every error except a panic counts as Cancelled, or TimeSpent if ErrTime is the
// cause, because objectives report in different ways that they were stopped.
func StatusOf(ctx context.Context, err error) (Status, error) {
	switch {
	case err == nil:
		return Running, nil
	case errors.As(err, new(*VoidError)): // whatever else has happened
		return Failed, Cause(err)
	case errors.Is(err, ErrBudget):
		return BudgetSpent, nil
	case errors.Is(err, ErrTarget):
		return TargetReached, nil
	case errors.Is(err, ErrTolerance):
		return ToleranceReached, nil
	case ctx.Err() != nil && !errors.As(err, new(*PanicError)):
		if errors.Is(context.Cause(ctx), ErrTime) {
			return TimeSpent, nil
		}
		return Cancelled, nil
	}
	var stopped *stop
	if errors.As(err, &stopped) {
		if stopped.err == nil {
			return Cancelled, nil
		}
		return Failed, stopped.err
	}
	return Failed, Cause(err)
}
