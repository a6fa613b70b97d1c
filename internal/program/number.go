package program

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// parseNumber reads a number as strconv.ParseFloat does. It also reads a Fortran exponent
// (1.5D+03) and C's -nan, and what is too large for a float64 is an infinity. Spaces around the number
// do not matter, nor does a byte order mark before it.
func parseNumber(s string) (float64, bool) {
	s = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	v, err := strconv.ParseFloat(s, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return v, true
	}
	if strings.EqualFold(s, "-nan") || strings.EqualFold(s, "+nan") { // as C prints it
		return math.NaN(), true
	}
	i := strings.IndexAny(s, "dD")
	if i < 0 || strings.ContainsAny(s, "xX") {
		return 0, false
	}
	v, err = strconv.ParseFloat(s[:i]+"e"+s[i+1:], 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// appendNumber writes the shortest number that reads back to the same bits.
func appendNumber(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'g', -1, 64) }
