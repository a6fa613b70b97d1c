package program

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
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

// readTemplates reads all templates.
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
