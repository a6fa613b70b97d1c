package parameter

import (
	"regexp"
	"strconv"
	"strings"
)

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
