package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/ranks"
	"github.com/untwist/untwist/internal/words"
)

// A shown combination is one in words, and how its values are written. Of logarithms it is a
// product of powers g, and the coordinate is y = power·log g. Of anything else it is the sum y.
type shown struct {
	words string
	log   bool
	power float64
	unit  string // of y, if all its parameters have the same
}

// value writes a value of the combination.
func (s shown) value(y float64) string {
	if s.log {
		return size(math.Exp(y / s.power))
	}
	if s.unit != "" {
		return size(y) + " " + s.unit
	}
	return size(y)
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

// profile returns a profile as it is drawn: that of a product of powers over log₁₀ g.
func (s shown) profile(p untwist.Profile) untwist.Profile {
	if !s.log {
		return p
	}
	by := 1 / (s.power * math.Ln10)
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
	out := shown{power: 1, log: len(order) > 0}
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
	if out.log && c.simple(row, order, &out) {
		return out
	}
	short := make([]float64, len(row))
	for _, i := range order[:min(len(order), mostTerms)] {
		short[i] = row[i]
	}
	out.words = strings.ReplaceAll(c.space.Combination(short), " - ", " − ")
	if first, found := strings.CutPrefix(out.words, "-"); found {
		out.words = "−" + first
	}
	if n := len(order) - mostTerms; n > 0 {
		out.words += " … and " + words.Count(n, "smaller term", "smaller terms")
	}
	return out
}

// nearHalf is how near a ratio of weights must be to a whole number or half of one to be written
// as such, and mostPower is how large it may be.
const nearHalf, mostPower = 0.01, 3

// simple writes a combination of logarithms as a fraction, a·b/c², if the ratios of its weights
// are simple. It reports whether they are.
func (c coordinates) simple(row []float64, order []int, out *shown) bool {
	if len(order) > mostTerms {
		return false
	}
	by := math.Inf(1) // the smallest weight
	above := 0
	for _, i := range order {
		if math.Abs(row[i]) < math.Abs(by) {
			by = row[i]
		}
		above += int(math.Copysign(1, row[i]))
	}
	by = math.Copysign(by, float64(above)+0.5) // most are above the line
	var top, bottom []string
	for _, i := range order {
		ratio := row[i] / by
		half := math.Round(2*ratio) / 2
		if math.Abs(ratio-half) > nearHalf || math.Abs(half) > mostPower {
			return false
		}
		name := c.space[c.space.Free()[i]].Name
		if power := math.Abs(half); power != 1 {
			name += "^" + words.Number(power, 2)
		}
		if half > 0 {
			top = append(top, name)
		} else {
			bottom = append(bottom, name)
		}
	}
	out.words, out.power = strings.Join(top, "·"), by
	switch len(bottom) {
	case 0:
	case 1:
		out.words += "/" + bottom[0]
	default:
		out.words += "/(" + strings.Join(bottom, "·") + ")"
	}
	return true
}
