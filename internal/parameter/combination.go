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
