package objective

import (
	"fmt"

	"github.com/untwist/untwist/internal/words"
)

// A VoidError ends a run whose objective has found out that answers which it told before may
// be those of other points. None from the query First on counts.
type VoidError struct {
	// First and Last are the first and the last query whose answer is in doubt. They count
	// from 1. What was asked after First depends on these answers, and does not count either.
	First, Last int
	// Marked is the journal in which the answers from First on are marked as void; "": none.
	Marked string
	// Err says what happened.
	Err error
}

// Error says what happened, and which values are in doubt.
func (e *VoidError) Error() string {
	which := "value of query " + words.Thousands(e.First)
	if e.Last > e.First {
		which = fmt.Sprintf("values of queries %s to %s", words.Thousands(e.First), words.Thousands(e.Last))
	}
	return fmt.Sprintf("%v; the %s cannot be trusted", e.Err, which)
}

// Unwrap returns Err.
func (e *VoidError) Unwrap() error { return e.Err }
