// Package parameter has the parameters of an objective as its user knows them: their
// names, units, limits and scales, and which of them are fixed.
//
// Algorithms search in coordinates z, one for each parameter that is not fixed. For a
// parameter on a logarithmic scale z is the natural logarithm of its value, and for any
// other it is the value itself.
package parameter

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/objective"
)

// A Space is all parameters of an objective, in order.
type Space []Parameter

// Plain returns dim parameters x1, x2, … without limits.
func Plain(dim int) Space {
	s := make(Space, dim)
	for i := range s {
		s[i].Name = fmt.Sprintf("x%d", i+1)
	}
	return s
}

// Names returns the names of all parameters.
func (s Space) Names() []string {
	return lists.Map(s, func(p Parameter) string { return p.Name })
}

// Free returns the indices of the parameters that are searched. They are the coordinates
// of z, in this order.
func (s Space) Free() []int {
	free := make([]int, 0, len(s))
	for i := range s {
		if s[i].Fixed == nil {
			free = append(free, i)
		}
	}
	return free
}

// Dim returns the number of parameters that are searched.
func (s Space) Dim() int { return len(s.Free()) }

// Check returns an error that names the first parameter that is wrong.
func (s Space) Check() error {
	seen := map[string]bool{}
	for i, p := range s {
		if p.Name == "" {
			return fmt.Errorf("parameter %d has no name", i+1)
		}
		if seen[p.Name] {
			return fmt.Errorf("there are two parameters %s", p.Name)
		}
		seen[p.Name] = true
		if err := Check(p); err != nil {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	if s.Dim() == 0 {
		return fmt.Errorf("there is no parameter to search: all %d are fixed", len(s))
	}
	return nil
}

// Bounds returns the limits in coordinates z.
func (s Space) Bounds() objective.Box { return s.box(reach) }

// Start returns where to look first, in coordinates z.
func (s Space) Start() objective.Box { return s.box(begin) }

// Limits returns the limits in the user's units, of all parameters. Those of a fixed
// parameter are its value.
func (s Space) Limits() (b objective.Box) {
	for _, p := range s {
		lo, hi := limits(p)
		b.Lo, b.Hi = append(b.Lo, or(p.Fixed, lo)), append(b.Hi, or(p.Fixed, hi))
	}
	return b
}

// box returns a box of coordinates z from an interval of each parameter.
func (s Space) box(interval func(Parameter) (lo, hi float64)) (b objective.Box) {
	for _, i := range s.Free() {
		lo, hi := interval(s[i])
		b.Lo, b.Hi = append(b.Lo, lo), append(b.Hi, hi)
	}
	return b
}

// reach returns the limits in the coordinate z: with a lattice, the ends of its cells.
func reach(p Parameter) (lo, hi float64) {
	lo, hi = limits(p)
	return span(p, lo, hi)
}

// begin returns where to look first in the coordinate z.
func begin(p Parameter) (lo, hi float64) {
	lo, hi = first(p)
	return span(p, lo, hi)
}

// span returns an interval of values in the coordinate z.
func span(p Parameter, lo, hi float64) (from, to float64) {
	if l, ok := latticeOf(p); ok {
		from, _ = l.cell(l.nearest(inward(p, lo)))
		_, to = l.cell(l.nearest(inward(p, hi)))
		return from, to
	}
	return inward(p, lo), inward(p, hi)
}

// Guess returns the point of all guesses, in the user's units, nil if there is none. A
// parameter without a guess is in the middle of where to look first.
func (s Space) Guess() []float64 {
	if !slices.ContainsFunc(s, func(p Parameter) bool { return p.Fixed == nil && p.Guess != nil }) {
		return nil
	}
	return s.Middle()
}

// Middle returns the point of all guesses, or, where there is none, the middle of where to
// look first. It is in the user's units.
func (s Space) Middle() []float64 { return lists.Map(s, middle) }

// Inward returns the coordinates z of a point x in the user's units.
func (s Space) Inward(x []float64) []float64 {
	z := make([]float64, 0, len(s))
	for i := range s {
		if s[i].Fixed == nil {
			z = append(z, inward(s[i], x[i]))
		}
	}
	return z
}

// atLimit is the part of its range within which a parameter is at a limit.
const atLimit = 1e-6

// At says which limit a parameter's value is at: "min", "max" or "". It is at a limit if it is
// within 1e-6 of its range from it, |z − limit| ≤ 1e-6·(hi − lo), on its scale. The range is that
// of the limits, or where to look first if one of these is missing.
func (s Space) At(i int, value float64) string {
	p := s[i]
	if p.Fixed != nil || p.Choices != nil {
		return ""
	}
	least, most := limits(p)
	lo, hi := least, most
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		lo, hi = first(p)
	}
	near := atLimit * (inward(p, hi) - inward(p, lo))
	switch z := inward(p, value); {
	case p.Min != nil && (value <= least || z-inward(p, least) <= near):
		return "min"
	case p.Max != nil && (value >= most || inward(p, most)-z <= near):
		return "max"
	}
	return ""
}

// inward returns the coordinate z of a value.
func inward(p Parameter, value float64) float64 {
	if p.Log && value <= 0 { // no limit
		return math.Inf(-1)
	}
	if p.Log && !math.IsInf(value, 1) {
		return kernel.LogOf(value)
	}
	return value
}

// limits returns the limits, infinite where there are none.
func limits(p Parameter) (lo, hi float64) {
	if l, ok := latticeOf(p); ok {
		return l.value(0), l.value(l.n - 1)
	}
	return or(p.Min, math.Inf(-1)), or(p.Max, math.Inf(1))
}

// aroundTimes is how far around a guess to look on a logarithmic scale where nothing else is
// known: so many times more or less.
const aroundTimes = 100

// Around returns how far around a guess to look where nothing else is known: 5 more or less, or
// as much as the guess itself if that is more.
func Around(guess float64) (lo, hi float64) {
	reach := max(5, math.Abs(guess))
	return guess - reach, guess + reach
}

func first(p Parameter) (lo, hi float64) {
	lo, hi = limits(p)
	if p.Guess != nil && (p.Min == nil || p.Max == nil) {
		below, above := Around(*p.Guess)
		if p.Log {
			below, above = *p.Guess/aroundTimes, *p.Guess*aroundTimes
		}
		lo, hi = max(lo, below), min(hi, above)
	}
	return or(p.Low, lo), or(p.High, hi)
}

func middle(p Parameter) float64 {
	switch lo, hi := first(p); {
	case p.Fixed != nil:
		return *p.Fixed
	case p.Guess != nil:
		return *p.Guess
	case p.Log:
		return onLattice(p, min(max(kernel.ExpOf((kernel.LogOf(lo)+kernel.LogOf(hi))/2), lo), hi))
	default:
		return onLattice(p, lo+float64((hi-lo)/2))
	}
}

func or(v *float64, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return *v
}

// A Parameter is one coordinate of an objective.
type Parameter = objective.Parameter

// Check returns an error if a parameter is wrong.
func Check(p Parameter) error {
	for _, v := range []struct {
		name  string
		value *float64
	}{{"min", p.Min}, {"max", p.Max}, {"low", p.Low}, {"high", p.High}, {"guess", p.Guess}, {"fixed", p.Fixed}} {
		if v.value != nil && !kernel.Finite(*v.value) {
			return fmt.Errorf("%s is %v, must be a finite number", v.name, *v.value)
		}
		if v.value != nil && p.Log && p.Fixed == nil && *v.value <= 0 {
			return fmt.Errorf("%s is %v, must be above 0 on a logarithmic scale", v.name, *v.value)
		}
	}
	if p.Integer || p.Step != nil || p.Choices != nil {
		if err := checkLattice(p); err != nil || p.Choices != nil || p.Fixed != nil {
			return err
		}
	}
	if p.Fixed != nil {
		if p.Min != nil || p.Max != nil || p.Low != nil || p.High != nil || p.Guess != nil || p.Log {
			return errors.New("is fixed, so it takes no limits, range, guess or scale")
		}
		return nil
	}
	min, max := limits(p)
	low, high := first(p)
	switch {
	case !(min < max):
		return fmt.Errorf("min is %v and max is %v; min must be less", min, max)
	case math.IsInf(low, 0) || math.IsInf(high, 0) || p.Log && low <= 0:
		return errors.New("it is not known where to look: give min and max, low and high, or a guess")
	case !(low < high):
		return fmt.Errorf("low is %v and high is %v; low must be less", low, high)
	case low < min || high > max:
		return fmt.Errorf("%v:%v, where to look first, is not within the limits %v:%v", low, high, min, max)
	case p.Guess != nil && (*p.Guess < min || *p.Guess > max):
		return fmt.Errorf("the guess %v is not within the limits %v:%v", *p.Guess, min, max)
	}
	from, to := span(p, low, high)
	switch err := (objective.Box{Lo: []float64{from}, Hi: []float64{to}}).CheckFinite(); {
	case errors.Is(err, objective.ErrNarrow):
		return fmt.Errorf("%v:%v, where to look first, is too narrow to compute with", low, high)
	case err != nil:
		return fmt.Errorf("%v:%v, where to look first, is too wide to compute with: give low and high", low, high)
	}
	return nil
}
