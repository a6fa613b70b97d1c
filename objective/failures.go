package objective

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/untwist/untwist/internal/words"
)

// Failures counts failed queries, by kind.
type Failures [len(failureNames)]int

// Total returns how many queries have failed.
func (f Failures) Total() int {
	sum := 0
	for _, n := range f {
		sum += n
	}
	return sum
}

// MarshalJSON writes an object with a number for every kind.
func (f Failures) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for _, kind := range FailureKinds() {
		fmt.Fprintf(&out, ",%q:%d", kind.String(), f[kind])
	}
	return append(append([]byte{'{'}, out.Bytes()[1:]...), '}'), nil
}

// String returns the kinds that there are, with their numbers.
func (f Failures) String() string {
	var parts []string
	for _, kind := range FailureKinds() {
		if f[kind] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", words.Thousands(f[kind]), kind.words()))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// words returns the kind as it goes on after a number.
func (k FailureKind) words() string { return cmp.Or(failuresInWords[k], "by an error") }

var failuresInWords = map[FailureKind]string{
	NotANumber: "NaN or Inf", BadExit: "by exit status", BadSignal: "by a signal", TimedOut: "by timeout", NoNumber: "without a number",
}

var (
	// ErrAllFailed says that f failed at every point.
	ErrAllFailed = errors.New("the objective failed at every point")
	// ErrManyFailed says that f failed at too many points.
	ErrManyFailed = errors.New("the objective fails too often")
)

// A FailuresError ends a run in which too many queries fail.
type FailuresError struct {
	// Failed of the last Of queries have failed.
	Failed, Of int
	// Point is where the first query of the run failed, and Reason says why.
	Point  []float64
	Reason string
	// At is the same point in words, with the names of the parameters; "" where they have none.
	At string
	// All says that no query has succeeded.
	All bool
}

func (e *FailuresError) Error() string {
	what := fmt.Sprintf("the first %s all failed", words.Count(e.Of, "query", "queries"))
	if !e.All {
		what = fmt.Sprintf("%s of the last %s failed", words.Thousands(e.Failed), words.Count(e.Of, "query", "queries"))
	}
	return fmt.Sprintf("%s; the first failure: %s, at %s", what, e.Reason, cmp.Or(e.At, "x = "+short(e.Point)))
}

// Unwrap returns ErrAllFailed or ErrManyFailed.
func (e *FailuresError) Unwrap() error {
	if e.All {
		return ErrAllFailed
	}
	return ErrManyFailed
}

// short returns the first coordinates of a point.
func short(point []float64) string {
	const most = 6
	if len(point) <= most {
		return fmt.Sprint(point)
	}
	return strings.TrimSuffix(fmt.Sprint(point[:most]), "]") + fmt.Sprintf(" … of %d]", len(point))
}
