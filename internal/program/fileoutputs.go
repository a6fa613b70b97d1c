package program

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/untwist/untwist/objective"
)

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
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(outputKeys, key) {
			return o, fmt.Errorf("unknown key %q%s", key, nearest(key, outputKeys))
		}
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
	if unit, there := table["unit"]; there {
		if o.Limits.Unit, ok = unit.(string); !ok {
			return o, fmt.Errorf("unit must be text in quotes, not %s", whatIs(unit))
		}
	}
	if pattern, there := table["result"]; there {
		text, ok := pattern.(string)
		if !ok {
			return o, fmt.Errorf("result must be text in quotes, not %s", whatIs(pattern))
		}
		if o.Result, err = regexp.Compile(text); err != nil {
			return o, fmt.Errorf("result: %w", err)
		}
	}
	return o, o.Limits.Check()
}

// mostNumbers is how many numbers an output may have.
const mostNumbers = 1 << 20
