package objective

import (
	"math"
	"strconv"
	"strings"
)

const (
	mostDigits = 9      // a number in double precision has so few by chance once in ten million
	distinct   = 3      // so many different values must have them
	single     = 2.4e-8 // the standard deviation of rounding to 24 bits, as a part of a value: 2⁻²⁴/√12 to twice that
)

// printed returns the grain of values that are rounded to few digits; Rounding if they are
// not.
func printed(values []float64) Grain {
	seen := map[float64]bool{}
	short, whole := true, true
	for _, v := range values {
		if v != 0 {
			seen[v] = true
			short = short && v == float64(float32(v))
			whole = whole && v == math.Trunc(v)
		}
	}
	if len(seen) < distinct {
		return Rounding
	}
	var all []decimal
	for v := range seen {
		all = append(all, decimalOf(v))
	}
	digits, last := 0, math.MinInt
	for _, d := range all {
		digits, last = max(digits, d.digits), max(last, d.digits-1-d.decade)
	}
	switch {
	case (whole || counts(seen)) && !padded(all, digits):
		return Rounding
	case digits <= mostDigits && fixed(all, last):
		return Grain{Relative: Rounding.Relative, Absolute: math.Pow10(-last) * uniform, Kind: Raster}
	case digits <= mostDigits:
		return Grain{Relative: Rounding.Relative, Digits: digits, Kind: Raster}
	case short:
		return Grain{Relative: single, Kind: Raster}
	}
	return Rounding
}

// A decimal is how a number is printed: its first digit stands for 10^decade.
type decimal struct{ digits, decade int }

// decimalOf returns how v is printed with as few digits as tell it from others.
func decimalOf(v float64) decimal {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', -1, 64), "e")
	decade, err := strconv.Atoi(exponent)
	if err != nil {
		panic("objective: " + err.Error())
	}
	return decimal{len(strings.Replace(mantissa, ".", "", 1)), decade}
}

// chance is how many trailing zeros, over all numbers, are not chance: one number in ten has
// one.
const chance = 3

// padded reports whether numbers have zeros at the end because they are large.
func padded(all []decimal, digits int) bool {
	zeros := 0
	for _, d := range all {
		zeros += max(0, d.decade+1-digits)
	}
	return zeros >= chance
}

// fixed reports whether numbers of different size have the same last place, rather than the
// same number of digits: then the smaller ones are so many digits short.
func fixed(all []decimal, last int) bool {
	high := math.MinInt
	for _, d := range all {
		high = max(high, d.decade)
	}
	same, short := false, 0 // the highest decade has that last place, too
	for _, d := range all {
		short += high - d.decade
		same = same || d.decade == high && d.digits-1-d.decade == last
	}
	return same && short >= chance
}

// mostCount is the largest number that counts as one.
const mostCount = 1 << 20

// counts reports whether all values are whole multiples of one power of two, and small ones:
// they are counts in some unit.
func counts(seen map[float64]bool) bool {
	unit, most := math.Inf(1), 0.0
	for v := range seen {
		fraction, exponent := math.Frexp(math.Abs(v))
		bits := uint64(fraction * (1 << 53))
		for ; bits%2 == 0; bits /= 2 {
			exponent++
		}
		unit, most = min(unit, math.Ldexp(1, exponent-53)), max(most, math.Abs(v))
	}
	return most/unit < mostCount
}
