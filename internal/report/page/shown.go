package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/report"
	"github.com/untwist/untwist/internal/words"
)

// A shown combination is one in words, and how its values are written. Of logarithms it is a
// product of powers g, and the coordinate is y = power·log g. Of anything else it is a sum s, and
// the coordinate is y = power·s, where power is 1 or −1.
type shown struct {
	words   string
	log     bool
	power   float64
	product bool   // of simple powers of several parameters
	group   bool   // and its units cancel
	unit    string // of s, if all its parameters have the same
}

// value writes a value of the combination.
func (s shown) value(y float64) string {
	if s.log {
		return size(math.Exp(y / s.power))
	}
	return size(y/s.power) + report.Unit(s.unit)
}

// axis says what is on the axis of its profile.
func (s shown) axis() string {
	switch {
	case s.log && strings.ContainsAny(s.words, "·/"):
		return "log₁₀(" + s.words + ")"
	case s.log:
		return "log₁₀ " + s.words
	case s.unit != "":
		return s.words + " [" + s.unit + "]"
	}
	return s.words
}

// profile returns a profile as it is drawn: that of a product of powers over log₁₀ g, and that of
// a sum over s.
func (s shown) profile(p untwist.Profile) untwist.Profile {
	by := 1 / s.power
	if s.log {
		by /= math.Ln10
	}
	p.Y, p.Value, p.Wells = slices.Clone(p.Y), slices.Clone(p.Value), slices.Clone(p.Wells)
	for i := range p.Y {
		p.Y[i] *= by
	}
	for i := range p.Wells {
		p.Wells[i].Y *= by
	}
	if by < 0 {
		slices.Reverse(p.Y)
		slices.Reverse(p.Value)
	}
	return p
}

// leastTerm is the part of the largest term below which a term is not named, as in package
// parameter. mostTerms is how many are.
const leastTerm, mostTerms = 0.01, 8

// show returns a combination in words, the largest weights first. If it has more than a few
// parameters, it says how many more there are.
func (c coordinates) show(row []float64) shown {
	share := make([]float64, len(row))
	for i, w := range row {
		share[i] = math.Abs(w)
		if !c.start.IsZero() {
			share[i] *= c.start.Hi[i] - c.start.Lo[i]
		}
	}
	order := ranks.Order(len(row), func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	order = slices.DeleteFunc(order, func(i int) bool { return share[i] < leastTerm*share[order[0]] || row[i] == 0 })
	out := shown{power: c.space.Sign(row), log: len(order) > 0}
	free := c.space.Free()
	for n, i := range order {
		q := c.space[free[i]]
		out.log = out.log && q.Log
		if n == 0 {
			out.unit = q.Unit
		}
		if out.unit != q.Unit || q.Log {
			out.unit = ""
		}
	}
	if p, ok := c.space.Product(row); ok {
		out.words, out.power, out.product, out.group = p.Words, p.Power, strings.ContainsAny(p.Words, "·/"), p.Group
		return out
	}
	short := make([]float64, len(row))
	for _, i := range order[:min(len(order), mostTerms)] {
		short[i] = row[i]
	}
	out.words = strings.ReplaceAll(c.space.Combination(short), " - ", " − ")
	if n := len(order) - mostTerms; n > 0 {
		out.words += " … and " + words.Count(n, "smaller term", "smaller terms")
	}
	return out
}
