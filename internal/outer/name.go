package outer

import "math"

// The names of outer maps φ.
const (
	Root        = "root"
	Square      = "square"
	Logarithm   = "logarithm"
	Exponential = "exponential"
	PowerLaw    = "power"
	Some        = "some increasing map"
)

// like is how far the exponent of a map may be from that of a named one, as a part of it.
const like = 0.05

// Name returns the nearest name of φ, the map that ψ undoes: Root, Square, Logarithm,
// Exponential, PowerLaw, or Some if it is nothing like a power.
func (m *Map) Name() string {
	switch q := m.Exponent(); {
	case math.IsNaN(q):
		return Some
	case math.Abs(q) <= like:
		return Logarithm
	case math.Abs(1/q) <= like:
		return Exponential
	case math.Abs(q-0.5) <= like*0.5:
		return Root
	case math.Abs(q-2) <= like*2:
		return Square
	}
	return PowerLaw
}

// Exponent returns q if φ is the power v^q, up to constants and scales: ½ for a root, 2 for
// a square, 0 for a logarithm, which is the limit of small powers, and +Inf for an
// exponential. It is NaN for other maps.
func (m *Map) Exponent() float64 {
	omega := m.kappa + m.gamma
	if omega == 0 {
		return math.Inf(1)
	}
	return m.kappa / omega
}
