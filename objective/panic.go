package objective

import "fmt"

// A PanicError says that the objective panicked.
type PanicError struct {
	// Point is the first point of its batch that had no value yet, and
	// Suspects is how many such points there were. For an objective made by
	// Func there is exactly one: Point is where f panicked.
	Point    []float64
	Suspects int
	// Cause is the value of the panic.
	Cause any
	// Stack is the panicking goroutine's stack.
	Stack []byte
}

func (e *PanicError) Error() string {
	if e.Suspects > 1 {
		return fmt.Sprintf("objective panicked at one of %d points, the first of them x = %v: %v", e.Suspects, e.Point, e.Cause)
	}
	return fmt.Sprintf("objective panicked at x = %v: %v", e.Point, e.Cause)
}

// Unwrap returns the panic's value if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Cause.(error)
	return err
}
