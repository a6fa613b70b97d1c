package objective

import "math"

// A Grain says how exact the values of f are. Values that differ by no more than
// the grain may be the same. A finite difference that is no larger than the grain
// carries no information.
//
// Everything that is known about the exactness of f is here. An algorithm that has to
// tell a small number from rounding is given a Grain. It compares the number with Of,
// or with Times, a multiple of Of. A run measures it.
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

// ofMixed is the error, in grains, of a mixed difference: internal/grain names it and others.
const ofMixed = 8

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
// is at most that of a mixed difference then.
func (g Grain) Times(n, v float64) float64 {
	if g.Kind != NoNoise {
		n = min(n, ofMixed)
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
