package program

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/untwist/untwist/internal/parameter"
)

// parameterKeys are the keys of a parameter, those of numbers first.
var parameterKeys = []string{"min", "max", "low", "high", "guess", "fixed", "scale", "unit"}

// discreteKeys are keys with which people ask for integers and categories.
var discreteKeys = []string{"type", "choices", "categories", "values", "options", "levels", "step", "integer", "int", "bool", "boolean"}

var errDiscrete = errors.New("integers and categories cannot be searched, because the search follows small differences of f between neighbouring points; " +
	"fix the parameter (fixed = 3) and make a run for each value")

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
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if slices.Contains(discreteKeys, key) {
			return p, errDiscrete
		}
		if !slices.Contains(parameterKeys, key) {
			return p, fmt.Errorf("unknown key %q%s", key, nearest(key, parameterKeys))
		}
	}
	for i, to := range []**float64{&p.Min, &p.Max, &p.Low, &p.High, &p.Guess, &p.Fixed} {
		var err error
		if *to, err = readNumber(parameterKeys[i], table[parameterKeys[i]]); err != nil {
			return p, err
		}
	}
	if unit, there := table["unit"]; there {
		if p.Unit, ok = unit.(string); !ok {
			return p, fmt.Errorf("unit must be text in quotes, not %s", whatIs(unit))
		}
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
