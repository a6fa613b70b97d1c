package grains

import (
	"math"
	"strconv"
	"strings"

	"github.com/untwist/untwist/objective"
)

const (
	mostDigits = 9      // a number in double precision has so few by chance once in ten million
	ofShort    = 7      // so many digits may be those of numbers with 24 bits, too, if they are sums of powers of two
	distinct   = 3      // so many different values must have them
	ofSingle   = 2.4e-8 // the standard deviation of rounding to 24 bits, as a part of a value: 2⁻²⁴/√12 to twice that
)

// printed returns the grain of values that are rounded to few digits; Rounding if they are
// not. Whole numbers, in any unit, may be counts as well.
func printed(values []float64) (g objective.Grain, whole bool) {
	seen := map[float64]bool{}
	short, most := true, 0.0
	whole = true
	for _, v := range values {
		if v != 0 {
			seen[v] = true
			short = short && v == float64(float32(v))
			whole = whole && v == math.Trunc(v)
			most = max(most, math.Abs(v))
		}
	}
	if len(seen) < distinct {
		return objective.Rounding, false
	}
	var all []decimal
	for v := range seen {
		all = append(all, decimalOf(v))
	}
	digits, last := 0, math.MinInt
	for _, d := range all {
		digits, last = max(digits, d.digits), max(last, d.digits-1-d.decade)
	}
	unit, counts := countsOf(seen)
	whole = (whole && !(short && most > 1<<24) || counts) && !padded(all, digits) // numbers with 24 bits that are so large are whole
	switch {
	case short && !whole && digits > ofShort:
		return objective.Grain{Relative: ofSingle, Kind: objective.Raster}, false
	case digits <= mostDigits && fixed(all, last):
		return objective.Grain{Relative: objective.Rounding.Relative, Absolute: math.Pow10(-last) * uniform, Kind: objective.Raster}, whole
	case digits <= mostDigits:
		return objective.Grain{Relative: objective.Rounding.Relative, Digits: digits, Kind: objective.Raster}, whole
	case whole && counts: // in a unit that is a power of two
		return objective.Grain{Relative: objective.Rounding.Relative, Absolute: unit * uniform, Kind: objective.Raster}, true
	}
	return objective.Rounding, false
}

const (
	ways   = 6  // along which f is followed to the first jump, each from a point of its own
	stages = 40 // steps that are tried on each way, each √2 times as long as the one before
	onWay  = 5  // ways on which the first jump must be small
	small  = 2  // the largest jump of a smooth f that is rounded, in units of the raster, at √2 times a step without one
)

// rounded reports whether values on a raster are those of a smooth function that is rounded,
// and not counts: on a way from any point the first jump is then to a neighbour on the raster,
// or to the next.
func (m *meter) rounded(g objective.Grain) (bool, error) {
	d := m.f.Dim()
	from, way := make([]float64, d), make([]float64, d)
	values, _, err := m.ask(ways*(1+stages), func(k int, x []float64) {
		if k %= 1 + stages; k == 0 {
			m.box.Draw(from, m.random)
			m.box.Draw(way, m.random)
			for i := range way {
				way[i] = (way[i] - from[i]) / 2
			}
			copy(x, from)
			return
		}
		t := math.Ldexp(1, (k-stages)/2) // √2^(k−stages)
		if (stages-k)%2 == 1 {
			t /= math.Sqrt2
		}
		for i := range x {
			x[i] = from[i] + float64(t*way[i])
		}
	})
	if err != nil {
		return false, err
	}
	few := 0
	for ; len(values) > 0; values = values[1+stages:] {
		here := values[0]
		for _, v := range values[1 : 1+stages] {
			if v != here {
				if math.Abs(v-here)*uniform <= (small+uniform)*g.Of(here) {
					few++
				}
				break
			}
		}
	}
	return few >= onWay, nil
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

// countsOf returns the largest power of two of which all values are whole multiples, and
// whether they are small ones: then they are counts in that unit.
func countsOf(seen map[float64]bool) (unit float64, counts bool) {
	most := 0.0
	unit = math.Inf(1)
	for v := range seen {
		fraction, exponent := math.Frexp(math.Abs(v))
		bits := uint64(fraction * (1 << 53))
		for ; bits%2 == 0; bits /= 2 {
			exponent++
		}
		unit, most = min(unit, math.Ldexp(1, exponent-53)), max(most, math.Abs(v))
	}
	return unit, most/unit < mostCount
}
