package objective

// A PartialError says how far a batch came before Err ended it. An Objective that
// stops in the middle of a batch returns one. If a batch ends with any other error,
// none of its values is known and none of its queries is counted.
type PartialError struct {
	// Done is how many values at the front of the batch are known. A run uses
	// only these.
	Done int
	// Spent is how many points of the batch were evaluated. It is at least Done.
	// Where several workers share a batch, some points after the first failure may
	// have been evaluated too. They are counted, but which ones they are depends on
	// chance.
	Spent int
	// Err is what ended the batch.
	Err error
}

// Error returns the words of Err.
func (e *PartialError) Error() string {
	if e.Err == nil {
		return "the objective ended a batch early and does not say why"
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *PartialError) Unwrap() error { return e.Err }

// partial returns err for a whole batch, of which done values are known and spent
// points were evaluated. It replaces what err says about a part of that batch.
func partial(done, spent int, err error) error {
	return &PartialError{Done: done, Spent: spent, Err: Cause(err)}
}

// Cause returns err without the information on how far its batch came.
func Cause(err error) error {
	if partial, ok := err.(*PartialError); ok && partial.Err != nil {
		return partial.Err
	}
	return err
}
