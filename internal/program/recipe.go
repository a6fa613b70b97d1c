package program

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/objective"
)

// A recipe is a Config that was checked, with everything that is worked out once.
type recipe struct {
	// Config is complete: the defaults are filled in, Dir is absolute, and the first word
	// of Exec is the absolute path of the program.
	Config
	given      []string // Exec as the user gave it
	words      []form   // of Exec
	templates  []template
	executable []File
	shape      shape // of an answer

	rest  time.Duration // for the machine to recover, before a point is tried again
	clock func(time.Duration) (ring <-chan time.Time, stop func() bool)
}

// alarm rings after so long.
func alarm(d time.Duration) (<-chan time.Time, func() bool) {
	timer := time.NewTimer(d)
	return timer.C, timer.Stop
}

// The defaults of Config.
const (
	defaultProcs   = 1
	mostProcs      = 1 << 14 // as of a worker of a cluster
	defaultRetries = 1
)

// newRecipe checks all that can be checked before the first query.
func newRecipe(c Config) (*recipe, error) {
	r := &recipe{Config: c, given: slices.Clone(c.Exec), rest: ordinary.rest, clock: alarm}
	r.Exec, r.Names, r.Config.Templates = slices.Clone(c.Exec), slices.Clone(c.Names), slices.Clone(c.Templates)
	for _, step := range []func() error{
		r.complete, r.checkNames, r.readWords, r.chooseProtocol, r.checkWords,
		r.readTemplates, r.checkUse, r.checkResult, r.checkOutputs, r.findProgram, r.digest,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// complete fills in the defaults of what needs no knowledge.
func (r *recipe) complete() (err error) {
	if r.Dir, err = filepath.Abs(r.Dir); err != nil {
		return objective.BadOption("Dir", "%v", err)
	}
	if r.Procs < 0 || r.Procs > mostProcs {
		return objective.BadOption("Procs", "is %d, and must be from 1 to %d", r.Procs, mostProcs)
	}
	if r.Timeout < 0 {
		return objective.BadOption("Timeout", "is %v, and must not be negative", r.Timeout)
	}
	r.Procs = max(r.Procs, defaultProcs)
	if r.Retries, err = atLeast0("Retries", r.Retries, defaultRetries); err != nil {
		return err
	}
	if r.KeepFailed, err = atLeast0("KeepFailed", r.KeepFailed, DefaultKeepFailed); err != nil {
		return err
	}
	if r.Note == nil {
		r.Note = func(string) {}
	}
	return nil
}

// atLeast0 returns a copy of a number, or its default.
func atLeast0(option string, n *int, otherwise int) (*int, error) {
	if n != nil {
		otherwise = *n
	}
	if otherwise < 0 {
		return nil, objective.BadOption(option, "is %d, and must not be negative", otherwise)
	}
	return &otherwise, nil
}

func (r *recipe) checkNames() error {
	if len(r.Names) == 0 {
		return objective.BadOption("Names", "there are no parameters")
	}
	for i, name := range r.Names {
		if name == "" {
			return objective.BadOption("Names", "parameter %d has no name", i+1)
		}
		if slices.Contains(r.Names[:i], name) {
			return objective.BadOption("Names", "two parameters are called %s", name)
		}
	}
	return nil
}

// readWords finds the placeholders of the command.
func (r *recipe) readWords() error {
	if len(r.Exec) == 0 || r.Exec[0] == "" {
		return objective.BadOption("Exec", "there is no command")
	}
	for i, word := range r.Exec {
		if strings.ContainsRune(word, 0) {
			return objective.BadOption("Exec", "word %d has a zero byte in it", i+1)
		}
		f, err := parseForm(word, r.Names)
		if err != nil {
			return objective.BadOption("Exec", "%v", err)
		}
		r.words = append(r.words, f)
	}
	return nil
}

// chooseProtocol fills in the protocol and checks what goes only with some of them.
func (r *recipe) chooseProtocol() error {
	if r.Protocol == "" {
		r.Protocol = Lines
		if len(r.Templates) > 0 || slices.ContainsFunc(r.words, func(f form) bool { return len(f.placeholders()) > 0 }) {
			r.Protocol = Once
		}
	}
	switch {
	case !slices.Contains(protocols, r.Protocol):
		return objective.BadOption("Protocol", "is %q, and must be once, lines, json, binary or batch", r.Protocol)
	case r.EOF && r.Protocol != Lines:
		return objective.BadOption("EOF", "goes only with the protocol lines, and the protocol is %s", r.Protocol)
	case r.Protocol == Batch && r.Procs > 1:
		return objective.BadOption("Procs", "is %d, but with the protocol batch one call gets a whole batch; leave it at 1 and let the program share out the points", r.Procs)
	case len(r.Templates) > 0 && r.Protocol != Once:
		return objective.BadOption("Templates", "go only with the protocol once, and the protocol is %s", r.Protocol)
	case r.Result != nil && r.Protocol != Once:
		return objective.BadOption("Result", "goes only with the protocol once, and the protocol is %s", r.Protocol)
	case r.ResultFile != "" && r.Protocol != Once:
		return objective.BadOption("ResultFile", "goes only with the protocol once, and the protocol is %s", r.Protocol)
	}
	if r.Protocol == Once || r.Protocol == Batch {
		for _, name := range reserved {
			if slices.Contains(r.Names, name) {
				return objective.BadOption("Names", "a parameter is called %s, but {%s} already means something in a command; rename it", name, name)
			}
		}
	}
	return nil
}

var protocols = []Protocol{Once, Lines, JSON, Binary, Batch}

// checkWords checks that the placeholders of the command are allowed where they stand.
func (r *recipe) checkWords() error {
	for i, f := range r.words {
		before := ""
		for _, p := range f {
			if p.name != "" {
				if err := r.checkPlaceholder(i, f, p, before); err != nil {
					return objective.BadOption("Exec", "%v", err)
				}
			}
			before = p.literal
		}
	}
	if r.Protocol == Batch && !(r.uses(inFile) && r.uses(outFile)) {
		return objective.BadOption("Exec", "with the protocol batch the command needs {in}, a file with a point a line, and {out}, a file with a value a line")
	}
	return nil
}

// checkPlaceholder checks a placeholder in word i, which is f, after a literal.
func (r *recipe) checkPlaceholder(i int, f form, p piece, before string) error {
	known := slices.Contains(r.Names, p.name)
	switch {
	case !known && !slices.Contains(reserved, p.name) && strings.HasSuffix(before, "$"):
		return fmt.Errorf("%v is not a parameter; for a variable of the shell write ${%v}", p, p)
	case !known && !slices.Contains(reserved, p.name):
		return fmt.Errorf("%v is not a parameter; for braces write {{%s}}", p, strings.Trim(p.String(), "{}"))
	case r.Protocol != Once && r.Protocol != Batch:
		return fmt.Errorf("%v: with the protocol %s the program is given its points while it runs; placeholders go with the protocol once, and for braces write {%v}", p, r.Protocol, p)
	case i == 0:
		return fmt.Errorf("%v: the first word is the program, and cannot have placeholders", p)
	case p.format != "":
		return fmt.Errorf("%v: a format is possible in templates only; write {%s}, which is replaced by the exact value", p, p.name)
	case r.Protocol == Batch && (known || p.name == allValues):
		return fmt.Errorf("%v: with the protocol batch only {in} and {out} can be in the command, since a call gets many points", p)
	case p.name == allValues && len(f) > 1:
		return fmt.Errorf("{all} becomes one word for each value, so it must be a word of its own")
	case known && strings.HasSuffix(before, "$"):
		return fmt.Errorf("$%v: no shell is started; write %v", p, p)
	}
	return nil
}

// uses reports whether the command has a placeholder.
func (r *recipe) uses(name string) bool {
	return slices.ContainsFunc(r.words, func(f form) bool {
		return slices.ContainsFunc(f, func(p piece) bool { return p.name == name })
	})
}

// checkUse checks that the program is told all parameters.
func (r *recipe) checkUse() error {
	if r.Protocol != Once || r.uses(allValues) || r.uses(inFile) {
		return nil
	}
	used := map[string]bool{}
	for _, f := range r.forms() {
		for _, p := range f.placeholders() {
			used[p.name] = true
		}
	}
	for _, name := range r.Names {
		if used[name] {
			continue
		}
		if len(used) == 0 && len(r.Templates) == 0 {
			return objective.BadOption("Exec", "with the protocol once the command needs {%s} for the value of a parameter, {all} for all values, {in} for a file with them, or a template", name)
		}
		return objective.BadOption("Exec", "no placeholder uses the parameter %s: put {%s} into the command or a template", name, name)
	}
	return nil
}

// forms returns all texts with placeholders.
func (r *recipe) forms() []form {
	return slices.Concat(r.words, lists.Map(r.templates, func(t template) form { return t.form }))
}

// checkResult checks where the value is to be found.
func (r *recipe) checkResult() error {
	switch {
	case r.Protocol == Once && r.uses(outFile) && r.ResultFile != "":
		return objective.BadOption("ResultFile", "the command has {out}: the value can be in one place only")
	case r.Protocol == Once && r.uses(outFile) && r.Result != nil:
		return objective.BadOption("Result", "the command has {out}: the value can be in one place only")
	case r.Result != nil && r.Result.NumSubexp() < 1:
		return objective.BadOption("Result", "%s has no group: put parentheses around what matches the number", r.Result)
	case r.ResultFile != "" && !filepath.IsLocal(r.ResultFile):
		return objective.BadOption("ResultFile", "%s is not in the work folder; write a name without a folder", r.ResultFile)
	case slices.ContainsFunc(r.templates, func(t template) bool { return t.name == filepath.Clean(r.ResultFile) }):
		return objective.BadOption("ResultFile", "%s is written by a template, and so its first number may not be the value; let the program write another file", r.ResultFile)
	}
	return nil
}

// inFolder reports whether the program runs in its work folder.
func (r *recipe) inFolder() bool { return len(r.templates) > 0 || r.ResultFile != "" }

// needsFolder reports whether a point needs a work folder.
func (r *recipe) needsFolder() bool { return r.inFolder() || r.uses(inFile) || r.uses(outFile) }
