package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/untwist/untwist"
	"github.com/untwist/untwist/internal/lists"
)

// MadeFile is the list of all that is measured, from the top folder of the repository.
const MadeFile = "docs/data/made.csv"

// Made is what one command measures: an entry of docs/data/made.csv.
type Made struct {
	Name     string
	Files    string // patterns of what it writes, in docs/data
	Packages string // those whose sources decide what comes out, with all that they import
	Takes    string // how long, on two cores
	Repeats  string // "yes": a test makes some of its runs again, and they are the same; "cmaes": those of CMA-ES; "by hand": none is stored
	Numerics string // of the state of the code that it is of; "": it is of several, or of one that nobody knows
	Sources  string // and what Sources.Sum was then
	Command  string // for sh, in the top folder; $OUT is a folder that is kept until it has ended
}

func (m *Made) fields() []*string {
	return []*string{&m.Name, &m.Files, &m.Packages, &m.Takes, &m.Repeats, &m.Numerics, &m.Sources, &m.Command}
}

// ReadMade reads the list in the repository whose top folder is root.
func ReadMade(root string) (all []Made, err error) {
	data, err := os.ReadFile(filepath.Join(root, MadeFile))
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	for _, row := range rows[min(1, len(rows)):] {
		var m Made
		for i, field := range m.fields() {
			*field = row[i]
		}
		all = append(all, m)
	}
	return all, err
}

// WriteMade writes the list.
func WriteMade(root string, all []Made) error {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	rows := [][]string{{"name", "files", "packages", "takes", "repeats", "numerics", "sources", "command"}}
	for _, m := range all {
		rows = append(rows, lists.Map(m.fields(), func(field *string) string { return *field }))
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, MadeFile), text.Bytes(), 0o644)
}

// Current reports whether it is of the state of the code in which the sources have this sum.
func (m Made) Current(today string) bool {
	return m.Sources == today && m.Numerics == strconv.Itoa(untwist.Numerics)
}

// State says of which state of the code it is, where the sources have this sum today.
func (m Made) State(today string) string {
	switch {
	case m.Sources == "":
		return "earlier ones"
	case m.Current(today):
		return "this one"
	}
	return "an earlier one, numerics " + m.Numerics
}

// Stamp says that it is of this state of the code.
func (m *Made) Stamp(today string) { m.Numerics, m.Sources = strconv.Itoa(untwist.Numerics), today }

// Sources are those of a module.
type Sources struct {
	root, module string
	folders      map[string]folder
}

// A folder has the sum of the sources in it, and which other folders they import.
type folder struct {
	sum     [sha256.Size]byte
	imports []string
}

// NewSources returns the sources of the module in a folder.
func NewSources(root string) (*Sources, error) {
	file, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(file))
	if len(words) < 2 || words[0] != "module" {
		return nil, fmt.Errorf("%s names no module", filepath.Join(root, "go.mod"))
	}
	return &Sources{root, words[1], map[string]folder{}}, nil
}

// Sum returns a sum over what packages, with spaces between them, and all in the module that they import are compiled from. Tests,
// comments and layout do not count.
func (s *Sources) Sum(packages string) (string, error) {
	all := map[string]bool{}
	todo := strings.Fields(packages)
	for len(todo) > 0 {
		name := path.Clean(todo[0])
		todo = todo[1:]
		if all[name] {
			continue
		}
		all[name] = true
		if _, known := s.folders[name]; !known {
			f, err := s.read(name)
			if err != nil {
				return "", err
			}
			s.folders[name] = f
		}
		todo = append(todo, s.folders[name].imports...)
	}
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f := s.folders[name]
		fmt.Fprintf(h, "%s %x\n", name, f.sum)
	}
	return hex.EncodeToString(h.Sum(nil)[:6]), nil
}

// read sums up a folder.
func (s *Sources) read(name string) (f folder, err error) {
	files, err := filepath.Glob(filepath.Join(s.root, name, "*.[gs]*"))
	h := sha256.New()
	for _, file := range files {
		isGo := strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")
		if !isGo && !strings.HasSuffix(file, ".s") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return f, err
		}
		fmt.Fprintf(h, "%s\n", filepath.Base(file))
		if !isGo {
			h.Write(text)
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			return f, err
		}
		for _, i := range syntax.Imports {
			if to, err := strconv.Unquote(i.Path.Value); err == nil && (to == s.module || strings.HasPrefix(to, s.module+"/")) {
				f.imports = append(f.imports, "."+to[len(s.module):])
			}
		}
		tokens(text, func(word string) { fmt.Fprintf(h, "%s\n", word) })
	}
	if len(files) == 0 {
		err = fmt.Errorf("there is no package %s", name)
	}
	h.Sum(f.sum[:0])
	return f, err
}

// tokens calls a function with every word of a Go file.
func tokens(text []byte, visit func(string)) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		switch _, kind, word := s.Scan(); kind {
		case token.EOF:
			return
		case token.SEMICOLON: // mostly not written
		default:
			visit(kind.String() + " " + word)
		}
	}
}
