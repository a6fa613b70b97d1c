package parameter

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// leastShare is how much a parameter has to contribute to a combination to be named, as a
// share of what the largest contributes.
const leastShare = 0.01

// A part is a parameter in a combination: its weight, and what it contributes.
type part struct {
	Parameter
	weight, share float64
}

// terms returns the parameters of a direction over the coordinates z, in the order of what each
// contributes over the range in which to look first (by their weights alone, if one of these
// ranges is not known). Parameters that contribute less than a hundredth of the largest are left
// out. The direction is w or −w, such that the first weight is positive; by is 1 or −1.
func (s Space) terms(row []float64) (all []part, by float64) {
	start := s.Start()
	known := start.CheckFinite() == nil
	most := 0.
	for k, i := range s.Free() {
		share := math.Abs(row[k])
		if known {
			share *= start.Hi[k] - start.Lo[k]
		}
		all = append(all, part{s[i], row[k], share})
		most = max(most, share)
	}
	all = slices.DeleteFunc(all, func(t part) bool { return t.share < leastShare*most || t.weight == 0 })
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(b.share, a.share) })
	by = 1
	if len(all) > 0 && all[0].weight < 0 {
		by = -1
	}
	for k := range all {
		all[k].weight *= by
	}
	return all, by
}

// Sign returns 1 or −1: by which of the two the weights of a direction are multiplied in
// Combination.
func (s Space) Sign(row []float64) float64 {
	_, by := s.terms(row)
	return by
}

// Combination returns a direction w over the coordinates z in words, or −w, such that the
// parameter that contributes most comes first and has a positive weight. A direction over
// parameters on a
// logarithmic scale is a monomial, "k^0.7·d^-0.7", since Σ w_i log x_i = log Π x_i^w_i. Any
// other is a sum, "0.6·p - 0.8·log(k)".
func (s Space) Combination(row []float64) string {
	terms, _ := s.terms(row)
	allLog := true
	for _, t := range terms {
		allLog = allLog && t.Log
	}
	var out strings.Builder
	for k, t := range terms {
		weight := fmt.Sprintf("%.2g", math.Abs(t.weight))
		switch {
		case allLog && k > 0:
			out.WriteString("·")
			fallthrough
		case allLog:
			out.WriteString(t.Name)
			if power := sign(t.weight) + weight; power != "1" {
				out.WriteString("^" + power)
			}
			continue
		case k > 0 && t.weight < 0:
			out.WriteString(" - ")
		case k > 0:
			out.WriteString(" + ")
		}
		name := t.Name
		if t.Log {
			name = "log(" + name + ")"
		}
		if weight != "1" {
			name = weight + "·" + name
		}
		out.WriteString(name)
	}
	return out.String()
}

func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return ""
}

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
		powers[k] = float64(math.Round(2*ratio) / 2)
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

// A dimension is a product of powers of symbols, by their powers: m/s² is {m: 1, s: −2}.
type dimension map[string]float64

// add multiplies by a power of another.
func (d dimension) add(other dimension, power float64) {
	for symbol, p := range other {
		d[symbol] += float64(p * power)
	}
}

// none says that all symbols have cancelled. All powers are halves, so that sums are exact.
func (d dimension) none() bool {
	for _, p := range d {
		if p != 0 {
			return false
		}
	}
	return true
}

// derived are the units with names of their own (The International System of Units, 9th edition,
// Table 4). A symbol that is neither here nor a base unit stands for itself: it cancels
// with the same symbol only.
var derived = map[string]dimension{
	"rad": {}, "1": {}, "-": {},
	"Hz": {"s": -1},
	"N":  {"kg": 1, "m": 1, "s": -2},
	"Pa": {"kg": 1, "m": -1, "s": -2},
	"J":  {"kg": 1, "m": 2, "s": -2},
	"W":  {"kg": 1, "m": 2, "s": -3},
	"C":  {"A": 1, "s": 1},
	"V":  {"kg": 1, "m": 2, "s": -3, "A": -1},
	"F":  {"kg": -1, "m": -2, "s": 4, "A": 2},
	"Ω":  {"kg": 1, "m": 2, "s": -3, "A": -2},
	"S":  {"kg": -1, "m": -2, "s": 3, "A": 2},
	"T":  {"kg": 1, "s": -2, "A": -1},
	"Wb": {"kg": 1, "m": 2, "s": -2, "A": -1},
	"H":  {"kg": 1, "m": 2, "s": -2, "A": -2},
}

var (
	digits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "-", "−", "-", "⋅", "·", "*", "·", " ", "·")
	factor = regexp.MustCompile(`^(1|-|[^\s\d·/()^-]+)\^?(-?\d*)$`)
)

// parseUnit reads a unit: "kg/m³", "J/(kg·K)", "m^2 s^-1", "Pa·s". It reports whether it is one that
// can be read in one way only: "W/m·K" is not, and "" says nothing.
func parseUnit(text string) (dimension, bool) {
	text = digits.Replace(strings.TrimSpace(text))
	above, below, fraction := strings.Cut(text, "/")
	if fraction {
		if inner, found := strings.CutPrefix(below, "("); found && strings.HasSuffix(inner, ")") {
			below = strings.TrimSuffix(inner, ")")
		} else if strings.Contains(below, "·") {
			return nil, false
		}
	}
	out := dimension{}
	for k, side := range []string{above, below} {
		if k == 1 && !fraction {
			break
		}
		for _, f := range strings.Split(side, "·") {
			parts := factor.FindStringSubmatch(f)
			if parts == nil {
				return nil, false
			}
			power := 1.
			if parts[2] != "" {
				n, err := strconv.Atoi(parts[2])
				if err != nil {
					return nil, false
				}
				power = float64(n)
			}
			unit, known := derived[parts[1]]
			if !known {
				unit = dimension{parts[1]: 1}
			}
			out.add(unit, power*float64(1-2*k))
		}
	}
	return out, true
}
