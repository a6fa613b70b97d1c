package objective

import "fmt"

// An OptionError says which field of a plain struct of options is wrong, and
// what it may be.
type OptionError struct {
	Option string // the field's name
	Reason string
}

func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

// BadOption makes an *OptionError.
func BadOption(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}
