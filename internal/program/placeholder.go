package program

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The placeholders that are not names of parameters.
const (
	allValues = "all" // all values, one word each
	inFile    = "in"  // the path of a file with the point or the points
	outFile   = "out" // the path of a file with the value or the values
)

var reserved = []string{allValues, inFile, outFile}

// A piece of a text is a literal, or a placeholder.
type piece struct {
	literal string
	name    string // of the placeholder; "": a literal
	format  string // of the value, without the colon; "": the shortest that reads back
	line    int    // of the placeholder, from 1
}

// String writes a placeholder as the user has written it.
func (p piece) String() string {
	if p.format != "" {
		return "{" + p.name + ":" + p.format + "}"
	}
	return "{" + p.name + "}"
}

// A form is a text with placeholders.
type form []piece

// identifier is what a placeholder looks like if its name is not known. Braces around
// anything else are part of the text, as in awk '{s += $1}'.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// valueFormat is what formats of values look like.
var valueFormat = regexp.MustCompile(`^%([1-9][0-9]?)?(\.[0-9]{1,2})?[efgEG]$`)

// parseForm finds the placeholders of a text: {name} and {name:%.6e}. {{ is a brace, and so
// is the }} that goes with it.
func parseForm(text string, names []string) (form, error) {
	var (
		f       form
		literal strings.Builder
		escapes int // how many {{ are open
		line    = 1
	)
	flush := func() {
		if literal.Len() > 0 {
			f = append(f, piece{literal: literal.String()})
			literal.Reset()
		}
	}
	for text != "" {
		if strings.HasPrefix(text, "{{") {
			escapes++
			literal.WriteByte('{')
			text = text[2:]
			continue
		}
		if escapes > 0 && strings.HasPrefix(text, "}}") {
			escapes--
			literal.WriteByte('}')
			text = text[2:]
			continue
		}
		p, length, err := placeholder(text, names)
		if err != nil {
			return nil, &lineError{line, err}
		}
		if length > 0 {
			flush()
			p.line = line
			f = append(f, p)
			text = text[length:]
			continue
		}
		if text[0] == '\n' {
			line++
		}
		literal.WriteByte(text[0])
		text = text[1:]
	}
	flush()
	return f, nil
}

// placeholder reads the placeholder at the front of a text. If there is none, its length
// is 0.
func placeholder(text string, names []string) (p piece, length int, err error) {
	end := strings.IndexByte(text, '}')
	if text[0] != '{' || end < 0 {
		return piece{}, 0, nil
	}
	inside := text[1:end]
	known := func(name string) bool { return slices.Contains(names, name) || slices.Contains(reserved, name) }
	if known(inside) || identifier.MatchString(inside) {
		return piece{name: inside}, end + 1, nil
	}
	colon := strings.LastIndexByte(inside, ':')
	if colon < 0 {
		return piece{}, 0, nil
	}
	p = piece{name: inside[:colon], format: inside[colon+1:]}
	if !known(p.name) && !(identifier.MatchString(p.name) && strings.HasPrefix(p.format, "%")) {
		return piece{}, 0, nil
	}
	if !valueFormat.MatchString(p.format) {
		return piece{}, 0, fmt.Errorf("%v: a format is %%e, %%f, %%g, %%E or %%G, with a width and a precision if need be, as in {%s:%%.6e}; for a brace write {{", p, p.name)
	}
	return p, end + 1, nil
}

// A lineError is an error in a line of a text.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

// placeholders returns the pieces that are placeholders.
func (f form) placeholders() (all []piece) {
	for _, p := range f {
		if p.name != "" {
			all = append(all, p)
		}
	}
	return all
}

// fill writes the text with every placeholder replaced by its value.
func (f form) fill(dst []byte, value func(p piece) []byte) []byte {
	for _, p := range f {
		if p.name == "" {
			dst = append(dst, p.literal...)
		} else {
			dst = append(dst, value(p)...)
		}
	}
	return dst
}

// number writes the value of a placeholder.
func (p piece) number(v float64) []byte {
	if p.format != "" {
		return fmt.Appendf(nil, p.format, v)
	}
	return appendNumber(nil, v)
}
