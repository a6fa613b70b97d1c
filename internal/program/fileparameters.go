package program

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/untwist/untwist/internal/lists"
	"github.com/untwist/untwist/internal/parameter"
	"github.com/untwist/untwist/objective"
)

// parameterKeys are the keys of a parameter, those of numbers first.
var parameterKeys = []string{"min", "max", "low", "high", "step", "guess", "fixed", "scale", "unit", "integer", "choices"}

// otherKeys are keys with which people ask for integers and choices elsewhere.
var otherKeys = map[string]string{
	"type": "integer = true", "int": "integer = true", "categories": "choices", "values": "choices", "options": "choices", "levels": "choices",
	"bool": `choices = ["false", "true"]`, "boolean": `choices = ["false", "true"]`,
}

// parameterName is what a name must look like.
var parameterName = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// readParameter reads one parameter. The words of an error go on after its name.
func readParameter(name string, value any) (parameter.Parameter, error) {
	p := parameter.Parameter{Name: name}
	table, ok := value.(map[string]any)
	if !ok {
		return p, fmt.Errorf("must be a table such as { min = 0, max = 1 } or { fixed = 3 }, not %s", whatIs(value))
	}
	if !parameterName.MatchString(name) || slices.Contains([]string{"all", "in", "out"}, name) {
		return p, errors.New("a name is made of letters, digits and _, does not begin with a digit, and is none of all, in, out")
	}
	if err := checkKeys(table, parameterKeys, otherKeys); err != nil {
		return p, err
	}
	var err error
	for i, to := range []**float64{&p.Min, &p.Max, &p.Low, &p.High, &p.Step} {
		if *to, err = readNumber(parameterKeys[i], table[parameterKeys[i]]); err != nil {
			return p, err
		}
	}
	if err := readKind(&p, table); err != nil {
		return p, err
	}
	if p.Unit, err = textIn("unit", table); err != nil {
		return p, err
	}
	switch scale := table["scale"]; scale {
	case nil, "linear":
	case "log":
		p.Log = true
	default:
		return p, fmt.Errorf(`scale must be "log" or "linear", not %s`, quotedValue(scale))
	}
	return p, parameter.Check(p)
}

// readKind reads whether a parameter is an integer, its choices, and values that may be one of them.
func readKind(p *parameter.Parameter, table map[string]any) (err error) {
	if given, there := table["integer"]; there {
		is, ok := given.(bool)
		if !ok {
			return fmt.Errorf("integer must be true or false, not %s", quotedValue(given))
		}
		p.Integer = is
	}
	if given, there := table["choices"]; there {
		list, ok := given.([]any)
		if !ok {
			return fmt.Errorf(`choices must be a list such as ["copper", "steel"], not %s`, quotedValue(given))
		}
		p.Choices = lists.Map(list, wordOf)
	}
	for _, v := range []struct {
		key string
		to  **float64
	}{{"guess", &p.Guess}, {"fixed", &p.Fixed}} {
		key, to := v.key, v.to
		if given, there := table[key]; there && p.Choices != nil {
			i := slices.Index(p.Choices, wordOf(given))
			if i < 0 {
				return fmt.Errorf("%s is %s, which is none of its choices", key, wordOf(given))
			}
			*to = new(float64(i))
		} else if *to, err = readNumber(key, given); err != nil {
			return err
		}
	}
	return nil
}

// checkKeys returns an error if a table has a key that is not known; others are what people write instead
// of one.
func checkKeys(table map[string]any, known []string, others map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		switch {
		case others[key] != "":
			return fmt.Errorf("unknown key %q: write %s", key, others[key])
		case !slices.Contains(known, key):
			return fmt.Errorf("unknown key %q%s", key, nearest(key, known))
		}
	}
	return nil
}

// textIn reads a text that may be missing.
func textIn(key string, table map[string]any) (string, error) {
	value, there := table[key]
	text, ok := value.(string)
	if there && !ok {
		return "", fmt.Errorf("%s must be text in quotes, not %s", key, whatIs(value))
	}
	return text, nil
}

// wordOf writes a word of choices: a text, or what stands there without quotation marks.
func wordOf(value any) string {
	if v, ok := value.(float64); ok {
		return string(appendNumber(nil, v))
	}
	return fmt.Sprint(value)
}

// readNumber reads a number that may be missing.
func readNumber(key string, value any) (*float64, error) {
	var v float64
	switch n := value.(type) {
	case nil:
		return nil, nil
	case int64:
		v = float64(n)
	case float64:
		v = n
	default:
		return nil, fmt.Errorf("%s must be a number, not %s", key, whatIs(value))
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil, fmt.Errorf("%s is %v, must be finite; leave it out where there is none", key, v)
	}
	return &v, nil
}

// quotedValue writes a value for an error.
func quotedValue(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return whatIs(value)
}

// A LimitedOutput is an output, or several, with the limits of each.
type LimitedOutput struct {
	Output
	Limits objective.Output // without a name
}

// outputKeys are the keys of an output, those of numbers first.
var outputKeys = []string{"min", "max", "equal", "within", "count", "result", "unit"}

// readOutput reads one output of a problem file. The words of an error go on after its name.
func readOutput(name string, value any) (o LimitedOutput, err error) {
	table, ok := value.(map[string]any)
	if !ok {
		return o, fmt.Errorf("must be a table such as { max = 25 } or {}, not %s", whatIs(value))
	}
	if o.Name = name; !parameterName.MatchString(name) {
		return o, errors.New("a name is made of letters, digits and _, and does not begin with a digit")
	}
	if err := checkKeys(table, outputKeys, nil); err != nil {
		return o, err
	}
	var within *float64
	for i, to := range []**float64{&o.Limits.Min, &o.Limits.Max, &o.Limits.Equal, &within} {
		if *to, err = readNumber(outputKeys[i], table[outputKeys[i]]); err != nil {
			return o, err
		}
	}
	if within != nil {
		if o.Limits.Within = *within; !(*within > 0) {
			return o, fmt.Errorf("within is %v, must be above 0", *within)
		}
	}
	if n, there := table["count"]; there {
		whole, ok := n.(int64)
		if !ok || whole < 1 || whole > mostNumbers {
			return o, fmt.Errorf("count must be a whole number from 1 to %d", mostNumbers)
		}
		o.Count = int(whole)
	}
	if o.Limits.Unit, err = textIn("unit", table); err != nil {
		return o, err
	}
	if _, there := table["result"]; there {
		pattern, err := textIn("result", table)
		if err != nil {
			return o, err
		}
		if o.Result, err = regexp.Compile(pattern); err != nil {
			return o, fmt.Errorf("result: %w", err)
		}
	}
	return o, o.Limits.Check()
}

// mostNumbers is how many numbers an output may have.
const mostNumbers = 1 << 20
