package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A precision says how exact values are, as far as one can see it from the values alone.
type precision struct {
	values int
	digits int     // the most significant digits that any value has
	raster float64 // all values are multiples of it, a power of ten; 0: there is none
	single bool    // all values are numbers of single precision
}

// fewDigits is how many digits printed values may have to be called coarse. Values of double
// precision need 17, and 15 or 16 where the last are zeros.
const fewDigits = 12

// precisionOf looks at values. It needs a few different ones to say anything.
func precisionOf(values []float64) precision {
	p := precision{single: true}
	last := math.MaxInt // the place of the last digit of any value, a power of ten
	different := map[float64]bool{}
	for _, v := range values {
		different[v] = true
		if v == 0 {
			continue
		}
		digits, place := decimals(v)
		p.digits = max(p.digits, digits)
		last = min(last, place)
		p.single = p.single && v == float64(float32(v))
	}
	p.values = len(different)
	if p.digits > 0 && p.digits <= fewDigits {
		p.raster = math.Pow(10, float64(last))
		p.single = false // a few digits say more
	}
	if p.values < 3 || p.digits == 0 {
		p.single = false
	}
	return p
}

// decimals returns how many significant digits the shortest decimal of v has, and the power
// of ten of the last of them.
func decimals(v float64) (digits, place int) {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', -1, 64), "e")
	digits = len(strings.Replace(mantissa, ".", "", 1))
	place, _ = strconv.Atoi(exponent)
	return digits, place - digits + 1
}

// coarse says that the values have too few digits.
func (p precision) coarse() bool {
	return p.values >= 3 && (p.single || p.digits > 0 && p.digits <= fewDigits)
}

func (p precision) cause() string {
	if p.single {
		return "single precision (7 digits)"
	}
	return fmt.Sprintf("values of %d digits", p.digits)
}

func (p precision) remedy() string {
	if p.single {
		return "compute in double precision if you can"
	}
	return "print 17 digits: %.17g in C and awk, repr(x) in Python"
}

// String says how many digits there are, and whether values fall on a raster.
func (p precision) String() string {
	switch {
	case p.values < 3:
		return "not known: there are fewer than three different values"
	case p.single:
		return "7: all values are numbers of single precision"
	case p.coarse():
		return fmt.Sprintf("%d: all values are multiples of %.0g", p.digits, p.raster)
	}
	return strconv.Itoa(p.digits) + ", which is all there are"
}
