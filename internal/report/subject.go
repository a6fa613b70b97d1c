package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/untwist/untwist/frame"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/internal/words"
)

// A Subject is the function that was minimised or probed, in words.
type Subject struct {
	Name string `json:"problem"`
	Dim  int    `json:"dim"` // the number of its dimensions

	// Components and Mix describe a built-in problem f(x) = g(Wx): the number of rows
	// of W, and the name of the kind of W. They are 0 and "" where f is not one.
	Components int    `json:"components,omitempty"`
	Mix        string `json:"mix,omitempty"`
	// Options says what else was asked of a built-in problem, "map=sqrt noise=1e-06" for
	// example: the flags of the program that ask for it.
	Options string `json:"options,omitempty"`

	// Value and Unit say what f is: the name and the unit of its value; "": not known.
	Value string `json:"value_name,omitempty"`
	Unit  string `json:"value_unit,omitempty"`
	// Maximize says that the greatest value is looked for, and not the least.
	Maximize bool `json:"-"`

	// Parameters are the parameters of f, if they have names.
	Parameters parameter.Space `json:"-"`
	// Limited are parameters without names that have limits: x1, x2, …
	Limited parameter.Space `json:"-"`
}

// space returns the parameters that have names or limits; nil: there are none.
func (s Subject) space() parameter.Space {
	if s.Parameters != nil {
		return s.Parameters
	}
	return s.Limited
}

// Quantity is what the value is called.
func (s Subject) Quantity() string { return cmp.Or(s.Value, "value") }

// Extreme is what the best value is: the lowest or the highest.
func (s Subject) Extreme() string {
	if s.Maximize {
		return "highest"
	}
	return "lowest"
}

// InUnit writes the unit behind a value.
func (s Subject) InUnit(value string) string { return value + Unit(s.Unit) }

// Unit is what is written behind a value that has a unit; "": it has none.
func Unit(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}

// lines is a text of lines, each with a name in a column of so many letters before it.
type lines struct {
	strings.Builder
	wide int
}

// add adds a line.
func (l *lines) add(name, format string, values ...any) {
	fmt.Fprintf(l, "%-*s "+format+"\n", append([]any{l.wide, name}, values...)...)
}

// describe returns a line that says which function it was and with which seed.
func (s Subject) describe(seed uint64) string {
	parts := []string{s.Name, words.Count(s.Dim, "dimension", "dimensions")}
	if s.Components > 0 {
		parts = append(parts, words.Count(s.Components, "component", "components"))
	}
	if s.Mix != "" {
		parts = append(parts, "mix "+s.Mix)
	}
	parts = append(parts, fmt.Sprintf("seed %d", seed))
	if s.Options != "" {
		parts = append(parts, s.Options)
	}
	return strings.Join(parts, ", ")
}

// Known is what is known about a function beforehand, so that results can be compared
// with it.
type Known struct {
	// Minimum is the least value of f without bounds and without its blemishes; NaN: it is
	// not known.
	Minimum float64
	// Attainable says that the known minimiser lies within the bounds.
	Attainable bool
	// Frame has the coordinates in which f separates into Blocks of components; nil if
	// they are not known.
	Frame  *frame.Frame
	Blocks [][]int
	// Coupling is the coupling of single components in the true frame, as a certificate
	// measures it; nil: it was not measured.
	Coupling *float64
}

// coupling returns the coupling in the true frame; nil: it is not known.
func (k *Known) coupling() *number {
	if k == nil || k.Coupling == nil {
		return nil
	}
	return new(number(*k.Coupling))
}
