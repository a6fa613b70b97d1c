package objective

import "fmt"

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
	// Numbers are all numbers of an evaluation that answers several: the value, or residuals
	// whose squares are summed, and then the outputs. nil: there is only Value. They must not
	// be changed.
	Numbers []float64
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

// A Described objective can say which function it is, so that a record of one run is not
// taken for that of another.
type Described interface {
	// Description returns a value whose canonical JSON differs for different
	// functions: plain structs, slices, numbers and texts.
	Description() any
}
