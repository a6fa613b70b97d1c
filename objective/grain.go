package objective

import "math"

// A Grain says how exact the values of f are. Values that differ by no more than
// the grain may be the same. A finite difference that is no larger than the grain
// carries no information.
//
// Everything that is known about the exactness of f is here. An algorithm that has to
// tell a small number from rounding is given a Grain. It compares the number with Of,
// or with one of the named multiples of Of below. MeasureGrain finds it out.
type Grain struct {
	// Relative is the error of a value, as a fraction of its size.
	Relative float64
	// Absolute is the error of a value in units of f, however small the value is:
	// the noise of a simulation, or the spacing of values printed with few digits.
	Absolute float64
	// Digits is with how many significant digits values are printed; 0: with all.
	Digits int
	// Kind says what makes the values inexact.
	Kind Kind

	unit float64 // what values were multiplied by after they were printed; 0: by nothing
	zero float64 // the value from which Relative counts
}

// A Kind of noise says what makes the values of f inexact.
type Kind string

// The kinds of noise. What is not rounding has a standard deviation, which Grain.Of returns.
const (
	NoNoise            Kind = ""              // rounding in double precision alone
	RandomNoise        Kind = "random"        // the same point asked again has another value
	DeterministicNoise Kind = "deterministic" // the values of points next to each other jump
	Raster             Kind = "raster"        // values are rounded to few digits
	SinglePrecision    Kind = "single"        // rounding in single precision, of all that f adds up
)

// String returns the name of the kind, "none" if there is no noise.
func (k Kind) String() string {
	if k == NoNoise {
		return "none"
	}
	return string(k)
}

// Noisy reports whether the error is noise, and not rounding in double or single precision. Where
// it is rounding, f is as good as exact if steps are long enough. Of noise it takes means.
func (g Grain) Noisy() bool { return g.Kind != NoNoise && g.Kind != SinglePrecision }

// Rounding is the grain of a function that is computed in double precision and
// rounded once at the end: half a unit in the last place.
var Rounding = Grain{Relative: 0x1p-53}

// Known returns the grain of a function that is known to have random noise of standard
// deviation sigma.
func Known(sigma float64) Grain {
	return Grain{Relative: Rounding.Relative, Absolute: sigma, Kind: RandomNoise}
}

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

// Of returns how far a computed value v may be from the true one; if there is noise, its
// standard deviation.
func (g Grain) Of(v float64) float64 {
	of := max(g.Relative*math.Abs(v-g.zero), g.Absolute)
	if g.Digits > 0 && v != 0 {
		unit := g.unit
		if unit == 0 {
			unit = 1
		}
		of = max(of, spacing(v/unit, g.Digits)*unit*uniform)
	}
	return of
}

// uniform is the standard deviation of a number that is uniform on [-½, ½], 1/√12.
const uniform = 0.28867513459481287

// spacing returns the distance of numbers with so many significant digits around v.
func spacing(v float64, digits int) float64 {
	decade := int(math.Floor(math.Log10(math.Abs(v))))
	if math.Pow10(decade+1) <= math.Abs(v) { // a logarithm that is rounded down: that of 1000
		decade++
	}
	return math.Pow10(decade - digits + 1)
}

// Times returns n grains of v. Rounding errors add up over what f computes, and n says how
// many. What was measured, noise or the error of single precision, is in a value once, so that n
// is OfMixed at most then.
func (g Grain) Times(n, v float64) float64 {
	if g.Kind != NoNoise {
		n = min(n, OfMixed)
	}
	return n * g.Of(v)
}

// From returns the grain whose Relative is the error as a fraction of how far a value is from
// zero: that of a function to which a constant was added.
func (g Grain) From(zero float64) Grain {
	g.zero = zero
	return g
}

// Scaled returns the grain of f multiplied by factor > 0.
func (g Grain) Scaled(factor float64) Grain {
	g.Absolute *= factor
	g.zero *= factor
	if g.Digits > 0 {
		if g.unit == 0 {
			g.unit = 1
		}
		g.unit *= factor
	}
	return g
}
