package program

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// A template is what a Template says, read once. Later changes of its source do not count.
type template struct {
	name   string
	mode   os.FileMode
	form   form
	digest string
}

func (r *recipe) readTemplates() error {
	for _, t := range r.Templates {
		read, err := r.readTemplate(t)
		if err != nil {
			return err
		}
		r.templates = append(r.templates, read)
	}
	return nil
}

func (r *recipe) readTemplate(t Template) (template, error) {
	bad := func(format string, args ...any) (template, error) {
		return template{}, objective.BadOption("Templates", format, args...)
	}
	name := filepath.Clean(t.Name)
	twice := func(other template) bool { return other.name == name }
	below := func(other template) bool { return under(name, other.name) || under(other.name, name) }
	switch {
	case t.Source == "":
		return bad("a template has no source")
	case t.Name == "":
		return bad("%s: there is no name for the file that is written", t.Source)
	case !filepath.IsLocal(t.Name) || filepath.Clean(t.Name) == ".":
		return bad("%s: %s is not in the work folder; write a name without a folder", t.Source, t.Name)
	case slices.ContainsFunc(r.templates, twice):
		return bad("two templates write %s", name)
	case slices.ContainsFunc(r.templates, below):
		return bad("%s: %s cannot be written, since a file of another template is where its folder would be, or the other way round", t.Source, t.Name)
	}
	path := Absolute(r.Dir, t.Source)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not an ordinary file")
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return bad("%s cannot be read: %v", path, pathless(err))
	}
	f, err := parseForm(string(text), r.Names)
	if at, ok := errors.AsType[*lineError](err); ok {
		return bad("%s, line %d: %v", t.Source, at.line, at.err)
	}
	for _, p := range f.placeholders() {
		switch {
		case r.isChoice(p.name) && p.format != "":
			return bad("%s, line %d: %v: %s has choices, which are words and take no format; write {%s}", t.Source, p.line, p, p.name, p.name)
		case slices.Contains(r.Names, p.name):
		case slices.Contains(reserved, p.name):
			return bad("%s, line %d: %v can be in the command only; for braces write {%v}", t.Source, p.line, p, p)
		default:
			return bad("%s, line %d: %v is not a parameter; for braces write {%v}", t.Source, p.line, p, p)
		}
	}
	sum := sha256.Sum256(text)
	return template{filepath.Clean(t.Name), info.Mode().Perm(), f, hex.EncodeToString(sum[:])}, nil
}

// isChoice reports whether a parameter has choices.
func (r *recipe) isChoice(name string) bool {
	return slices.ContainsFunc(r.Space, func(p parameter.Parameter) bool { return p.Name == name && p.Choices != nil })
}

// under reports whether a path is below a folder.
func under(path, folder string) bool {
	return strings.HasPrefix(path, folder+string(filepath.Separator))
}

// write fills in the template for a point and writes it into a folder.
func (t template) write(folder string, value func(p piece) []byte) error {
	path := filepath.Join(folder, t.name)
	if filepath.Dir(t.name) != "." {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(path, t.form.fill(nil, value), t.mode|0o600)
}

// pathless returns an error of a file without the path, for messages that already have it.
func pathless(err error) error {
	if path, is := errors.AsType[*os.PathError](err); is {
		return path.Err
	}
	return err
}

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
