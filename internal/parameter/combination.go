package parameter

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// leastShare is how much a parameter has to contribute to a combination to be named, as a
// share of what the largest contributes.
const leastShare = 0.01

// Combination returns a direction over the coordinates z in words, in the order of what each
// parameter contributes over the range in which to look first (by their weights alone, if one
// of these ranges is not known). Parameters that contribute less than a hundredth of the
// largest are left out. A direction over parameters on a
// logarithmic scale is a monomial, "k^0.7·d^-0.7", since Σ w_i log x_i = log Π x_i^w_i. Any
// other is a sum, "0.6·p - 0.8·log(k)".
func (s Space) Combination(row []float64) string {
	start := s.Start()
	known := start.CheckFinite() == nil
	type term struct {
		Parameter
		weight, share float64
	}
	var terms []term
	most := 0.
	allLog := true
	for k, i := range s.Free() {
		share := math.Abs(row[k])
		if known {
			share *= start.Hi[k] - start.Lo[k]
		}
		terms = append(terms, term{s[i], row[k], share})
		most = max(most, share)
	}
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.share < leastShare*most || t.weight == 0 })
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(b.share, a.share) })
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
		default:
			out.WriteString(sign(t.weight))
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
