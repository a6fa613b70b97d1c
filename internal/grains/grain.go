// Package grains measures how exact the values of a function are.
package grains

// The error, in grains, of numbers that are computed from several values of f. These
// are powers of two, so that multiplying by them does not round.
const (
	// OfSecond: a second difference f(x+h) − 2f(x) + f(x−h).
	OfSecond = 2
	// OfMixed: a mixed difference f(x+a+b) − f(x+a) − f(x+b) + f(x), or the gain of
	// a step. Its four values are rounded, and so are the points at which they are
	// taken. Of noise it is four standard deviations.
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

// uniform is the standard deviation of a number that is uniform on [-½, ½], 1/√12.
const uniform = 0.28867513459481287
