package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/untwist/untwist/internal/parameter"
)

// A ProblemFile has everything that a user says about an objective and a run, in
// TOML. Paths in it are relative to the folder in which it lies.
type ProblemFile struct {
	Path string // as it was given
	Dir  string // the folder in which it lies

	// Objective and Run are the settings of these two tables, in the file's order. Their
	// keys are names of flags.
	Objective, Run []Setting
	// Parameters are the parameters, in the file's order.
	Parameters parameter.Space
	// Outputs are the numbers that an answer has besides its value, in the file's order.
	Outputs []LimitedOutput

	lines map[string]int
}

// A Setting is a key of a problem file with its value, written as for a flag. There are
// several values only where a flag may be given several times.
type Setting struct {
	Key    string
	Values []string
	Line   int
}

// ReadFile reads a problem file. Every error is one line that names the file and, wherever
// there is one, the line in it.
func ReadFile(path string) (*ProblemFile, error) {
	f, tables, keys, err := readTOML(path)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, key := range keys { // [a.b] does not name [a]
		for n := 1; n <= min(2, len(key)); n++ {
			path := strings.Join(key[:n], "\x00")
			if taken[path] {
				continue
			}
			taken[path] = true
			if err := f.take(tables, key[:n]); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// readTOML reads a TOML file: its lines, its values and its keys in the file's order.
func readTOML(path string) (*ProblemFile, map[string]any, [][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", path, pathless(err))
	}
	content := strings.TrimPrefix(string(text), "\ufeff") // as some editors begin a file
	f := &ProblemFile{Path: path, Dir: filepath.Dir(path), lines: map[string]int{}}
	var values map[string]any
	if err := toml.Unmarshal([]byte(content), &values); err != nil {
		return nil, nil, nil, f.syntax(err)
	}
	return f, values, f.keys(content), nil
}

// keys returns the keys of a file, below their tables and in its order, and notes their lines.
func (f *ProblemFile) keys(content string) (all [][]string) {
	var p unstable.Parser
	p.Reset([]byte(content))
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		key, line := table, 0
		if e.Kind != unstable.KeyValue {
			key = nil
		}
		for parts := e.Key(); parts.Next(); {
			part := parts.Node()
			line = p.Shape(part.Raw).Start.Line
			key = append(slices.Clip(key), string(part.Data))
			if f.line(key...) == 0 {
				f.lines[strings.Join(key, "\x00")] = line
			}
		}
		if e.Kind != unstable.KeyValue {
			table = key
		}
		all = append(all, key)
	}
	return all
}

// Wrong returns an error about a line of the file.
func (f *ProblemFile) Wrong(line int, format string, values ...any) error {
	where := f.Path
	if line > 0 {
		where = fmt.Sprintf("%s:%d", f.Path, line)
	}
	return fmt.Errorf("%s: %s", where, fmt.Sprintf(format, values...))
}

// syntax returns an error of the TOML reader in one line.
func (f *ProblemFile) syntax(err error) error {
	line := 0
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		line, _ = wrong.Position()
	}
	return f.Wrong(line, "this is not TOML: %s", strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "toml: ")), " "))
}

// take takes what one key of the file says. A key has one or two parts.
func (f *ProblemFile) take(tables map[string]any, key []string) error {
	line := f.line(key...)
	table, isTable := tables[key[0]].(map[string]any)
	switch {
	case key[0] == "limits":
		values, err := textsKey.texts(tables[key[0]])
		if err != nil {
			return f.Wrong(line, "limits %v", err)
		}
		f.Run = append(f.Run, Setting{Key: "limit", Values: values, Line: line})
		return nil
	case !slices.Contains(fileTables, key[0]):
		if home := tableOf(key[0]); home != "" {
			return f.Wrong(line, "%s belongs in the table [%s]", key[0], home)
		}
		return f.Wrong(line, "unknown table or key %q%s; the tables are [objective], [outputs], [parameters] and [run]",
			key[0], nearest(key[0], fileTables))
	case !isTable:
		return f.Wrong(line, "%s must be a table: write [%s] on a line of its own", key[0], key[0])
	case len(key) == 1:
		return nil
	}
	name, value := key[1], table[key[1]]
	if key[0] == "parameters" {
		p, err := readParameter(name, value)
		if err != nil {
			return f.Wrong(line, "parameter %s: %v", name, err)
		}
		f.Parameters = append(f.Parameters, p)
		return nil
	}
	if key[0] == "outputs" {
		o, err := readOutput(name, value)
		if err != nil {
			return f.Wrong(line, "output %s: %v", name, err)
		}
		f.Outputs = append(f.Outputs, o)
		return nil
	}
	known, to := objectiveKeys, &f.Objective
	if key[0] == "run" {
		known, to = runKeys, &f.Run
	}
	kind, ok := known[name]
	if home := tableOf(name); !ok && home != "" {
		return f.Wrong(line, "%s belongs in the table [%s]", name, home)
	} else if !ok {
		return f.Wrong(line, "unknown key %q in [%s]%s", name, key[0], nearest(name, sortedKeys(known)))
	}
	values, err := kind.texts(value)
	if err != nil {
		return f.Wrong(line, "%s %v", name, err)
	}
	*to = append(*to, Setting{Key: name, Values: values, Line: line})
	return nil
}

// fileTables are the tables of a problem file.
var fileTables = []string{"objective", "outputs", "parameters", "run"}

// line returns the line of a key, 0 if that is not known.
func (f *ProblemFile) line(key ...string) int { return f.lines[strings.Join(key, "\x00")] }

// ReadSettings reads a TOML file of settings without tables, all of which are among the known
// keys. A value is text, a number, true or false, or a list of these. The settings are those
// of Run, in the file's order. Every error is one line that names the file and, wherever there
// is one, the line in it.
func ReadSettings(path string, known []string) (*ProblemFile, error) {
	f, values, keys, err := readTOML(path)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, key := range keys {
		name := key[0]
		if taken[name] {
			continue
		}
		taken[name] = true
		if !slices.Contains(known, name) {
			return nil, f.Wrong(f.line(name), "unknown key %q%s", name, nearest(name, known))
		}
		texts, err := plainTexts(values[name])
		if err != nil {
			return nil, f.Wrong(f.line(name), "%s %v", name, err)
		}
		f.Run = append(f.Run, Setting{Key: name, Values: texts, Line: f.line(name)})
	}
	return f, nil
}

// plainTexts writes a value, or each value of a list, as flags take it.
func plainTexts(value any) ([]string, error) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	if len(list) == 0 {
		return nil, errors.New("must not be empty")
	}
	all := make([]string, len(list))
	for i, v := range list {
		switch v.(type) {
		case string, bool, int64:
			all[i] = fmt.Sprint(v)
		case float64:
			all[i], _ = numberText(v)
		default:
			return nil, fmt.Errorf("must be text, a number, true or false, or a list of these, not %s", whatIs(v))
		}
	}
	return all, nil
}
