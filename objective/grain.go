package objective

import "math"

// A Grain says how exact the values of f are. Values that differ by no more than
// the grain may be the same. A finite difference that is no larger than the grain
// carries no information.
//
// Everything that is known about the exactness of f is here. An algorithm that has to
// tell a small number from rounding is given a Grain. It compares the number with Of,
// or with one of the named multiples of Of below.
type Grain struct {
	// Relative is the error of a value, as a fraction of its size.
	Relative float64
	// Absolute is the error of a value in units of f, however small the value is:
	// the noise of a simulation, or the spacing of values printed with few digits.
	Absolute float64
}

// Rounding is the grain of a function that is computed in double precision and
// rounded once at the end: half a unit in the last place.
var Rounding = Grain{Relative: 0x1p-53}

// The error, in grains, of numbers that are computed from several values of f. These
// are powers of two, so that multiplying by them does not round.
const (
	// OfSecond: a second difference f(x+h) − 2f(x) + f(x−h).
	OfSecond = 2
	// OfMixed: a mixed difference f(x+a+b) − f(x+a) − f(x+b) + f(x), or the gain of
	// a step. Its four values are rounded, and so are the points at which they are
	// taken.
	OfMixed = 8
	// OfCurvature: a second difference over a whole Newton step, when the question is
	// whether it is above 0 at all.
	OfCurvature = 32
	// OfFlat: a second difference over the width of the box, in a direction in which
	// f may not change at all. The points are far from each other, and the terms that
	// f adds up are rounded at each of them.
	OfFlat = 256
	// OfSum: a value that is itself a sum of many rounded terms.
	OfSum = 512
)

// Of returns how far a computed value v may be from the true one.
func (g Grain) Of(v float64) float64 { return max(g.Relative*math.Abs(v), g.Absolute) }

// Scaled returns the grain of f multiplied by factor > 0.
func (g Grain) Scaled(factor float64) Grain { return Grain{g.Relative, g.Absolute * factor} }
