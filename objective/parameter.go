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

	// Integer says that the value is a whole number, from Min to Max.
	Integer bool `json:",omitempty" fingerprint:"omitzero"`
	// Step says that the value is Min, Min + Step, … up to Max; nil: it is any number.
	Step *float64 `json:",omitempty"`
	// Choices are words of which the value is one: the point has its index, from 0. There is no
	// order among them. nil: the value is a number.
	Choices []string `json:",omitempty"`
}
