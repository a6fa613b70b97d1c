package parameter

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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
// are not fixed. None of them is searched on a logarithmic scale.
func (s Space) InwardLimit(l Linear) Linear {
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

// Scaled returns the limit in coordinates z with x = centre + half·z.
func (l Linear) Scaled(centre, half []float64) Linear {
	out := Linear{Text: l.Text, Lo: l.Lo, Hi: l.Hi}
	for i, c := range l.Coefficients {
		out.Lo, out.Hi = out.Lo-float64(c*centre[i]), out.Hi-float64(c*centre[i])
		out.Coefficients = append(out.Coefficients, c*half[i])
	}
	return out
}
