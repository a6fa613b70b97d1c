package objective

// A Parameter is one coordinate of an objective.
type Parameter struct {
	Name string
	Unit string // "": none

	// Min and Max are limits: nothing outside is ever asked. nil: there is none.
	Min, Max *float64
	// Low and High say where to look first. nil: the limits.
	Low, High *float64
	// Guess is a known good value; nil: none is known.
	Guess *float64
	// Fixed is the value of a parameter that is not searched; nil: it is searched.
	Fixed *float64
	// Log says that the search is in the logarithm of the value.
	Log bool
}
