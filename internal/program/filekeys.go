package program

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A keyKind is what a key of a problem file may hold.
type keyKind int

const (
	textKey   keyKind = iota // text
	numberKey                // a number
	switchKey                // true or false
	timeKey                  // text such as "10m"
	wordsKey                 // a command: text, or a list of words
	textsKey                 // text, or a list of texts
	pointsKey                // text, a list of texts, a point, or a list of points
)

// objectiveKeys says how the program is run, runKeys everything else.
var (
	objectiveKeys = map[string]keyKind{
		"exec": wordsKey, "protocol": textKey, "eof": switchKey, "procs": numberKey, "timeout": timeKey, "retries": numberKey,
		"keep-failed": numberKey, "template": textsKey, "result": textKey, "result-file": textKey,
		"minimum": numberKey, "value": textKey, "residuals": numberKey, "maximize": switchKey,
	}
	runKeys = map[string]keyKind{
		"budget": numberKey, "time": timeKey, "target": numberKey, "tolerance": numberKey, "seed": numberKey, "parallel": numberKey,
		"max-failures": numberKey, "noise-level": numberKey, "keep-going": switchKey,
		"dim": numberKey, "bounds": textKey, "start": textKey, "x0": pointsKey,
		"journal": textKey, "journal-points": switchKey, "from": textKey,
		"strategy": textKey, "identifier": textKey, "road": textKey, "particles": numberKey, "sigma": numberKey, "tau": numberKey, "alpha": numberKey, "share": numberKey,
		"cbo": textsKey, "trace": textKey, "trace-every": numberKey, "frame": textKey, "plot": textKey, "report": textKey, "sensitivity": switchKey, "json": switchKey, "quiet": switchKey,
	}
)

// Keys returns the keys that the tables [objective] and [run] of a problem file may have.
func Keys() (objective, run []string) { return sortedKeys(objectiveKeys), sortedKeys(runKeys) }

func sortedKeys(keys map[string]keyKind) []string { return slices.Sorted(maps.Keys(keys)) }

// tableOf returns the table to which a key belongs, "" if there is none.
func tableOf(key string) string {
	if _, ok := objectiveKeys[key]; ok {
		return "objective"
	}
	if _, ok := runKeys[key]; ok {
		return "run"
	}
	return ""
}

// String says what a kind of value is, after "must be".
func (k keyKind) String() string {
	return [...]string{
		"text in quotes", "a number", "true or false", `text with a unit, such as "10m"`,
		"text, or a list of words", "text, or a list of texts", "text, or a list of numbers",
	}[k]
}

// texts writes a value as flags take it.
func (k keyKind) texts(value any) ([]string, error) {
	wrong := fmt.Errorf("must be %v, not %s", k, whatIs(value))
	list, isList := value.([]any)
	text, isText := value.(string)
	number, isNumber := numberText(value)
	switched, isSwitch := value.(bool)
	switch {
	case isText && text == "":
		return nil, errors.New("must not be empty")
	case isText && k != numberKey && k != switchKey:
		return []string{text}, nil
	case isNumber && k == numberKey:
		return []string{number}, nil
	case isSwitch && k == switchKey:
		return []string{strconv.FormatBool(switched)}, nil
	case !isList || k < wordsKey:
		return nil, wrong
	case len(list) == 0:
		return nil, errors.New("must not be empty")
	}
	if k == pointsKey {
		return pointTexts(list, wrong)
	}
	all := make([]string, len(list))
	for i, v := range list {
		if all[i], isText = v.(string); !isText {
			return nil, fmt.Errorf("must be a list of texts, but item %d is %s", i+1, whatIs(v))
		}
	}
	if k == wordsKey {
		return []string{Quote(all)}, nil
	}
	return all, nil
}

// pointTexts writes one point, several points, or files that hold some.
func pointTexts(list []any, wrong error) ([]string, error) {
	if text, ok := pointText(list); ok {
		return []string{text}, nil
	}
	all := make([]string, len(list))
	for i, v := range list {
		var ok bool
		if point, is := v.([]any); is {
			all[i], ok = pointText(point)
		} else {
			all[i], ok = v.(string)
		}
		if !ok {
			return nil, wrong
		}
	}
	return all, nil
}

// pointText writes a point, if these are numbers.
func pointText(list []any) (text string, ok bool) {
	all := make([]string, len(list))
	for i, v := range list {
		if all[i], ok = numberText(v); !ok {
			return "", false
		}
	}
	return strings.Join(all, ","), true
}

// numberText writes a number so that it reads back to the same.
func numberText(value any) (string, bool) {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

// what says what a value of TOML is.
func whatIs(value any) string {
	switch v := value.(type) {
	case string:
		return "text"
	case bool:
		return strconv.FormatBool(v)
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	if text, ok := numberText(value); ok {
		return "the number " + text
	}
	return "a date or a time of day"
}

// nearest suggests the known name that is most like the given one: ` (did you mean "…"?)`,
// or nothing if none is like it.
func nearest(given string, known []string) string {
	best, least := "", max(2, len(given)/3)+1
	for _, name := range known {
		if d := distance(given, name); d < least && d < len(name) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance is Levenshtein's: how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
