package objective

import "fmt"

// An OptionError says which field of an options struct is wrong, and what values
// the field may have.
type OptionError struct {
	Option string // the field's name
	Reason string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

// BadOption makes an *OptionError.
func BadOption(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}
