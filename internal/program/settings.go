package program

import (
	"errors"
	"fmt"
	"slices"
)

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
