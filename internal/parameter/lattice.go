package parameter

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist/internal/kernel"
	"github.com/untwist/untwist/objective"
)

// A lattice is the values that an integer, a parameter with a step or one of choices may have,
//
//	v_j = lo + j·step,   j = 0, …, n−1,
//
// with step 1 for integers, and v_j = j for choices. In the coordinate z, a cell around each value
// is rounded to it: from the middle between it and the value before to that between it and the next.
// The cells at the ends reach as far outwards as inwards.
type lattice struct {
	lo, step float64
	n        int
	unit     float64 // values are whole multiples of 1/unit, as the user has written them; 0: not known
	log      bool
}

// latticeOf returns the lattice of a parameter that was checked; false: it has none.
func latticeOf(p Parameter) (lattice, bool) {
	switch {
	case p.Fixed != nil:
		return lattice{}, false
	case p.Choices != nil:
		return lattice{step: 1, n: len(p.Choices), unit: 1}, true
	case p.Integer && p.Min != nil && p.Max != nil:
		lo, hi := math.Ceil(*p.Min), math.Floor(*p.Max)
		return lattice{lo: lo, step: 1, n: int(hi-lo) + 1, unit: 1, log: p.Log}, true
	case p.Step != nil && p.Min != nil && p.Max != nil:
		n := math.Round((*p.Max-*p.Min) / *p.Step) + 1
		return lattice{lo: *p.Min, step: *p.Step, n: int(n), unit: max(decimal(*p.Min), decimal(*p.Step)), log: p.Log}, true
	}
	return lattice{}, false
}

// mostExact is up to which size whole numbers are exact.
const mostExact = 1 << 53

// decimal returns the power of ten that makes a whole number of v, as v is written.
func decimal(v float64) float64 {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	_, digits, _ := strings.Cut(text, ".")
	return math.Pow10(len(digits))
}

// value returns v_j. Steps of 0.1 from 0.3 come to 0.6, and not to 0.6000000000000001.
func (l lattice) value(j int) float64 {
	v := l.lo + float64(float64(j)*l.step)
	if w := v * l.unit; math.Abs(w) < mostExact {
		return math.Round(w)/l.unit + 0 // −0 is written as 0
	}
	return v
}

// coordinate returns z of v_j.
func (l lattice) coordinate(j int) float64 {
	if l.log {
		return kernel.LogOf(l.value(j))
	}
	return l.value(j)
}

// nearest returns the j whose v_j is nearest in the coordinate z.
func (l lattice) nearest(z float64) int {
	v := z
	if l.log {
		v = kernel.ExpOf(z)
	}
	j := int(min(max(math.Floor((v-l.lo)/l.step), 0), float64(l.n-1)))
	if j+1 < l.n && z-l.coordinate(j) > l.coordinate(j+1)-z {
		j++
	}
	return j
}

// cell returns the ends of the cell of v_j in the coordinate z.
func (l lattice) cell(j int) (lo, hi float64) {
	z := l.coordinate(j)
	before, after := max(j-1, 0), min(j+1, l.n-1)
	below, above := z-l.coordinate(before), l.coordinate(after)-z
	if j == 0 {
		below = above
	}
	if j == l.n-1 {
		above = below
	}
	return z - float64(below/2), z + float64(above/2)
}

// onLattice returns the value of a parameter's lattice that is nearest to a value.
func onLattice(p Parameter, value float64) float64 {
	if l, ok := latticeOf(p); ok {
		return l.value(l.nearest(inward(p, value)))
	}
	return value
}

// divides is how far from a whole number of steps a range may be: rounding, and no more.
const divides = 1e-9

// checkLattice returns an error if a parameter's lattice is wrong.
func checkLattice(p Parameter) error {
	kinds := 0
	for _, is := range []bool{p.Integer, p.Step != nil, p.Choices != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return errors.New("is two of integer, step and choices, and can be one")
	case p.Choices != nil:
		return checkChoices(p)
	case p.Fixed != nil && p.Integer && *p.Fixed == math.Round(*p.Fixed) && p.Min == nil && p.Max == nil && p.Low == nil && p.High == nil && p.Guess == nil && !p.Log:
		return nil
	case p.Fixed != nil:
		return errors.New("is fixed, so it takes no limits, range, guess, scale or step; if it is an integer, its value is one")
	case p.Min == nil || p.Max == nil:
		return errors.New("needs min and max: an integer, or a number with a step, is one of finitely many")
	case p.Step != nil && !(*p.Step > 0 && !math.IsInf(*p.Step, 0)):
		return fmt.Errorf("step is %v, must be above 0", *p.Step)
	case !(*p.Min < *p.Max):
		return nil // which is said for all parameters
	case p.Integer && math.Ceil(*p.Min) >= math.Floor(*p.Max):
		return fmt.Errorf("there are not two integers from %v to %v", *p.Min, *p.Max)
	case p.Integer && max(-*p.Min, *p.Max) > mostExact:
		return fmt.Errorf("%v:%v is too wide for integers: up to 2^53 they are exact", *p.Min, *p.Max)
	}
	if p.Step != nil {
		steps := (*p.Max - *p.Min) / *p.Step
		if whole := math.Round(steps); whole < 1 || math.Abs(steps-whole) > divides*whole {
			return fmt.Errorf("step %v does not divide the range from %v to %v: it fits %.6g times", *p.Step, *p.Min, *p.Max, steps)
		} else if whole > mostExact {
			return fmt.Errorf("step %v is too small for the range from %v to %v", *p.Step, *p.Min, *p.Max)
		}
	}
	if v := p.Guess; v != nil && *v >= *p.Min && *v <= *p.Max && onLattice(p, *v) != *v {
		return fmt.Errorf("the guess %v %s", *v, offLattice(p))
	}
	return nil
}

func checkChoices(p Parameter) error {
	if p.Min != nil || p.Max != nil || p.Low != nil || p.High != nil || p.Log {
		return errors.New("has choices, so it takes no limits, range or scale")
	}
	if len(p.Choices) < 2 {
		return errors.New("has fewer than two choices: fix it, or leave it out")
	}
	for i, word := range p.Choices {
		switch {
		case word == "" || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`,"`, r) }):
			return fmt.Errorf("the choice %q is empty, or has a space, a comma or a quotation mark", word)
		case slices.Contains(p.Choices[:i], word):
			return fmt.Errorf("has the choice %s twice", word)
		}
	}
	for _, v := range []*float64{p.Guess, p.Fixed} {
		if v != nil && (*v != math.Round(*v) || *v < 0 || *v >= float64(len(p.Choices))) {
			return fmt.Errorf("%v is no index of its choices, which are 0 to %d", *v, len(p.Choices)-1)
		}
	}
	if p.Guess != nil && p.Fixed != nil {
		return errors.New("is fixed, so it takes no guess")
	}
	return nil
}

// offLattice says which values a parameter may have.
func offLattice(p Parameter) string {
	switch {
	case p.Choices != nil:
		return "is none of " + strings.Join(p.Choices, ", ")
	case p.Integer:
		return "is no integer"
	}
	return fmt.Sprintf("is not %v and a whole number of steps of %v", *p.Min, *p.Step)
}

// Off returns why a value that is within the limits is none of the i-th parameter, in words that go on
// after the value; "": it is one.
func (s Space) Off(i int, value float64) string {
	if onLattice(s[i], value) == value {
		return ""
	}
	return offLattice(s[i])
}

// Discrete reports whether some parameter that is searched has a lattice.
func (s Space) Discrete() bool {
	return slices.ContainsFunc(s, func(p Parameter) bool { _, ok := latticeOf(p); return ok })
}

// Lattice returns the values of the i-th parameter in the coordinate z, in order; nil: it has any
// value, or more than most of them.
func (s Space) Lattice(i, most int) (z []float64) {
	l, ok := latticeOf(s[i])
	if !ok || l.n > most {
		return nil
	}
	for j := range l.n {
		z = append(z, l.coordinate(j))
	}
	return z
}

// AppendValue writes a value of a parameter as its user writes it: an integer without a point, a
// choice as its word, and any other as the shortest number that reads back to the same bits.
func AppendValue(dst []byte, p Parameter, value float64) []byte {
	switch i := int(value); {
	case p.Choices != nil && i >= 0 && i < len(p.Choices) && float64(i) == value:
		return append(dst, p.Choices[i]...)
	case p.Integer && math.Abs(value) <= mostExact && value == math.Round(value):
		return strconv.AppendInt(dst, int64(value), 10)
	}
	return strconv.AppendFloat(dst, value, 'g', -1, 64)
}

// Word is AppendValue of the i-th parameter, as a string.
func (s Space) Word(i int, value float64) string { return string(AppendValue(nil, s[i], value)) }

// Told says in words where a point is: the values of the first parameters, with their names and units.
func (s Space) Told(point []float64) string {
	const most = 6
	var parts []string
	for i := range s[:min(len(s), len(point), most)] {
		parts = append(parts, strings.TrimSpace(s[i].Name+" = "+s.Word(i, point[i])+" "+s[i].Unit))
	}
	text := strings.Join(parts, ", ")
	if len(parts) < len(s) && text != "" {
		text += fmt.Sprintf(" … of %d", len(s))
	}
	return text
}

// ReadValue reads a value of a parameter as its user writes it.
func ReadValue(p Parameter, word string) (float64, error) {
	if i := slices.Index(p.Choices, word); i >= 0 {
		return float64(i), nil
	}
	v, err := strconv.ParseFloat(word, 64)
	switch {
	case p.Choices != nil:
		return 0, fmt.Errorf("%s is %q, which %s", p.Name, word, offLattice(p))
	case err != nil:
		return 0, fmt.Errorf("%s is %q, not a number", p.Name, word)
	}
	return v, nil
}

// Mixint returns parameters x1, x2, … of a finite box in mixed-integer form, after the suite bbob-mixint (T.
// Tušar, D. Brockhoff, N. Hansen, 2019): the first fifth has 2 values each, the next 4, 8 and 16,
// equally far apart from one end to the other; the last fifth is continuous. Departure: values are not moved so
// that the minimiser is one of them.
func Mixint(box objective.Box) Space {
	d := len(box.Lo)
	s := Plain(d)
	for i := range s {
		lo, hi := box.Lo[i], box.Hi[i]
		s[i].Min, s[i].Max = &lo, &hi
		if group := 5 * i / d; group < 4 {
			s[i].Step = new((hi - lo) / float64(int(2)<<group-1))
		}
	}
	return s
}
