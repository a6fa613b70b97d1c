package auto

import (
	"math"
	"strconv"
	"strings"

	"github.com/untwist/untwist/objective"
)

// A places says whether values are printed with a fixed number of places, like 0.012, and not of
// digits. Where f was measured they may all be of one size, so that nothing tells the one from the
// other. It shows where f is small: with three digits there are values like 0.0123, too.
type places struct {
	digits int     // of the largest values; 0: all
	last   int     // the last decimal place of all values
	missed int     // so many values in turn would have a further one with as many digits, and have not
	at     float64 // the last of them
}

// mostMissed is how many values in turn end with a zero by chance: one in ten does.
const mostMissed = 3

// see takes notice of a value.
func (p *places) see(v float64) {
	if p.digits == 0 || v == 0 || notFinite(v) {
		return
	}
	last, decade := lastPlace(v)
	switch further := p.digits - 1 - decade; {
	case last > p.last:
		p.last, p.missed = last, 0
	case further > p.last && v != p.at:
		p.missed, p.at = p.missed+1, v
	}
}

// lastPlace returns the decimal place of v's last digit, 3 for 0.012, and the decade of its first,
// −2.
func lastPlace(v float64) (last, decade int) {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'e', -1, 64), "e")
	_, digits, _ := strings.Cut(mantissa, ".")
	decade, err := strconv.Atoi(exponent)
	if err != nil {
		panic("auto: " + err.Error())
	}
	return len(digits) - decade, decade
}

// roundedOff is the standard deviation of what is rounded off where f is v.
func (p *places) roundedOff(g objective.Grain, v float64) float64 {
	if p.missed < mostMissed {
		return g.Of(v)
	}
	return max(g.Of(v), math.Pow10(-p.last)/(2*raster))
}
