package auto

import (
	"math"
	"strconv"
	"strings"

	"github.com/untwist/untwist/objective"
)

// Values may be printed with a fixed number of places, like 0.012, and not of digits. Where f was
// measured they may all be of one size, so that nothing tells the one from the other. It shows
// where f is small: with three digits there are values like 0.0123, too.

// noPlace is the last place of no value.
const noPlace = math.MinInt

// placeOf returns the decimal place of v's last digit: 3 for 0.012, −2 for 1200, noPlace for 0.
func placeOf(v float64) int {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return noPlace
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', -1, 64), "e")
	_, digits, _ := strings.Cut(mantissa, ".")
	decade, err := strconv.Atoi(exponent)
	if err != nil {
		panic("auto: " + err.Error())
	}
	return len(digits) - decade
}

// roundedOff is the standard deviation of what is rounded off where f is v, by a raster of so many
// digits, but not finer than all values that were seen.
func (n *noise) roundedOff(g objective.Grain, v float64) float64 {
	of := g.Of(v)
	if g.Digits > 0 && n.place != noPlace {
		of = max(of, math.Pow10(-n.place)/(2*raster))
	}
	return of
}
