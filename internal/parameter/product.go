package parameter

import (
	"math"
	"strconv"
	"strings"
)

// A Product is a product of simple powers of parameters, g = Π x_i^p_i, in words: a·b/c². A
// direction w over the logarithms of the parameters is ⟨w, log x⟩ = Power·log g.
type Product struct {
	Words string
	Power float64
	// Group says that it is a dimensionless group: it has several parameters, and their units cancel.
	Group bool
}

// nearHalf is how near a ratio of weights must be to a whole number or half of one to be written
// as such, mostPower is how large it may be, and mostFactors how many parameters there may be.
const nearHalf, mostPower, mostFactors = 0.01, 3, 8

// Product returns a direction over logarithms as a product of powers, such that the largest power
// is positive, or most of those that are as large. It reports whether the direction is one: all
// parameters have logarithmic scales, and the ratios of their weights are simple.
func (s Space) Product(row []float64) (p Product, ok bool) {
	terms, by := s.terms(row)
	if len(terms) == 0 || len(terms) > mostFactors {
		return p, false
	}
	least := math.Inf(1)
	for _, t := range terms {
		least = min(least, math.Abs(t.weight))
	}
	powers := make([]float64, len(terms))
	most, above := 0., 0.
	for k, t := range terms {
		ratio := t.weight / least
		powers[k] = math.Round(2*ratio) / 2
		if !t.Log || math.Abs(ratio-powers[k]) > nearHalf || math.Abs(powers[k]) > mostPower {
			return p, false
		}
		if size := math.Abs(powers[k]); size > most {
			most, above = size, 0
		}
		if math.Abs(powers[k]) == most {
			above += powers[k]
		}
	}
	p.Power = by * least
	if above < 0 {
		p.Power = -p.Power
	}
	left := dimension{}
	known := len(terms) > 1
	var top, bottom []string
	for k, t := range terms {
		power := powers[k]
		if above < 0 {
			power = -power
		}
		unit, is := parseUnit(t.Unit)
		known = known && is
		left.add(unit, power)
		name := t.Name
		if size := math.Abs(power); size != 1 {
			name += "^" + strconv.FormatFloat(size, 'g', -1, 64)
		}
		if power > 0 {
			top = append(top, name)
		} else {
			bottom = append(bottom, name)
		}
	}
	p.Words, p.Group = strings.Join(top, "·"), known && left.none()
	switch len(bottom) {
	case 0:
	case 1:
		p.Words += "/" + bottom[0]
	default:
		p.Words += "/(" + strings.Join(bottom, "·") + ")"
	}
	return p, true
}
