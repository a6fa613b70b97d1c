package parameter

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/untwist/untwist/internal/kernel"
)

// A Linear limit is Lo ≤ Σ Coefficients[i]·x_i ≤ Hi, in the user's units.
type Linear struct {
	Text         string // as it was given
	Coefficients []float64
	Lo, Hi       float64 // −Inf, +Inf: there is none; equal: the sum has this value
}

// Equal reports whether the limit says what the sum is.
func (l Linear) Equal() bool { return l.Lo == l.Hi }

// Sum returns the sum at a point.
func (l Linear) Sum(x []float64) (sum float64) {
	for i, c := range l.Coefficients {
		if c != 0 {
			sum += float64(c * x[i])
		}
	}
	return sum
}

// relation is what stands between the two sides of a limit.
var relation = regexp.MustCompile(`<=|>=|==|=|≤|≥|<|>`)

// ParseLinear reads a limit such as "a + b <= 5" or "2*p - q = 1", for parameters of these names.
func ParseLinear(text string, names []string) (Linear, error) {
	l := Linear{Text: strings.Join(strings.Fields(text), " "), Lo: math.Inf(-1), Hi: math.Inf(1)}
	at := relation.FindAllStringIndex(text, -1)
	if len(at) != 1 {
		return l, fmt.Errorf("%q is not a limit such as a + b <= 5, with one of <=, >= and =", text)
	}
	left, a, err := sum(text[:at[0][0]], names)
	if err != nil {
		return l, fmt.Errorf("%q: %w", text, err)
	}
	right, b, err := sum(text[at[0][1]:], names)
	if err != nil {
		return l, fmt.Errorf("%q: %w", text, err)
	}
	some := false
	for i := range left {
		left[i] -= right[i]
		some = some || left[i] != 0
	}
	if !some {
		return l, fmt.Errorf("%q limits no parameter", text)
	}
	l.Coefficients = left
	switch text[at[0][0]:at[0][1]] {
	case "<", "<=", "≤":
		l.Hi = b - a
	case ">", ">=", "≥":
		l.Lo = b - a
	default:
		l.Lo, l.Hi = b-a, b-a
	}
	if math.IsInf(b-a, 0) || math.IsNaN(b-a) || slices.ContainsFunc(left, func(v float64) bool { return v-v != 0 }) {
		return l, fmt.Errorf("%q has a number that is not finite", text)
	}
	return l, nil
}

// term is a sign, a number and a name, the number first or last.
var term = sync.OnceValue(func() *regexp.Regexp { // its letters take a while
	return regexp.MustCompile(`^\s*([+-]?)\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?:[*·]?\s*([\pL_][\pL\pN_]*(?:\[\d+\])?))?|([\pL_][\pL\pN_]*(?:\[\d+\])?)(?:\s*[*·]\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))?)\s*`)
})

// sum reads a sum of terms: coefficients of the names, and a constant.
func sum(text string, names []string) (coefficients []float64, constant float64, err error) {
	coefficients = make([]float64, len(names))
	rest := text
	for first := true; first || strings.TrimSpace(rest) != ""; first = false {
		m := term().FindStringSubmatch(rest)
		if m == nil || !first && m[1] == "" {
			return nil, 0, fmt.Errorf("%q is not a sum such as 2*a - b", strings.TrimSpace(text))
		}
		rest = rest[len(m[0]):]
		v := 1.
		if number := m[2] + m[5]; number != "" {
			if v, err = strconv.ParseFloat(number, 64); err != nil {
				return nil, 0, fmt.Errorf("%s is no number", number)
			}
		}
		if m[1] == "-" {
			v = -v
		}
		name := m[3] + m[4]
		i := slices.Index(names, name)
		switch {
		case name == "":
			constant += v
		case i < 0:
			return nil, 0, fmt.Errorf("there is no parameter %s", name)
		default:
			coefficients[i] += v
		}
	}
	return coefficients, constant, nil
}

// InwardLimit returns the limit for what is searched: its coefficients are those of the parameters that
// are not fixed. Of parameters on a logarithmic scale it is the limit of logarithms, if there is one.
func (s Space) InwardLimit(l Linear) Linear {
	out := s.free(l)
	if logs, ok := s.inLogs(out); ok {
		return logs
	}
	return out
}

// free returns the limit by the parameters that are not fixed.
func (s Space) free(l Linear) Linear {
	out := Linear{Text: l.Text, Lo: l.Lo, Hi: l.Hi}
	for i, p := range s {
		c := l.Coefficients[i]
		if p.Fixed != nil {
			out.Lo, out.Hi = out.Lo-float64(c**p.Fixed), out.Hi-float64(c**p.Fixed)
			continue
		}
		out.Coefficients = append(out.Coefficients, c)
	}
	return out
}

// inLogs returns the limit that is linear in logarithms and the same as one by the parameters that are searched: a·x ≤ c is
// log x ≤ log(c/a), and a·x ≤ b·y is log x − log y ≤ log(b/a), for a, b, c above 0; false: there is none.
func (s Space) inLogs(l Linear) (out Linear, ok bool) {
	out = Linear{Text: l.Text, Coefficients: make([]float64, len(l.Coefficients)), Lo: math.Inf(-1), Hi: math.Inf(1)}
	var terms []float64
	free := s.Free()
	for k, c := range l.Coefficients {
		if c == 0 {
			continue
		}
		if !s[free[k]].Log {
			return out, false
		}
		out.Coefficients[k] = 1 - 2*float64(len(terms)) // 1, and −1 for a second
		terms = append(terms, c)
	}
	if len(terms) == 0 || len(terms) > 2 {
		return out, false
	}
	at := [2]float64{l.Lo, l.Hi}
	for k, side := range at {
		if math.IsInf(side, 0) {
			continue
		}
		if len(terms) == 2 {
			if side != 0 {
				return out, false
			}
			side = -terms[1]
		}
		if side /= terms[0]; !(side > 0) {
			return out, false
		}
		if k == 1 == (terms[0] > 0) { // an upper limit stays one unless it is divided by a number below 0
			out.Hi = kernel.LogOf(side)
		} else {
			out.Lo = kernel.LogOf(side)
		}
	}
	return out, true
}

// Straight returns the space with all parameters searched on a linear scale that are in a limit which is curved on a
// logarithmic one.
func (s Space) Straight(limits []Linear) Space {
	s = slices.Clone(s)
	for range s { // each limit that is straightened may bend another
		for _, l := range limits {
			if _, ok := s.inLogs(s.free(l)); ok {
				continue
			}
			for i, c := range l.Coefficients {
				s[i].Log = s[i].Log && c == 0
			}
		}
	}
	return s
}

// Slope returns by how much the left side of a limit rises, at a point in the user's units, where that of the limit for
// what is searched rises by one unit.
func (s Space) Slope(l Linear, x []float64) float64 {
	if _, ok := s.inLogs(s.free(l)); ok {
		for i, c := range l.Coefficients {
			if c != 0 && s[i].Fixed == nil {
				return math.Abs(c * x[i])
			}
		}
	}
	return 1
}

// Scaled returns the limit in coordinates z with x = centre + half·z.
func (l Linear) Scaled(centre, half []float64) Linear {
	out := Linear{Text: l.Text, Lo: l.Lo, Hi: l.Hi}
	for i, c := range l.Coefficients {
		out.Lo, out.Hi = out.Lo-float64(c*centre[i]), out.Hi-float64(c*centre[i])
		out.Coefficients = append(out.Coefficients, c*half[i])
	}
	return out
}
